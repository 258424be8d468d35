"""A text's multivector from a forward pass."""

from collections.abc import Callable, Mapping

import numpy as np
from tokenizers import Encoding

from local.bedrock.embedder import MultiVector, TextMultiVector, Vectors
from local.bedrock.token_space import in_bytes, rarity, token_space

WINDOW_WORDS = 25


def describe(multivector: MultiVector, tokens: Vectors, encoding: Encoding) -> TextMultiVector:
    """`tokens`: the last layer's vectors of one text."""
    return _DETAILS[multivector](tokens, encoding)


def pieces(encoding: Encoding) -> list[bool]:
    """A mask of the tokens that are word pieces, not the model's start and end marks."""
    return [word is not None for word in encoding.word_ids]


def _tokens(tokens: Vectors, encoding: Encoding) -> TextMultiVector:
    are_pieces = pieces(encoding)
    weights = [rarity(piece) for piece, is_piece in zip(encoding.ids, are_pieces, strict=True) if is_piece]
    return TextMultiVector(token_space().rows(tokens[are_pieces]), np.array(weights, np.float32))


def _windows(tokens: Vectors, encoding: Encoding) -> TextMultiVector:
    """The mean over each run of words, as the text's own vector is the mean over all."""
    numbers = np.array([-1 if word is None else word // WINDOW_WORDS for word in encoding.word_ids])
    runs = [tokens[numbers == number].mean(axis=0) for number in np.unique(numbers[numbers >= 0])]
    rows = np.array(runs, np.float32).reshape(-1, tokens.shape[1])
    return TextMultiVector(in_bytes(rows), np.ones(len(runs), np.float32))


_DETAILS: Mapping[MultiVector, Callable[[Vectors, Encoding], TextMultiVector]] = {
    MultiVector.TOKENS: _tokens,
    MultiVector.WINDOWS: _windows,
}
