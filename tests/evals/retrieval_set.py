"""A tiny retrieval set, and an encoder for it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from cicada.knowledge_bases.settings import MultiVector
from cicada.retrieval.model import EncodedQuery, Vector
from cicada.retrieval.rerank.multivector import Kind, Rows, pack

CORPUS = {
    "queen": ("Act 5", "The queen, my lord, is dead."),
    "dagger": ("Act 2", "Is this a dagger which I see before me?"),
    "witches": ("Act 1", "When shall we three meet again?"),
    "banquo": ("Act 3", "Banquo was murdered on the road."),
}
QUERIES = {"q1": "Is the queen dead?", "q2": "Who sees a dagger?", "q3": "Who was murdered?"}
JUDGEMENTS = [("q1", "queen", 2), ("q1", "witches", 0), ("q2", "dagger", 1), ("q3", "banquo", 1)]


def write_set(folder: Path, gzipped: bool = False, qrels: str = "qrels.tsv") -> Path:
    folder.mkdir(exist_ok=True)
    rows = [{"_id": key, "title": title, "text": text} for key, (title, text) in CORPUS.items()]
    _write(folder / "corpus.jsonl", rows, gzipped)
    _write(folder / "queries.jsonl", [{"_id": key, "text": text} for key, text in QUERIES.items()], gzipped)
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, each)) for each in JUDGEMENTS)]
    (folder / qrels).parent.mkdir(exist_ok=True)
    (folder / qrels).write_text("\n".join(lines) + "\n")
    return folder


def _write(path: Path, rows: Sequence[object], gzipped: bool) -> None:
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    if gzipped:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


class LetterEncoder:
    """Counts of letters as the vector, and one row of them as the multivector; records how often it was called."""

    model_id = "letters"
    dimension = 26

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_query(self, text: str) -> Vector:
        return self.encode_query(text).vector

    def encode_query(self, text: str) -> EncodedQuery:
        return EncodedQuery(text, self._vector(text), pack(Rows(Kind.QUERY, 26, self._row(text), (1.0,))))

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def embed_passages_with_multivectors(
        self, texts: Sequence[str], multivector: MultiVector
    ) -> list[tuple[Vector, bytes]]:
        kept = [
            b"" if multivector is MultiVector.NONE else pack(Rows(Kind.TOKENS, 26, self._row(text))) for text in texts
        ]
        return [(self._vector(text), each) for text, each in zip(texts, kept, strict=True)]

    def _vector(self, text: str) -> Vector:
        self.texts.append(text)
        return [float(value) for value in self._row(text)]

    def _row(self, text: str) -> bytes:
        return bytes(1 + 10 * text.lower().count(chr(97 + number)) for number in range(26))
