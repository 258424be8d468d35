"""Embedding of texts: the port, its values, the embedder for unit tests, and loading in the background."""

import hashlib
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from local.bedrock.wire import WireError

Vectors = npt.NDArray[np.float32]


class EmbedderUnavailableError(WireError):
    """The embedder cannot be loaded; the message says what to install or replace."""

    def __init__(self, message: str) -> None:
        super().__init__("ServiceUnavailableException", message)


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Pooled vectors before normalisation, one row a text, and how many tokens each text had."""

    vectors: Vectors
    token_counts: tuple[int, ...]

    def unit(self) -> Vectors:
        """The rows at length one; a row of zeros stays zero."""
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return np.asarray(self.vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


class Embedder(Protocol):
    """Turns texts into vectors of a fixed length. Implementations are thread-safe."""

    @property
    def name(self) -> str: ...

    @property
    def state(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Embeddings: ...


class HashEmbedder:
    """Hashed words and character trigrams: deterministic and instant, for unit tests only (it knows no meaning)."""

    name = "hash"
    state = "ready"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> Embeddings:
        pieces = [_pieces(text) for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, found in enumerate(pieces):
            for piece in found:
                digest = hashlib.blake2b(piece.encode(), digest_size=8).digest()
                vectors[row, int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0 if digest[4] & 1 else -1.0
        return Embeddings(vectors, tuple(len(text.split()) for text in texts))


def _pieces(text: str) -> list[str]:
    words = re.findall(r"\w+", text.lower())
    return words + [f"#{word[i : i + 3]}" for word in words for i in range(len(word) - 2)]


class BackgroundEmbedder:
    """Loads an embedder in the background; an early caller waits for it, and gets its error."""

    def __init__(self, name: str, load: Callable[[], Embedder]) -> None:
        self.name = name
        self._loaded = ThreadPoolExecutor(max_workers=1, thread_name_prefix="load-embedder").submit(load)

    @property
    def state(self) -> str:
        """`loading`, `ready`, or why it failed."""
        if not self._loaded.done():
            return "loading"
        failure = self._loaded.exception()
        return str(failure) if failure else "ready"

    def embed(self, texts: Sequence[str]) -> Embeddings:
        return self._loaded.result().embed(texts)
