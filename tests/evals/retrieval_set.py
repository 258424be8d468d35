"""A tiny retrieval set, and an encoder for it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from cicada.retrieval.model import Vector

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
    """Counts of letters as the vector; records what it was asked."""

    model_id = "letters"
    dimension = 26

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        self.texts.append(text)
        return [float(1 + 10 * text.lower().count(chr(97 + number))) for number in range(26)]
