"""Training: that the packaged model is the examples', and what a model learns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cicada.errors import ConfigurationError
from cicada.planning.intent.concepts import lexicon
from cicada.planning.intent.linear import PACKAGED, load_model
from cicada.planning.model import Intent
from intents.examples import Example, add_example, digest, load_concepts, load_examples
from intents.logistic import Sparse, probabilities, train
from intents.model_file import threshold
from intents.training import fit, right, rows_of, unseen_scores

CONCEPTS = {
    "save": {"en": ["save", "remember"], "de": ["merk*"], "ja": ["保存"]},
    "card": {"en": ["card"], "de": ["karte"]},
}


def message(text: str, intent: Intent, author: str = "a") -> Example:
    return Example(text=text, intent=intent, author=author, language="en")


LESSONS = [
    message(text, intent, author)
    for author in "ab"
    for text, intent in (
        ("save this on the card", Intent.PROFILE_REQUEST),
        ("remember it on his card", Intent.PROFILE_REQUEST),
        ("who is the king", Intent.SCRIPT_QUERY),
        ("who killed him", Intent.SCRIPT_QUERY),
    )
]


def test_the_packaged_model_is_trained_from_the_examples_that_are_there() -> None:
    """`make intents` after a change of the examples or the concepts."""
    assert load_model().digest == digest(load_examples(), load_concepts())


def test_the_packaged_model_is_small() -> None:
    assert PACKAGED.stat().st_size <= 1_000_000


def test_the_examples_are_of_many_authors_and_nine_languages() -> None:
    examples = load_examples()

    assert len(examples) >= 3000
    assert len({example.author for example in examples}) >= 6
    assert {example.language for example in examples} >= {"en", "ja", "de", "fr", "es", "it", "pt", "zh", "ko"}


def test_no_text_is_labelled_with_two_intents() -> None:
    labels: dict[str, Intent] = {}
    for example in load_examples():
        assert labels.setdefault(example.text.strip().casefold(), example.intent) is example.intent


def test_a_word_of_another_language_is_understood_by_its_concept() -> None:
    words = lexicon(CONCEPTS.values())
    trained = fit(LESSONS, words)

    scores = trained.scores(rows_of(["merke karte"], words, trained.frequent))

    assert right([message("merke karte", Intent.PROFILE_REQUEST)], scores)[0][0] == 1


def test_an_authors_examples_are_not_seen_by_the_model_that_is_measured_on_them() -> None:
    odd = [message("xyzzy plugh", Intent.THEORY_REQUEST, "c"), message("xyzzy plover", Intent.THEORY_REQUEST, "c")]

    correct, _ = right([*LESSONS, *odd], unseen_scores([*LESSONS, *odd], CONCEPTS))

    assert list(correct[:-2]) == [1] * len(LESSONS)
    assert list(correct[-2:]) == [0, 0]


def test_the_threshold_is_the_lowest_from_which_on_enough_are_right() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.6, 0.5])

    assert threshold(np.array([1.0, 1, 1, 0, 0]), chances, 1.0) == 0.7
    assert threshold(np.array([1.0, 0, 1, 1, 0]), chances, 0.75) == 0.6
    assert threshold(np.zeros(5), chances, 0.97) == 1.0


def test_logistic_regression_finds_where_its_penalised_likelihood_has_no_slope() -> None:
    rows = [
        (np.array([0, 1]), np.array([1.0, 0.5])),
        (np.array([1]), np.array([2.0])),
        (np.array([0]), np.array([1.0])),
    ]
    targets = np.array([[1.0, 0], [0, 1], [0, 1]])
    table = Sparse(rows)

    weights, bias = train(table, targets, 0.5, most_steps=500)

    errors = probabilities(table.times(weights) + bias) - targets
    assert table.transposed_times(errors) + 0.5 * weights == pytest.approx(np.zeros((2, 2)), abs=0.02)
    assert errors.sum(axis=0) == pytest.approx(np.zeros(2), abs=0.02)


def test_columns_of_too_few_rows_are_left_out() -> None:
    rows = [(np.array([3, 7]), np.array([1.0, 1])), (np.array([7]), np.array([2.0]))]

    table = Sparse(rows, least_rows=2)

    assert list(table.columns) == [7]
    assert table.times(np.array([[10.0]])).ravel() == pytest.approx([10, 20])


def test_an_example_is_added_once(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"text": "hi", "intent": "general", "author": "a", "language": "en"}\n', "utf-8")

    add_example(message("wer ist es?", Intent.SCRIPT_QUERY, "b"), path)

    assert [example.text for example in load_examples(path)] == ["hi", "wer ist es?"]
    with pytest.raises(ConfigurationError, match="have this text already, as script_query"):
        add_example(message("Wer ist es? ", Intent.GENERAL), path)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        (
            {"text": "x", "intent": "smalltalk", "author": "a", "language": "en"},
            "line 2: intent: .*one of script_query",
        ),
        ({"text": "", "intent": "general", "author": "a", "language": "en"}, "line 2: text: "),
        ({"text": "x", "intent": "general"}, "line 2: author: Field required"),
    ],
)
def test_a_line_that_is_no_example_is_named(tmp_path: Path, line: dict[str, str], advice: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(
        f'{{"text": "hi", "intent": "general", "author": "a", "language": "en"}}\n{json.dumps(line)}\n', "utf-8"
    )

    with pytest.raises(ConfigurationError, match=advice):
        load_examples(path)
