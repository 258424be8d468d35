"""The text of a card that is embedded."""

from __future__ import annotations

from cicada.documents.card import Card


def card_text(card: Card) -> str:
    """Title, overview and tags; sections and questions would only dilute the vector."""
    return "\n".join(part for part in (card.title, card.overview, ", ".join(card.topic_tags)) if part)
