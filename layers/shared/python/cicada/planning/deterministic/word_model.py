"""A small linear model for messages without conditions: a question on content, another matter, or one unclear.

Its features are words, the sentence's skeleton (grammar kept, words of content replaced) and a few counts, hashed; the
weights are eight-bit numbers. `python -m tools.planner_words` trains it from labelled examples.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from cicada.planning.deterministic.sentence import Sentence
from cicada.planning.plan import Shape

BUCKETS = 1 << 14
SHAPES = (Shape.CONTENT_ONLY, Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION)
_MOST_WORDS = 60


class WordModel(Struct, frozen=True):
    """`weights`: for each shape, one signed byte per bucket; `scale`: what one unit of a byte is worth."""

    weights: Mapping[Shape, memoryview]
    scale: float

    def probabilities(self, sentence: Sentence, rest: int) -> dict[Shape, float]:
        """How probable each shape is. `rest`: how many words of content there are."""
        active = buckets(sentence, rest)
        norm = self.scale / math.sqrt(max(1, len(active)))
        scores = {shape: norm * sum(row[i] for i in active) for shape, row in self.weights.items()}
        highest = max(scores.values())
        powers = {shape: math.exp(score - highest) for shape, score in scores.items()}
        total = sum(powers.values())
        return {shape: power / total for shape, power in powers.items()}


@lru_cache(maxsize=1)
def word_model() -> WordModel:
    """The model that is packaged with the library."""
    data = json.loads(Path(__file__).with_name("word_model.json").read_text("utf-8"))
    rows = {shape: memoryview(zlib.decompress(base64.b64decode(data["weights"][shape]))).cast("b") for shape in SHAPES}
    return WordModel(rows, float(data["scale"]))


def buckets(sentence: Sentence, rest: int) -> list[int]:
    """The buckets of the message's features."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in features(sentence, rest)})


def features(sentence: Sentence, rest: int) -> Iterator[str]:
    """Words, pairs of words, the skeleton's runs of three, and counts."""
    words = [token.text for token in sentence.tokens[:_MOST_WORDS]]
    shapes = [_shape(sentence, at) for at in range(len(words))]
    padded = ["^", *words, "$"]
    skeleton = ["^", *shapes, "$"]
    for word, shape in zip(words, shapes, strict=True):
        yield f"w:{word}"
        if shape in {"X", "C"}:
            yield f"p:{word[:4]}"
            yield f"s:{word[-3:]}"
    for i in range(len(padded) - 1):
        yield f"b:{padded[i]} {padded[i + 1]}"
        yield f"k:{skeleton[i]} {skeleton[i + 1]}"
        yield "t:" + " ".join(skeleton[i : i + 3])
    yield f"first:{' '.join(shapes[:2])}"
    yield f"n:{min(len(words), 12)}"
    yield f"rest:{min(rest, 6)}"
    yield f"values:{min(len(sentence.spans), 2)}"
    yield f"question:{'?' in words}"
    yield f"dates:{bool(sentence.dates)}"


def _shape(sentence: Sentence, at: int) -> str:
    if at in sentence.taken:
        return "V"
    if not sentence.unknown(at) or sentence.is_in(at, "vague", "actions"):
        return sentence.word(at)
    if at > 0 and sentence.tokens[at].is_capitalised:
        return "C"
    return "X"
