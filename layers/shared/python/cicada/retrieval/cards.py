"""The texts of a card that are searched."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.documents.card import Card


def card_texts(card: Card) -> Mapping[str, str]:
    """The text of each of `CARD_FIELDS`: what names the document, and what it is about in detail."""
    sections = (line for section in card.sections for line in (section.heading, *section.keywords))
    return {
        "head": "\n".join((card.title, *card.topic_tags, *card.question_hints)),
        "body": "\n".join((card.overview, *sections)),
    }
