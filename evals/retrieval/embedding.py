"""Embedding for measurements: the production embedder over the Bedrock wire, with a cache.

Each text is embedded once for all runs.
"""

import hashlib
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from cicada.retrieval.model import Vector
from cicada.retrieval.ports import Embedder
from evals.retrieval.standin import DIMENSION, MODEL_ID, Say, Standin
from local.stage.settings import ROOT

CACHE = ROOT / ".build" / "eval-cache"
# Texts a call, which is also the most that an interrupted run loses.
BATCH = 64
# The stored vectors depend on this besides the texts.
_ENCODER = ("local/bedrock/embedder.py", "local/bedrock/minilm.py", "local/model-requirements.txt")


@contextmanager
def local_embedder(say: Say, cache: Path = CACHE) -> Iterator["CachedEmbedder"]:
    """The local stage's encoder. It is started at the first cache miss."""
    cache.mkdir(parents=True, exist_ok=True)
    standin = Standin(say, cache)
    try:
        with closing(CachedEmbedder(cache / f"{_encoder_version()}.sqlite", standin.embedder, say)) as embedder:
            yield embedder
    finally:
        standin.stop()


class CachedEmbedder:
    """An `Embedder` with a cache in a file, keyed by the texts' hashes."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def __init__(self, path: Path, embedder: Callable[[], Embedder], say: Say) -> None:
        self._embedder = embedder
        self._say = say
        self._file = sqlite3.connect(path)
        self._file.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB)")

    def embed_query(self, text: str) -> Vector:
        key = _key("query", text)
        found = self._cached(key)
        if found is None:
            found = self._embedder().embed_query(text)
            self._keep([(key, found)])
        return found

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        keys = [_key("passage", text) for text in texts]
        missing = list({key: position for position, key in enumerate(keys) if not self._has(key)}.values())
        # Batched by length: a batch takes as long as its longest text.
        missing.sort(key=lambda position: len(texts[position]))
        for start_at in range(0, len(missing), BATCH):
            positions = missing[start_at : start_at + BATCH]
            made = self._embedder().embed_passages([texts[position] for position in positions])
            self._keep([(keys[position], each) for position, each in zip(positions, made, strict=True)])
            self._say(f"  {min(start_at + BATCH, len(missing)):,} of {len(missing):,} passages embedded")
        found = [self._cached(key) for key in keys]
        return [each for each in found if each is not None]

    def close(self) -> None:
        self._file.close()

    def _has(self, key: bytes) -> bool:
        return self._file.execute("SELECT 1 FROM kept WHERE key = ?", (key,)).fetchone() is not None

    def _cached(self, key: bytes) -> Vector | None:
        row = self._file.execute("SELECT vector FROM kept WHERE key = ?", (key,)).fetchone()
        return array("f", row[0]) if row else None

    def _keep(self, rows: Sequence[tuple[bytes, Vector]]) -> None:
        with self._file:
            self._file.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?)",
                [(key, array("f", vector).tobytes()) for key, vector in rows],
            )


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\n{text}".encode()).digest()


def _encoder_version() -> str:
    return hashlib.sha256(b"".join((ROOT / path).read_bytes() for path in _ENCODER)).hexdigest()[:16]
