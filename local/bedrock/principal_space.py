"""Writes the file of the token space: `python -m local.bedrock.principal_space`."""

import numpy as np

from local.bedrock.embedder import Vectors
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.token_space import FILE, FIRST_WORD, TokenSpace

DIMENSIONS = 128
TEXTS, WORDS, SEED = 400, 40, 1


def main() -> None:
    model = MiniLM.load(model_folder())
    space = principal_space(model.tokens(random_texts(model.vocabulary)))
    np.save(FILE, np.concatenate([space.mean[None], space.directions.T]).astype(np.float16))


def principal_space(tokens: Vectors) -> TokenSpace:
    """The mean of the tokens' vectors, and their principal directions."""
    mean = tokens.mean(axis=0)
    centred = tokens - mean
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return TokenSpace(mean, np.ascontiguousarray(directions[:, ::-1][:, :DIMENSIONS]))


def random_texts(vocabulary: dict[str, int]) -> list[str]:
    """Texts of words drawn uniformly from the vocabulary."""
    by_number = sorted(vocabulary, key=vocabulary.__getitem__)
    words = [word for word in by_number[FIRST_WORD:] if word.isascii() and not word.startswith("##")]
    draw = np.random.default_rng(SEED)
    return [" ".join(draw.choice(words, WORDS)) for _ in range(TEXTS)]


if __name__ == "__main__":
    main()
