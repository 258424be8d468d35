"""`python -m evals.retrieval_bench.separation DIR`: what a user's searches tell of passages hidden from the user.

One passage in five of a retrieval set is for another reader. The set's questions are asked with those passages in the
index and without them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from msgspec.structs import replace

from cicada.adapters.opensearch.bulk import BulkWriter
from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.rows import rows
from cicada.adapters.retry import Retry
from cicada.documents.catalogue import row_of
from cicada.documents.filter import PassageFilter
from cicada.documents.model import DocumentKey
from cicada.permissions.readers import every_document
from cicada.retrieval.model import EmbeddedPassage, Retrieval
from cicada.retrieval.ports import Embedder, PassageIndex
from cicada.retrieval.quality.score import evidence_quality
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, embedded_rows
from evals.retrieval_bench.server import say, server

ASKER = PassageFilter(CORPUS_BASE, reader=frozenset({"user:bob"}))
OPEN, HIDDEN = DocumentKey(CORPUS_BASE, "open"), DocumentKey(CORPUS_BASE, "hidden")
EVERY = 5

Documents = Mapping[DocumentKey, list[EmbeddedPassage]]
Seen = list[tuple[Retrieval, float]]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval_bench.separation")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--opensearch", default="", metavar="URL", help="one that runs; otherwise one is started")
    options = parser.parse_args(arguments)
    dataset = load_dataset(options.folder)
    found = {}
    with local_embedder(say) as embedder, TemporaryDirectory(prefix="cicada-bench-") as name:
        documents = split(embedded_rows(dataset.rows, embedder))
        alone = {OPEN: documents[OPEN]}
        for engine, opened in (("embedded", embedded), ("OpenSearch", partial(opensearch, options.opensearch))):
            seen = []
            for kept in (documents, alone):
                with opened(Path(name) / f"{engine}-{len(kept)}", embedder, kept) as index:
                    seen.append(asked(index, dataset, embedder))
            found[engine] = differences(*seen)
    print(json.dumps(found, indent=2))
    return 0


def split(passages: Sequence[EmbeddedPassage]) -> Documents:
    """Every fifth passage is for another reader."""
    documents: dict[DocumentKey, list[EmbeddedPassage]] = {OPEN: [], HIDDEN: []}
    for number, each in enumerate(passages):
        document = OPEN if number % EVERY else HIDDEN
        name, readers = f"{document.document_id}#{number:06d}", () if document is OPEN else ("user:ann",)
        kept = replace(each.passage, document=document, passage_id=name, readers=readers)
        documents[document].append(replace(each, passage=kept))
    return documents


@contextmanager
def embedded(folder: Path, embedder: Embedder, documents: Documents) -> Iterator[PassageIndex]:
    folder.mkdir(parents=True, exist_ok=True)
    index = SqlitePassageIndex(folder / "index.sqlite", embedder.model_id, embedder.dimension)
    for document, passages in documents.items():
        index.replace(document, passages)
    yield index
    index.close()


@contextmanager
def opensearch(url: str, folder: Path, embedder: Embedder, documents: Documents) -> Iterator[PassageIndex]:
    folder.mkdir(parents=True, exist_ok=True)
    with server(url, folder) as served:
        client, name = connect(served, None), f"bench-{uuid4().hex}"
        index = OpenSearchPassageIndex(client, IndexOptions(embedder.model_id, embedder.dimension, given_name=name))
        everything = every_document(CORPUS_BASE)
        index.count(everything)  # Creates the index.
        for document, passages in documents.items():
            row = row_of([each.passage for each in passages])
            if row:
                written = rows(document, 1, passages, row, (), embedder.dimension)
                BulkWriter(client, Retry(attempts=5)).add(name, written)
        while index.count(everything) < sum(map(len, documents.values())):
            time.sleep(0.1)
        yield index
        client.indices.delete(index=f"{name}*")


def asked(index: PassageIndex, dataset: Dataset, embedder: Embedder) -> Seen:
    search = HybridSearch(index, embedder, reranker=LocalReranker(index))
    found = [(each.text, search.retrieve(each.text, ASKER)) for each in dataset.queries]
    return [(each, evidence_quality(text, each)) for text, each in found]


def differences(one: Seen, other: Seen) -> dict[str, int | float]:
    """In how many questions hits, order and confidence differ, and by how much confidence does at most."""
    pairs = list(zip(one, other, strict=True))
    return {
        "questions": len(pairs),
        "lexical": sum(a.hits.lexical != b.hits.lexical for (a, _), (b, _) in pairs),
        "semantic": sum(a.hits.semantic != b.hits.semantic for (a, _), (b, _) in pairs),
        "first ten": sum(_names(a) != _names(b) for (a, _), (b, _) in pairs),
        "confidence, two digits": sum(round(a, 2) != round(b, 2) for (_, a), (_, b) in pairs),
        "first relevance, at most": max(abs(_first(a) - _first(b)) for (a, _), (b, _) in pairs),
        "confidence, at most": max(abs(a - b) for (_, a), (_, b) in pairs),
    }


def _first(found: Retrieval) -> float:
    return (found.passages[0].relevance or 0.0) if found.passages else 0.0


def _names(found: Retrieval) -> list[str]:
    return [each.passage.passage_id for each in found.passages]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
