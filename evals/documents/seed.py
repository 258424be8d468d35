"""The baseline: 0.5 · BM25 of the card + 0.3 · overlap of concepts + 0.2 · boost by neighbours, as first proposed."""

from collections.abc import Sequence

from cicada.document_routing.model import RoutedDocument

WORDS, CONCEPTS, GRAPH = 0.5, 0.3, 0.2


def seed_order(documents: Sequence[RoutedDocument]) -> list[RoutedDocument]:
    """The documents that BM25 finds by their cards, best first. BM25 is mapped to 0 to 1 by its extremes."""
    words = [each.signals.get("card_words", 0.0) for each in documents]
    least, span = min(words, default=0.0), (max(words, default=0.0) - min(words, default=0.0)) or 1.0

    def score(each: RoutedDocument) -> float:
        return (
            WORDS * (each.signals.get("card_words", 0.0) - least) / span
            + CONCEPTS * each.signals.get("concepts", 0.0)
            + GRAPH * each.signals.get("graph", 0.0)
        )

    return sorted(documents, key=lambda each: -score(each))
