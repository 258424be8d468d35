"""How close the first two documents of a routing are to each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cicada.document_routing.model import RoutedDocument

# From here on the balanced mode asks a model: where the first is less than 1.4 standard deviations ahead.
AMBIGUOUS = 0.5


def ambiguity_of(documents: Sequence[RoutedDocument]) -> float:
    """exp(-d / 2), d the distance of the first document's fused score to the second's.

    1 if they are equal, or nothing was found; near 0 if the first is far ahead, or the only one. Of the measures
    compared in docs/document_routing.md this one tells best whether the first document is the right one.
    """
    if len(documents) < 2:
        return 0.0 if documents else 1.0
    first, second = (each.signals["fused"] for each in documents[:2])
    return math.exp(-(first - second) / 2)
