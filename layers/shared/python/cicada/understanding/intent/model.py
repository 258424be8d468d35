"""The intent of a message, with its probability, by a linear model whose file is read without numpy."""

from __future__ import annotations

import json
import math
import zlib
from array import array
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from cicada.understanding.intent.features import Lexicon, features, lexicon
from cicada.understanding.intent.reading import read
from cicada.understanding.plan import Intent

BUCKET_BITS = 19
_BUCKETS = 1 << BUCKET_BITS
_MASK = (1 << 32) - 1

Header: TypeAlias = Mapping[str, Any]
PACKAGED = Path(__file__).with_name("model.bin")
# The last intent's scores are zero: a softmax knows differences only.
SCORED = (Intent.SCRIPT_QUERY, Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST)
INTERROGATIVES = frozenset({"who", "what", "when", "where", "why", "how", "howmany"})


def bucket(hashed: int, group: int) -> int:
    """Where the weights of a feature are; features of different groups with one hash are apart."""
    mixed = (hashed ^ group * 0x5BD1E995) * 0x9E3779B1 & _MASK
    return (mixed ^ mixed >> 15) * 0x85EBCA6B >> 32 - BUCKET_BITS & _BUCKETS - 1


class LinearModel(Struct, frozen=True):
    """`weights`: for each score, one small integer a bucket. `units`: of one step in each group of features.

    `known`: for each bucket whether features of the examples are in it, 0 if not.
    """

    weights: tuple[array[int], ...]
    known: bytes
    bias: tuple[float, ...]
    units: tuple[float, ...]
    frequent: frozenset[str]
    lexicon: Lexicon

    def scores(self, message: str) -> list[float]:
        """One score for each class of `bias`."""
        scores = list(self.bias)
        groups = features(message, self.lexicon, self.frequent)
        for group, (hashes, unit) in enumerate(zip(groups, self.units, strict=True)):
            buckets = [each for each in {bucket(hashed, group) for hashed in hashes} if self.known[each]]
            if buckets:
                share = unit / math.sqrt(len(buckets))
                for which, weights in enumerate(self.weights):
                    scores[which] += share * sum(map(weights.__getitem__, buckets))
        return scores


def load_linear(path: Path) -> tuple[LinearModel, Header]:
    """Reads a file that `dump` wrote: the model, and the header with what else its user put there."""
    header, _, body = zlib.decompress(path.read_bytes()).partition(b"\n")
    said: Header = json.loads(header)
    rows = [body[start : start + _BUCKETS] for start in range(0, len(body), _BUCKETS)]
    model = LinearModel(
        tuple(array("b", row) for row in rows),
        _any_of(rows),
        tuple(said["bias"]),
        tuple(said["units"]),
        frozenset(said["frequent"]),
        lexicon(said["concepts"].values()),
    )
    return model, said


def _any_of(rows: Iterable[bytes]) -> bytes:
    """Bytes that are 0 where all rows are. Long integers make it a matter of microseconds."""
    return reduce(or_, (int.from_bytes(row, "little") for row in rows)).to_bytes(_BUCKETS, "little")


def dump(header: Header, weights: bytes) -> bytes:
    """The content of a model file.

    `header` has `bias`, `units`, `frequent` and `concepts`; `weights` are those of the scores one after the other.
    """
    return zlib.compress(json.dumps(header, ensure_ascii=False).encode() + b"\n" + weights, 9)


class IntentModel(Struct, frozen=True):
    """`linear` gives the scores of the intents in `SCORED`.

    `threshold`: from this probability on, the model decides alone. `digest`: of the examples it was trained from.
    `interrogatives`: the numbers of the concepts of question words.
    """

    linear: LinearModel
    temperature: float
    threshold: float
    digest: str
    interrogatives: frozenset[int] = frozenset()

    def probabilities(self, message: str) -> dict[Intent, float]:
        """The calibrated probability of each intent."""
        scores = dict(zip((*SCORED, Intent.GENERAL), (*self.linear.scores(message), 0.0), strict=True))
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
        steps = self.linear.lexicon.steps(reading.unquoted, reading.is_ideographic)
        asking = steps if reading.is_ideographic else steps[:1]
        return any(self.interrogatives.intersection(step) for step in asking)


def load_model(path: Path = PACKAGED) -> IntentModel:
    """Reads the model's file."""
    linear, said = load_linear(path)
    asking = frozenset(number for number, name in enumerate(said["concepts"], start=1) if name in INTERROGATIVES)
    return IntentModel(linear, said["temperature"], said["threshold"], said["digest"], asking)
