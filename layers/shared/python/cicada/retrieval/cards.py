"""The texts of a card that are searched, and the one that is embedded."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cicada.documents.card import Card

_WORDS_OF_AN_ID = re.compile(r"[^\W_]+")


def card_texts(card: Card, document_id: str) -> Mapping[str, str]:
    """The text of each of `CARD_FIELDS`: what names the document, and all of its words.

    The words of its id are searched too, because people name a document by its file, as in "SOP-QA-012".
    """
    named = " ".join(_WORDS_OF_AN_ID.findall(document_id))
    sections = (line for section in card.sections for line in (section.heading, *section.keywords))
    return {
        "head": "\n".join((card.title, *card.topic_tags)),
        "body": "\n".join((card.title, *card.topic_tags, card.overview, *card.question_hints, named, *sections)),
    }


def embedded_text(card: Card) -> str:
    """The text whose vector stands for the card. Headings belong to it: docs/document_routing.md has the recall."""
    headings = (section.heading for section in card.sections)
    parts = (card.title, card.overview, ", ".join(card.topic_tags), *headings)
    return "\n".join(part for part in parts if part)
