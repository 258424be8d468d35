"""Multinomial logistic regression over the word model's features, with numpy."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.deterministic.constraints.reading import read_constraints
from cicada.planning.deterministic.lexicon import Lexicon
from cicada.planning.deterministic.lexicon_compiler import compiled
from cicada.planning.deterministic.residue import residue
from cicada.planning.deterministic.sentence import sentence_of
from cicada.planning.deterministic.word_model import BUCKETS, SHAPES, buckets
from cicada.planning.plan import Shape

_ROUNDS = 150
_RATE = 0.05
_DECAY = 1e-4
_LARGEST = 127
_NOW = date(2025, 1, 1)


class Example(BaseModel):
    """A message without conditions and its shape. `values`: words of it that are values of its base's schema."""

    text: str = Field(min_length=1)
    shape: Shape
    author: str = ""
    values: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Weights:
    """One row of weights for each shape."""

    rows: NDArray[np.float32]


def load_examples(path: Path) -> list[Example]:
    """The examples of a JSONL file."""
    return [Example.model_validate_json(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def trained(examples: Sequence[Example]) -> Weights:
    """Weights that minimise the cross-entropy; shapes count alike, however many examples they have."""
    matrix = matrix_of(examples)
    used = np.flatnonzero(matrix.any(axis=0))
    labels = np.array([SHAPES.index(example.shape) for example in examples])
    shares = np.bincount(labels, minlength=len(SHAPES)) / len(labels)
    weight = ((1 / np.maximum(shares, 1e-6))[labels][:, None] / len(SHAPES)).astype(np.float32)
    wanted = np.eye(len(SHAPES), dtype=np.float32)[labels]
    rows = np.zeros((len(SHAPES), BUCKETS), dtype=np.float32)
    rows[:, used] = _fitted(matrix[:, used], wanted, weight)
    return Weights(rows)


def _fitted(
    matrix: NDArray[np.float32], wanted: NDArray[np.float32], weight: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Adam on all examples at once."""
    rows = np.zeros((len(SHAPES), matrix.shape[1]), dtype=np.float32)
    momentum: NDArray[np.float32] = np.zeros_like(rows)
    variance: NDArray[np.float32] = np.zeros_like(rows)
    for number in range(1, _ROUNDS + 1):
        error = weight * (_softmax(matrix @ rows.T) - wanted)
        gradient = error.T @ matrix / np.float32(len(matrix)) + np.float32(_DECAY) * rows
        momentum = (0.9 * momentum + 0.1 * gradient).astype(np.float32)
        variance = (0.999 * variance + 0.001 * gradient**2).astype(np.float32)
        step = momentum / (1 - 0.9**number) / (np.sqrt(variance / (1 - 0.999**number)) + 1e-8)
        rows = (rows - _RATE * step).astype(np.float32)
    return rows


def written(weights: Weights) -> str:
    """The model's file."""
    scale = float(np.abs(weights.rows).max()) / _LARGEST
    rows = np.round(weights.rows / scale).astype(np.int8)
    packed = {
        shape.value: base64.b64encode(zlib.compress(row.tobytes(), 9)).decode()
        for shape, row in zip(SHAPES, rows, strict=True)
    }
    return json.dumps({"scale": round(scale, 8), "weights": packed}, indent=1) + "\n"


def matrix_of(examples: Sequence[Example]) -> NDArray[np.float32]:
    """One row for each example: its features, each 1 divided by the root of their number."""
    matrix = np.zeros((len(examples), BUCKETS), dtype=np.float32)
    for row, example in zip(matrix, examples, strict=True):
        active = _buckets(example)
        row[active] = 1 / np.sqrt(max(1, len(active)))
    return matrix


def _buckets(example: Example) -> list[int]:
    sentence = sentence_of(example.text, _lexicon(example.values), _NOW)
    found = read_constraints(sentence, _NOW)
    return buckets(sentence, len(residue(sentence, found)))


def _lexicon(values: Sequence[str]) -> Lexicon:
    fields = {
        "words": SchemaField("words", FieldType.KEYWORDS, tuple(values)),
        "date": SchemaField("date", FieldType.DATE),
    }
    return compiled(Schema(fields))


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    powers: NDArray[np.float32] = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = powers / powers.sum(axis=1, keepdims=True)
    return shares
