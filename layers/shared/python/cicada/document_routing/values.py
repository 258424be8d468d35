"""Values of document routing: the documents in which a question is searched, best first."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey
from cicada.retrieval.model import Candidate


class DocumentSignals(Struct, frozen=True):
    """The signals of one document: what each retriever found of it. `row`: None where only its passages were found.

    `card_words` (BM25) and `card_vector` (cosine): None where the retriever did not find the card.
    `passages`: its candidates, best first. `passage_score`: the best one's sum of both retrievers' z-scores, or None.
    `feedback`: see `scoring.feedback_of`; None if it was not computed.
    """

    document: DocumentKey
    row: DocumentRow | None = None
    card_words: float | None = None
    card_vector: float | None = None
    passages: tuple[Candidate, ...] = ()
    passage_score: float | None = None
    feedback: float | None = None


class RoutedDocument(Struct, frozen=True):
    """`score`: 0 to 1, comparable between bases of any size. `signals`: what it is made of, by name.

    A signal that did not find the document is not among them. Each signal alone ranks documents, highest first; `fused`
    is what they were ordered by, which is comparable among the documents of one question only.
    """

    document: DocumentKey
    score: float
    signals: Mapping[str, float]


class Routing(Struct, frozen=True):
    """All documents that were found, best first. `ambiguity`: 0 to 1, how close the first ones are to each other.

    `path` names the steps taken.
    """

    documents: tuple[RoutedDocument, ...]
    ambiguity: float
    path: tuple[str, ...] = ()

    def first(self, limit: int) -> frozenset[str]:
        """The ids of the best `limit` documents, to filter a search by."""
        return frozenset(each.document.document_id for each in self.documents[:limit])
