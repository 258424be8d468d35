"""Training the planner's word model."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from cicada.knowledge_bases.schema import Schema
from cicada.planning.deterministic.lexicon_compiler import compiled
from cicada.planning.deterministic.sentence import sentence_of
from cicada.planning.deterministic.word_model import SHAPES, word_model
from cicada.planning.plan import Shape
from tools import planner_words
from tools.planner_words.training import Example, load_examples, matrix_of, trained

NOW = date(2026, 5, 20)


def probable(text: str) -> Shape:
    shapes = word_model().probabilities(sentence_of(text, compiled(Schema()), NOW), 2)
    return max(shapes, key=lambda shape: shapes[shape])


def test_the_packaged_model_is_that_of_the_examples() -> None:
    folder = Path(planner_words.__file__).parent
    examples = load_examples(folder / "examples.jsonl")
    target = folder.parents[1] / "layers/shared/python/cicada/planning/deterministic/word_model.json"

    agreed = [probable(example.text) is example.shape for example in examples if not example.values]

    assert target.stat().st_size < 300_000
    assert sum(agreed) / len(agreed) > 0.97


def test_training_learns_what_its_examples_say() -> None:
    texts = ("which rope holds the bell", "sing a song", "open it")
    for shapes in (SHAPES, tuple(reversed(SHAPES))):
        examples = [Example(text=text, shape=shape) for text, shape in zip(texts, shapes, strict=True)]
        scores = matrix_of(examples) @ trained(examples).rows.T
        assert [SHAPES[row.argmax()] for row in scores] == list(shapes)
