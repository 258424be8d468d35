"""The production search on a retrieval set: the corpus in a temporary index, the queries through the hybrid search."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.knowledge_bases.settings import Fusion
from cicada.retrieval.fusion import Bm25
from cicada.retrieval.model import EmbeddedPassage, Hit, Retrieval
from cicada.retrieval.ports import Embedder, PassageIndex
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.retrieval.dataset import Dataset, Row
from evals.retrieval.measures import Rankings

CORPUS_BASE = KnowledgeBaseKey("evaluation", "corpus")
# Recall@100 needs so many passages of the final order.
LIMIT = 100


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What is measured. The reranker ranks the first `depth`; 0 leaves the fused order."""

    fusion: Fusion = "zscore"
    depth: int = 50
    bm25: Bm25 = field(default_factory=Bm25)


@contextmanager
def retriever(dataset: Dataset, embedder: Embedder, pipeline: Pipeline) -> Iterator[HybridSearch]:
    """The production search over the set's corpus. Every row is a passage; its title is the title and the context."""
    with tempfile.TemporaryDirectory(prefix="cicada-eval-") as folder:
        index = SqlitePassageIndex(
            Path(folder) / "index.sqlite", embedder.model_id, embedder.dimension, bm25=pipeline.bm25
        )
        yield search_over(index, dataset, embedder, pipeline)


def search_over(index: PassageIndex, dataset: Dataset, embedder: Embedder, pipeline: Pipeline) -> HybridSearch:
    """The search over the set's corpus, which is written to this index."""
    index.replace(_document(), embedded_rows(dataset.rows, embedder))
    reranker = LocalReranker(index, pipeline.depth) if pipeline.depth else None
    return HybridSearch(index, embedder, limit=LIMIT, fusion=pipeline.fusion, reranker=reranker, threshold=0.0)


def search_all(dataset: Dataset, search: HybridSearch) -> dict[str, Retrieval]:
    """Every query's search by the query's id."""
    found = PassageFilter(CORPUS_BASE)
    return {query.id: search.retrieve(query.text, found) for query in dataset.queries}


def rankings_of(dataset: Dataset, retrievals: dict[str, Retrieval]) -> dict[str, Rankings]:
    """Each stage's order as ids of the corpus."""
    ids = [row.id for row in dataset.rows]

    def named(passages: Sequence[Passage]) -> list[str]:
        return [ids[int(passage.passage_id)] for passage in passages]

    return {
        "bm25": {key: named(_passages(each.hits.lexical)) for key, each in retrievals.items()},
        "knn": {key: named(_passages(each.hits.semantic)) for key, each in retrievals.items()},
        "fused": {key: named([candidate.passage for candidate in each.candidates]) for key, each in retrievals.items()},
        "reranked": {
            key: named([ranked.passage for ranked in each.ranking.passages]) for key, each in retrievals.items()
        },
    }


def passage_text(row: Row) -> str:
    """What is embedded of a row, as ingest embeds a passage."""
    return f"{row.title or ''}\n{row.text}"


def _passages(hits: Sequence[Hit]) -> list[Passage]:
    return [hit.passage for hit in hits]


def _document() -> DocumentKey:
    return DocumentKey(CORPUS_BASE, "corpus")


def embedded_rows(rows: Sequence[Row], embedder: Embedder) -> list[EmbeddedPassage]:
    """The rows as passages of one document."""
    vectors = embedder.embed_passages([passage_text(row) for row in rows])
    return [
        EmbeddedPassage(_passage(number, row), vector)
        for number, (row, vector) in enumerate(zip(rows, vectors, strict=True))
    ]


def _passage(number: int, row: Row) -> Passage:
    """Ids are in the order of the corpus, so that ties are, too."""
    title = row.title or ""
    return Passage(f"{number:08d}", _document(), "1", title, row.text, title, SectionLocator(()))
