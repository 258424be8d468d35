"""What is in force comes first: the documents and passages of an answer, put in order by their standing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias, TypeVar

from msgspec import Struct

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import Condition, Passage, SectionLocator
from cicada.knowledge_bases.schema import Schema, Standing, StandingRule
from cicada.knowledge_bases.values import folded
from cicada.languages.terms import words
from cicada.retrieval.model import Candidate, RankedPassage

T = TypeVar("T")
Described: TypeAlias = DocumentRow | Passage

# Passages whose relevance differs by less are about as near to the question.
_NEARLY = 0.05
# Words that ask for what held before, in the languages of the lexicon; "before" does only at the end of a question.
_BEFORE = re.compile(
    r"(?<!how )(?<!years )\bold(?:er)?\b|\b(?:former|formerly|previous|previously|superseded|used to|in the past|"
    r"at (?:the|that) time|back then|earlier (?:version|edition|rule|text)|until (?:19|20)\d\d|"
    r"früher\w*|ehemals|vorherige\w*|bisherige\w*|autrefois|ancien(?:ne)?s?|précédente?s?|antigu[ao]s?|anterior(?:es)?)\b"
    r"|\bbefore\W*$|以前|旧",
    re.IGNORECASE,
)
# What is written behind a title for the version: "Travel Policy v2", "Travel Policy (version 2.1)".
_VERSION = re.compile(
    r"(?<![\s,(–-])[\s,(–-]*+\b(?:v|version|rev|revision|edition|issue)[. ]{0,3}\d[\d.]*+\)?+\s*+$", re.IGNORECASE
)


class Preference(Struct, frozen=True):
    """What an answer puts first: documents of the standing `first`, by the base's rule."""

    rule: StandingRule
    first: Standing

    def has(self, item: Described) -> bool:
        """Whether the document has the standing that comes first."""
        return self.rule.standing(item.metadata) is self.first

    def is_other(self, item: Described) -> bool:
        """Whether the document has another standing; one without any is neither."""
        return self.rule.standing(item.metadata) not in (self.first, None)


def preference(message: str, schema: Schema, conditions: Iterable[Condition] = ()) -> Preference | None:
    """What the message asks for: what is in force, unless its words ask for another standing.

    None where nothing is to be put in order: no field says what is in force, or a condition on the field says it.
    """
    rule = schema.in_force
    if rule is None or any(each.field == rule.field for each in conditions):
        return None
    said, synonyms = " ".join(["", *words(message), ""]), _synonyms(schema, rule.field)
    for value, standing in rule.standings.items():
        named = (" ".join(["", *words(each), ""]) for each in (value, *synonyms.get(value, ())))
        if standing is not Standing.IN_FORCE and any(each in said for each in named):
            return Preference(rule, standing)
    return Preference(rule, Standing.NO_LONGER if _BEFORE.search(message) else Standing.IN_FORCE)


def _synonyms(schema: Schema, name: str) -> Mapping[str, tuple[str, ...]]:
    field = schema.fields.get(name)
    return field.synonyms if field else {}


def are_versions(one: Described, other: Described, rule: StandingRule) -> bool:
    """Whether these are versions of one document: of one title, or one names the other as replaced."""
    titles = {folded(_VERSION.sub("", each.title)) for each in (one, other)}
    return len(titles) == 1 or _replaces(one, other, rule) or _replaces(other, one, rule)


def preferred(
    items: Sequence[T], of: Callable[[T], Described], order: Preference | None, more: Sequence[T] = ()
) -> list[T]:
    """The items, each of another standing behind one of a version of its document that comes first.

    Of a version's passages it is that under the same heading, else the first of them. `more`: others that it may be.
    """
    placed: list[T] = []
    for item in items:
        here = of(item)
        if order and order.is_other(here):
            known = [each for each in (*items, *more) if order.has(of(each))]
            first = [each for each in known if are_versions(of(each), here, order.rule)]
            beside = [each for each in first if _heading(of(each)) == _heading(here)] or first
            if not any(each is done for each in beside for done in placed):
                placed += beside[:1]
        if not any(item is done for done in placed):
            placed.append(item)
    return placed


def preferred_passages(
    passages: Sequence[RankedPassage], order: Preference | None, candidates: Sequence[Candidate] = ()
) -> list[RankedPassage]:
    """Passages by relevance: `preferred`, and of nearly the same relevance those of another standing last.

    `candidates`: all that the search found, where a version may be that is not among the best.
    """
    ranked = list(passages)
    if order is None:
        return ranked
    for place in range(len(ranked) - 1, -1, -1):
        while place + 1 < len(ranked) and _goes_behind(ranked[place], ranked[place + 1], order):
            ranked[place : place + 2] = ranked[place + 1], ranked[place]
            place += 1
    best = {each.passage.passage_id for each in ranked}
    more = [RankedPassage(each.passage, None) for each in candidates if each.passage.passage_id not in best]
    return preferred(ranked, lambda each: each.passage, order, more)


def _goes_behind(one: RankedPassage, other: RankedPassage, order: Preference) -> bool:
    if one.relevance is None or other.relevance is None or one.relevance - other.relevance >= _NEARLY:
        return False
    return order.is_other(one.passage) and not order.is_other(other.passage)


def _replaces(one: Described, other: Described, rule: StandingRule) -> bool:
    value = one.metadata.get(rule.replaces, ())
    names = set(map(folded, value if isinstance(value, tuple) else (str(value),)))
    file = PurePosixPath(other.document.document_id)
    return not names.isdisjoint({folded(str(file)), folded(file.stem), folded(other.title)})


def _heading(item: Described) -> tuple[str, ...]:
    locator = item.locator if isinstance(item, Passage) else None
    return locator.path[-1:] if isinstance(locator, SectionLocator) else ()
