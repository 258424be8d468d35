"""How close the first documents of a routing are to each other."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.document_routing.model import RoutedDocument

# From here on the balanced mode asks a model; docs/document_routing.md has how often that is, and what it is worth.
AMBIGUOUS = 0.5


def ambiguity_of(documents: Sequence[RoutedDocument]) -> float:
    """1 less the first document's score: 0 if it certainly is right, 1 without any document."""
    return 1.0 - documents[0].score if documents else 1.0
