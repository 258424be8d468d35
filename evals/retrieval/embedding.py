"""Embedding for measurements: the production embedder over the Bedrock wire, with a cache, so that each text is
embedded once for all runs.
"""

import hashlib
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from cicada.knowledge_bases.settings import MultiVector
from cicada.retrieval.model import EncodedQuery, Vector
from cicada.retrieval.ports import MultiVectorEmbedder
from evals.retrieval.standin import DIMENSION, MODEL_ID, Say, Standin
from local.stage.settings import ROOT

CACHE = ROOT / ".build" / "eval-cache"
# Texts a call, which is also the most that an interrupted run loses.
BATCH = 64
# The stored vectors depend on this besides the texts.
_ENCODER = (
    "local/bedrock/embedder.py",
    "local/bedrock/minilm.py",
    "local/bedrock/text_multivector.py",
    "local/bedrock/token_space.py",
    "local/bedrock/token_space.npy",
    "local/model-requirements.txt",
)


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
    """A `MultiVectorEmbedder` with a cache in a file, keyed by the texts' hashes."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def __init__(self, path: Path, embedder: Callable[[], MultiVectorEmbedder], say: Say) -> None:
        self._embedder = embedder
        self._say = say
        self._file = sqlite3.connect(path)
        self._file.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB, detail BLOB)")

    def embed_query(self, text: str) -> Vector:
        return self.encode_query(text).vector

    def encode_query(self, text: str) -> EncodedQuery:
        key = _key("query", text)
        found = self._cached(key)
        if found is None:
            encoded = self._embedder().encode_query(text)
            found = (encoded.vector, encoded.multivector)
            self._keep([(key, *found)])
        return EncodedQuery(text, *found)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [vector for vector, _ in self.embed_passages_with_multivectors(texts, MultiVector.NONE)]

    def embed_passages_with_multivectors(
        self, texts: Sequence[str], multivector: MultiVector
    ) -> list[tuple[Vector, bytes]]:
        """The pooled vectors do not depend on the multivector: where none is asked for, a cached vector with any
        multivector will do.
        """
        if multivector is MultiVector.NONE:
            for other in MultiVector:
                if all(self._has(_key(other, text)) for text in texts):
                    return [(vector, b"") for vector, _ in self._encoded(texts, other)]
        return self._encoded(texts, multivector)

    def _encoded(self, texts: Sequence[str], multivector: MultiVector) -> list[tuple[Vector, bytes]]:
        keys = [_key(multivector, text) for text in texts]
        missing = list({key: position for position, key in enumerate(keys) if not self._has(key)}.values())
        # Batched by length: a batch takes as long as its longest text.
        missing.sort(key=lambda position: len(texts[position]))
        for start_at in range(0, len(missing), BATCH):
            positions = missing[start_at : start_at + BATCH]
            made = self._embedder().embed_passages_with_multivectors(
                [texts[position] for position in positions], multivector
            )
            self._keep([(keys[position], *each) for position, each in zip(positions, made, strict=True)])
            self._say(f"  {min(start_at + BATCH, len(missing)):,} of {len(missing):,} passages embedded")
        found = [self._cached(key) for key in keys]
        return [each for each in found if each is not None]

    def close(self) -> None:
        self._file.close()

    def _has(self, key: bytes) -> bool:
        return self._file.execute("SELECT 1 FROM kept WHERE key = ?", (key,)).fetchone() is not None

    def _cached(self, key: bytes) -> tuple[Vector, bytes] | None:
        row = self._file.execute("SELECT vector, detail FROM kept WHERE key = ?", (key,)).fetchone()
        return (array("f", row[0]), row[1]) if row else None

    def _keep(self, rows: Sequence[tuple[bytes, Vector, bytes]]) -> None:
        values = [(key, array("f", vector).tobytes(), multivector) for key, vector, multivector in rows]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", values)


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\n{text}".encode()).digest()


def _encoder_version() -> str:
    return hashlib.sha256(b"".join((ROOT / path).read_bytes() for path in _ENCODER)).hexdigest()[:16]
