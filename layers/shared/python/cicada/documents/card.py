"""The card of a document: a short description by which it is found among thousands, before its passages are read."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class CardSection(Struct, frozen=True):
    """A part of the document under a heading: its passages number `first` to `last`, both inclusive, from 0.

    `keywords`: its salient terms, most salient first.
    """

    heading: str
    first: int
    last: int
    keywords: tuple[str, ...] = ()


class Related(Struct, frozen=True):
    """An edge of the document graph: another document of the base, with a weight of 0 to 1."""

    document_id: str
    weight: float


class Card(Struct, frozen=True):
    """What the document is about. `language`: of its text, ISO 639-1. `by`: the model that wrote it, or `rules`.

    `topic_tags`: salient terms, most salient first. `question_hints`: questions that the document answers.
    `sections`: in the document's order. `related`: heaviest first, of a bounded number.
    """

    title: str
    overview: str = ""
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    sections: tuple[CardSection, ...] = ()
    related: tuple[Related, ...] = ()
    language: str = "en"
    by: str = "rules"

    @property
    def topic_paths(self) -> Mapping[str, tuple[int, ...]]:
        """For each keyword the numbers of the sections that it leads to, from 0."""
        found: dict[str, tuple[int, ...]] = {}
        for number, section in enumerate(self.sections):
            for keyword in section.keywords:
                found[keyword] = (*found.get(keyword, ()), number)
        return found
