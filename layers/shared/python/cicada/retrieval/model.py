"""Values of retrieval: queries, hits, candidates, and the text of a card that is searched."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey, Passage, PassageFilter

NEAREST = 5
"""Passages that are kept whatever their relevance, to judge evidence by and to show where nothing is good enough."""

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


Vector = Sequence[float]


class IndexQuery(Struct, frozen=True):
    """One question to an index: BM25 on `text` and kNN on `vector`, the best `limit` of each."""

    filter: PassageFilter
    text: str
    vector: Vector
    limit: int = 100


class Hit(Struct, frozen=True):
    """A passage with the score that one retriever gave it (BM25, or cosine in -1 to 1)."""

    passage: Passage
    score: float


class IndexHits(Struct, frozen=True):
    """The hits of both retrievers, each list in descending order of score."""

    lexical: tuple[Hit, ...]
    semantic: tuple[Hit, ...]

    def of(self, documents: Container[DocumentKey]) -> IndexHits:
        """Keep the hits in these documents."""
        return IndexHits(
            tuple(hit for hit in self.lexical if hit.passage.document in documents),
            tuple(hit for hit in self.semantic if hit.passage.document in documents),
        )


class CardQuery(Struct, frozen=True):
    """One question to the cards: BM25 on `text` and kNN on `vector`, the best `limit` of each.

    Without a vector only BM25 is asked.
    """

    filter: PassageFilter
    text: str
    vector: Vector = ()
    limit: int = 50


class CardHit(Struct, frozen=True):
    """A document whose card was found, with the score that one retriever gave it (BM25, or cosine in -1 to 1)."""

    row: DocumentRow
    score: float


class CardHits(Struct, frozen=True):
    """The hits of both retrievers, each list in descending order of score."""

    lexical: tuple[CardHit, ...]
    semantic: tuple[CardHit, ...] = ()


class EmbeddedPassage(Struct, frozen=True):
    """A passage with the vector of its context and text."""

    passage: Passage
    vector: Vector


class EncodedQuery(Struct, frozen=True):
    """A question and its vector."""

    text: str
    vector: Vector


class Candidate(Struct, frozen=True):
    """A passage of the fused order. `lexical` (BM25) and `semantic` (cosine): None where the retriever did not find it.

    `fused`: its score in the fused order, 0 to 1.
    """

    passage: Passage
    lexical: float | None
    semantic: float | None
    fused: float


class RankedPassage(Struct, frozen=True):
    """A passage of the final order. `relevance` is 0 to 1, or None where no text was ranked.

    `state`: whether its document is in force, as the model is told; empty where nothing says so.
    """

    passage: Passage
    relevance: float | None
    state: str = ""


class Ranking(Struct, frozen=True):
    """The final ranking. `by` names its reranker for the path of the answer.

    It is a model's vendor (`cohere`, `amazon`), `local`, `fusion`, or `skipped` if no paid one was asked.
    """

    passages: tuple[RankedPassage, ...]
    by: str


class Cut(Struct, frozen=True):
    """What a search returns of its ranking: the first `limit` passages of at least the relevance `threshold`.

    `document_ids`: the documents that they are taken from, None for all.
    """

    limit: int = 0
    threshold: float = 0.0
    document_ids: frozenset[str] | None = None

    def within(self, ranking: Ranking) -> Ranking:
        """The passages of the documents, or all if none of those is relevant enough."""
        ids = self.document_ids
        if ids is None:
            return ranking
        within = tuple(each for each in ranking.passages if each.passage.document.document_id in ids)
        is_all = len(within) == len(ranking.passages)
        return Ranking(within, ranking.by) if is_all or self._relevant(within) else ranking

    def best(self, within: Ranking) -> Ranking:
        """The passages that are returned; those without a relevance are relevant enough."""
        return Ranking(tuple(self._relevant(within.passages)[: self.limit]), within.by)

    def _relevant(self, passages: Sequence[RankedPassage]) -> list[RankedPassage]:
        return [each for each in passages if each.relevance is None or each.relevance >= self.threshold]


class Routed(Struct, frozen=True):
    """The documents that a question is about. `document_ids`: None where all documents are searched.

    `hits`: of those of them in which the search had found nothing. `path` names the steps taken.
    """

    document_ids: frozenset[str] | None = None
    hits: IndexHits = field(default_factory=lambda: IndexHits((), ()))
    path: tuple[str, ...] = ()


class Retrieval(Struct, frozen=True):
    """A search with its stages: the retrievers' hits, all fused candidates, and the final ranking.

    `path` names the steps taken. Without passages the last step is the reason: `nothing_found` if nothing matches,
    `below_threshold` if all matches are less relevant than the base's threshold.
    `matching`: how many documents the filter lets through, if they were counted.
    `query`: the text that was searched for. `nearest`: the first passages of the ranking before threshold and limit.
    `ranked`: the whole ranking, before documents, threshold and limit. `cut`: what is returned of it.
    `withheld`: how many documents of its passages were taken out because the user may not view them.
    """

    hits: IndexHits
    candidates: tuple[Candidate, ...]
    ranking: Ranking
    path: tuple[str, ...] = ()
    matching: int | None = None
    query: str = ""
    nearest: tuple[RankedPassage, ...] = ()
    ranked: tuple[RankedPassage, ...] = ()
    cut: Cut = Cut()
    withheld: int = 0

    @property
    def documents(self) -> frozenset[DocumentKey]:
        """All documents that any stage found."""
        hits = frozenset(hit.passage.document for hit in (*self.hits.lexical, *self.hits.semantic))
        candidates = frozenset(each.passage.document for each in self.candidates)
        return hits | candidates | _documents((*self.passages, *self.nearest))

    def of(self, documents: frozenset[DocumentKey]) -> Retrieval:
        """The retrieval as if the search had found these documents alone.

        The next passages of the ranking take the places of those that are taken out.
        """
        ranking = Ranking(_in(self.ranked, documents), self.ranking.by)
        within = self.cut.within(ranking)
        return replace(
            self,
            hits=self.hits.of(documents),
            candidates=tuple(each for each in self.candidates if each.passage.document in documents),
            ranking=self.cut.best(within),
            nearest=within.passages[:NEAREST],
            ranked=ranking.passages,
            withheld=self.withheld + len(_documents((*self.passages, *self.nearest)) - documents),
        )

    @property
    def passages(self) -> tuple[RankedPassage, ...]:
        """Best first."""
        return self.ranking.passages


def _documents(ranked: Sequence[RankedPassage]) -> frozenset[DocumentKey]:
    return frozenset(each.passage.document for each in ranked)


def _in(ranked: Sequence[RankedPassage], documents: Container[DocumentKey]) -> tuple[RankedPassage, ...]:
    return tuple(each for each in ranked if each.passage.document in documents)
