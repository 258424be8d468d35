"""The texts of a card that are searched, and the one that is embedded."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.documents.card import Card


def card_texts(card: Card) -> Mapping[str, str]:
    """The text of each of `CARD_FIELDS`: what names the document, and all of its words."""
    sections = (line for section in card.sections for line in (section.heading, *section.keywords))
    return {
        "head": "\n".join((card.title, *card.topic_tags)),
        "body": "\n".join((card.title, *card.topic_tags, card.overview, *card.question_hints, *sections)),
    }


def embedded_text(card: Card) -> str:
    """The text whose vector stands for the card."""
    return "\n".join((card.title, card.overview, ", ".join(card.topic_tags)))
