"""The trained model: weights of hashed features, read from its file without numpy."""

from __future__ import annotations

import json
import math
import zlib
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from cicada.planning.intent.concepts import Lexicon, lexicon
from cicada.planning.intent.features import features
from cicada.planning.intent.reading import read
from cicada.planning.model import Intent

PACKAGED = Path(__file__).with_name("model.bin")
BUCKET_BITS = 19
# The last intent's scores are zero: a softmax knows differences only.
SCORED = (Intent.SCRIPT_QUERY, Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST)
INTERROGATIVES = frozenset({"who", "what", "when", "where", "why", "how", "howmany"})
_MASK = (1 << 32) - 1


def bucket(hashed: int, group: int) -> int:
    """Where the weights of a feature are; features of different groups with one hash are apart."""
    mixed = (hashed ^ group * 0x5BD1E995) * 0x9E3779B1 & _MASK
    return (mixed ^ mixed >> 15) * 0x85EBCA6B >> 32 - BUCKET_BITS & (1 << BUCKET_BITS) - 1


class LinearModel(Struct, frozen=True):
    """`weights`: for each scored intent, one small integer a bucket. `units`: of one step in each group of features.

    `threshold`: from this probability on, the model decides alone. `digest`: of the examples it was trained from.
    `interrogatives`: the numbers of the concepts of question words.
    """

    weights: tuple[array[int], ...]
    bias: tuple[float, ...]
    units: tuple[float, ...]
    temperature: float
    threshold: float
    frequent: frozenset[str]
    lexicon: Lexicon
    digest: str
    interrogatives: frozenset[int] = frozenset()

    def probabilities(self, message: str) -> dict[Intent, float]:
        """The calibrated probability of each intent."""
        scores = dict(zip((*SCORED, Intent.GENERAL), (*self._scores(message), 0.0), strict=True))
        highest = max(scores.values())
        exponentials = {intent: math.exp((score - highest) / self.temperature) for intent, score in scores.items()}
        total = sum(exponentials.values())
        return {intent: share / total for intent, share in exponentials.items()}

    def asks(self, message: str) -> bool:
        """Whether the message has a question mark, or asks who, what, when, where, why, how or how many.

        "How do I …" asks about the app. Elsewhere than at the beginning these words are often relative pronouns, but
        not in the languages of ideographs, where a question word stands in the place of what it asks for.
        """
        reading = read(message)
        if "?" in reading.unquoted:
            return True
        steps = self.lexicon.steps(reading.unquoted, reading.is_ideographic)
        asking = steps if reading.is_ideographic else steps[:1]
        return any(self.interrogatives.intersection(step) for step in asking)

    def _scores(self, message: str) -> list[float]:
        scores = list(self.bias)
        groups = features(message, self.lexicon, self.frequent)
        for group, (hashes, unit) in enumerate(zip(groups, self.units, strict=True)):
            buckets = self._known({bucket(hashed, group) for hashed in hashes})
            if buckets:
                share = unit / math.sqrt(len(buckets))
                for which, weights in enumerate(self.weights):
                    scores[which] += share * sum(map(weights.__getitem__, buckets))
        return scores

    def _known(self, buckets: Iterable[int]) -> list[int]:
        """Those that features of the examples are in."""
        first, second, third = self.weights
        return [each for each in buckets if first[each] or second[each] or third[each]]


def load_model(path: Path = PACKAGED) -> LinearModel:
    """Reads a file that `dump` wrote."""
    header, _, body = zlib.decompress(path.read_bytes()).partition(b"\n")
    said: dict[str, Any] = json.loads(header)
    size = 1 << BUCKET_BITS
    weights = tuple(array("b", body[which * size : (which + 1) * size]) for which in range(len(SCORED)))
    return LinearModel(
        weights,
        tuple(said["bias"]),
        tuple(said["units"]),
        said["temperature"],
        said["threshold"],
        frozenset(said["frequent"]),
        lexicon(said["concepts"].values()),
        said["digest"],
        frozenset(number for number, name in enumerate(said["concepts"], start=1) if name in INTERROGATIVES),
    )


def dump(header: Mapping[str, object], weights: bytes) -> bytes:
    """The content of a model file; `weights` are the scored intents' one after the other."""
    return zlib.compress(json.dumps(header, ensure_ascii=False).encode() + b"\n" + weights, 9)
