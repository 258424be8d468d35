"""The learnt heads: linear models of hashed features, read from one file without numpy."""

from __future__ import annotations

import json
import math
import zlib
from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

BUCKET_BITS: Final = 17
_MASK = (1 << BUCKET_BITS) - 1
PACKAGED = Path(__file__).with_name("heads.bin")


class Head(Struct, frozen=True):
    """Scores of some classes. `weights`: for each class, one small integer a bucket; `unit`: the length of a step.

    `exclusive`: one class holds, and their probabilities add up to 1; else each holds or not by itself.
    """

    classes: tuple[str, ...]
    weights: tuple[array[int], ...]
    bias: tuple[float, ...]
    unit: float
    exclusive: bool

    def scores(self, *groups: Collection[int]) -> list[float]:
        """One score a class. Each group of features is normalised by itself."""
        found = list(self.bias)
        for features in groups:
            buckets = {each & _MASK for each in features}
            share = self.unit / math.sqrt(len(buckets)) if buckets else 0.0
            for which, weights in enumerate(self.weights):
                found[which] += share * sum(map(weights.__getitem__, buckets))
        return found

    def probabilities(self, *groups: Collection[int]) -> dict[str, float]:
        """The probability of each class."""
        scores = self.scores(*groups)
        chances = softmax(scores) if self.exclusive else [sigmoid(score) for score in scores]
        return dict(zip(self.classes, chances, strict=True))


class DenseHead(Struct, frozen=True):
    """Scores of classes from a few numbers. `weights`: a row a number."""

    classes: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]

    def scores(self, numbers: Sequence[float]) -> list[float]:
        found = list(self.bias)
        for number, row in zip(numbers, self.weights, strict=True):
            for which, weight in enumerate(row):
                found[which] += number * weight
        return found


class Trees(Struct, frozen=True):
    """Boosted decision trees over a few numbers. A node's left child comes right after it.

    `roots`: the places of the trees' first nodes. For each node, `numbers`: the place of the number that it compares,
    -1 in a leaf; `limits`: up to which the left child follows, in a leaf its score; `right`: the other child's place.
    """

    roots: tuple[int, ...]
    numbers: tuple[int, ...]
    limits: tuple[float, ...]
    right: tuple[int, ...]

    def chance(self, numbers: Sequence[float]) -> float:
        """The probability of what the trees have learnt: their scores add up to its log odds."""
        score = 0.0
        for at in self.roots:
            while (which := self.numbers[at]) >= 0:
                at = at + 1 if numbers[which] <= self.limits[at] else self.right[at]
            score += self.limits[at]
        return sigmoid(score)


class Heads(Struct, frozen=True):
    """All heads by their names. `known`: words that are left unmasked; `common`: words that are no typing errors.

    `strategy`: the strategy from the reading as a whole; `confidence`: whether what was read of one message is right;
    `whole`: whether the whole plan is, after the messages before it. `sure`: from this probability on a plan needs no
    second opinion. `digest`: of the examples that the heads have learnt from.
    """

    heads: Mapping[str, Head]
    known: frozenset[str]
    common: frozenset[str]
    strategy: DenseHead
    confidence: DenseHead
    whole: Trees
    sure: float
    digest: str

    def __getitem__(self, name: str) -> Head:
        return self.heads[name]


def softmax(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    exponentials = [math.exp(score - highest) for score in scores]
    whole = sum(exponentials)
    return [each / whole for each in exponentials]


def sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-score)) if score > -700 else 0.0


@cache
def packaged_heads() -> Heads:
    """The heads that come with CICADA."""
    return load_heads(PACKAGED.read_bytes())


def load_heads(content: bytes) -> Heads:
    """The heads of a file that `dump_heads` wrote."""
    heads, said = read_heads(content)
    return Heads(
        heads=heads,
        known=frozenset(said["known"]),
        common=frozenset(said["common"]),
        strategy=_dense(said["strategy"]),
        confidence=_dense(said["confidence"]),
        whole=Trees(*(tuple(said["whole"][name]) for name in Trees.__struct_fields__)),
        sure=said["sure"],
        digest=said["digest"],
    )


def read_heads(content: bytes) -> tuple[dict[str, Head], Mapping[str, Any]]:
    """The heads by their names, and the file's header with what else its user put there."""
    header, _, body = zlib.decompress(content).partition(b"\n")
    said: Mapping[str, Any] = json.loads(header)
    heads, at = {}, 0
    for name, each in said["heads"].items():
        rows = []
        for _ in each["classes"]:
            rows.append(array("b", body[at : at + _MASK + 1]))
            at += _MASK + 1
        heads[name] = Head(tuple(each["classes"]), tuple(rows), tuple(each["bias"]), each["unit"], each["exclusive"])
    return heads, said


def _dense(said: Mapping[str, Any]) -> DenseHead:
    return DenseHead(tuple(said["classes"]), tuple(map(tuple, said["weights"])), tuple(said["bias"]))


def dump_heads(header: Mapping[str, Any], weights: bytes) -> bytes:
    """The content of a heads' file. `weights`: of the classes of the heads in their order, one byte a bucket."""
    return zlib.compress(json.dumps(header, ensure_ascii=False).encode() + b"\n" + weights, 9)
