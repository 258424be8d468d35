"""The space of token vectors: the mean is subtracted, and 128 of 384 directions are kept.

Mean and principal directions come from random words of the model's own vocabulary and not from any corpus: an encoder
does not know what it will embed, and the vectors in an index must stay comparable. They are stored in a file, because
recomputed principal directions differ between machines. `python -m local.bedrock.principal_space` writes the file
again.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from local.bedrock.embedder import Bytes, Vectors

FILE = Path(__file__).with_name("token_space.npy")
# The first whole word of the vocabulary, which lists words by frequency; before it are single characters.
FIRST_WORD = 1996


@dataclass(frozen=True, slots=True)
class TokenSpace:
    """`directions`: one column each."""

    mean: Vectors
    directions: Vectors

    def rows(self, tokens: Vectors) -> Bytes:
        """Tokens' vectors in this space, each row scaled by itself."""
        return in_bytes(np.asarray((tokens - self.mean) @ self.directions))


@cache
def token_space() -> TokenSpace:
    rows = np.load(FILE).astype(np.float32)
    return TokenSpace(rows[0], np.ascontiguousarray(rows[1:].T))


def in_bytes(vectors: Vectors) -> Bytes:
    """Rows as 8-bit integers: only their directions matter."""
    greatest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9)
    return np.asarray(np.rint(vectors * (127 / greatest)), dtype=np.int8)


def rarity(piece: int) -> float:
    """The square root of a word piece's inverse document frequency, from its position in the vocabulary.

    The vocabulary is in the order of frequency, and by Zipf's law frequency falls as 1 / rank, so that ln(rank) is the
    inverse document frequency up to a constant.
    """
    return math.sqrt(math.log(1 + max(piece - FIRST_WORD + 6, 1) / 10))
