"""A seeded synthetic corpus with the statistics of a real one: words by Zipf's law, topics, clustered vectors."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
DIMENSION = 384
CHUNKS_OF_A_DOCUMENT = 20
NARROW_DOCUMENTS = 500
QUESTIONS = 200

# Real text has more distinct words than two plays: the long tail is made of pairs of their words.
_VOCABULARY = 60_000
_TOPICS = 400
_TOPIC_WORDS = 150
_LENGTH, _LENGTH_SPREAD = 110, 40
_FUNCTION_WORDS = ("what", "is", "the", "of", "how", "does", "in", "and", "who", "for")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunk n belongs to document n // 20. `vectors` have length 1."""

    texts: list[str]
    vectors: NDArray[np.float32]
    questions: list[Question]

    @property
    def documents(self) -> int:
        return len(self.texts) // CHUNKS_OF_A_DOCUMENT

    def narrow(self) -> list[int]:
        """500 documents, spread evenly; all of a smaller corpus."""
        chosen = np.linspace(0, self.documents - 1, min(NARROW_DOCUMENTS, self.documents))
        return [int(number) for number in chosen]


def made(chunks: int, seed: int = 7) -> Corpus:
    """A corpus of whole documents: `chunks` rounded down to a multiple of 20."""
    rng = np.random.default_rng(seed)
    chunks -= chunks % CHUNKS_OF_A_DOCUMENT
    words = np.array(_vocabulary(rng), dtype=object)
    likelihood = 1 / (np.arange(len(words)) + 2.7)
    likelihood /= likelihood.sum()
    # Uniform in the logarithm: as many of a topic's words are among the thousand most frequent as among the rest.
    topics = np.exp(rng.uniform(np.log(60), np.log(len(words)), (_TOPICS, _TOPIC_WORDS))).astype(int)
    topic_of = np.repeat(rng.integers(0, _TOPICS, chunks // CHUNKS_OF_A_DOCUMENT), CHUNKS_OF_A_DOCUMENT)
    texts = list(_texts(rng, words, likelihood, topics, topic_of))
    centres = rng.standard_normal((_TOPICS, DIMENSION), np.float32)
    vectors = _unit(centres[topic_of] + rng.standard_normal((chunks, DIMENSION), np.float32))
    questions = [_question(rng, words, topics, topic_of, vectors) for _ in range(QUESTIONS)]
    return Corpus(texts, vectors, questions)


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Words of the sample plays, the most frequent first, and then pairs of them."""
    counted: Counter[str] = Counter()
    for play in sorted((ROOT / "samples").glob("*.json")):
        for message in json.loads(play.read_text("utf-8")).get("messages", []):
            counted.update(re.findall(r"[a-z]+", message.get("textENG", "").lower()))
    words = [word for word, _ in counted.most_common()]
    first, second = rng.choice(words, (2, _VOCABULARY))
    return list(dict.fromkeys([*words, *(a + b for a, b in zip(first, second, strict=True))]))[:_VOCABULARY]


def _texts(
    rng: np.random.Generator,
    words: NDArray[np.object_],
    likelihood: NDArray[np.float64],
    topics: NDArray[np.int64],
    topic_of: NDArray[np.int64],
) -> Iterator[str]:
    lengths = np.maximum(20, rng.normal(_LENGTH, _LENGTH_SPREAD, len(topic_of)).astype(int))
    common = rng.choice(len(words), int(lengths.sum()), p=likelihood)
    start = 0
    for length, topic in zip(lengths.tolist(), topic_of, strict=True):
        picked = common[start : start + length]
        own = rng.random(length) < 0.3
        picked[own] = rng.choice(topics[topic], int(own.sum()))
        yield " ".join(words[picked])
        start += length


def _question(
    rng: np.random.Generator,
    words: NDArray[np.object_],
    topics: NDArray[np.int64],
    topic_of: NDArray[np.int64],
    vectors: NDArray[np.float32],
) -> Question:
    """Three function words, two common ones, three of a chunk's topic, and a vector near that chunk's."""
    chunk = rng.integers(len(topic_of))
    picked = [*rng.integers(40, 2000, 2), *rng.choice(topics[topic_of[chunk]], 3)]
    text = " ".join([*rng.choice(_FUNCTION_WORDS, 3), *words[picked]])
    near = vectors[chunk] + 0.05 * rng.standard_normal(DIMENSION, np.float32)
    return Question(text, _unit(near[None])[0])


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
