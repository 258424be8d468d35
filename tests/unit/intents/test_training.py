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
from intents.model_file import Calibration, content, threshold
from intents.ridge import Sparse, probabilities, train
from intents.training import CLASSES, GROUP_WEIGHTS, fit, measured_authors, rarity, right, row_of, unseen_scores

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
    scores = fit(LESSONS, lexicon(CONCEPTS.values())).scores(["merke karte"])

    assert right([message("merke karte", Intent.PROFILE_REQUEST)], scores)[0][0] == 1


def test_a_model_scores_what_it_was_trained_from_almost_as_it_was_told() -> None:
    trained = fit(LESSONS, lexicon(CONCEPTS.values()))

    told = [[0.75 if example.intent is intent else -0.25 for intent in CLASSES] for example in LESSONS]
    assert trained.scores([example.text for example in LESSONS]) == pytest.approx(np.array(told), abs=0.1)


def test_an_authors_examples_are_not_seen_by_the_model_that_is_measured_on_them() -> None:
    odd = [message("xyzzy plugh", Intent.THEORY_REQUEST, "c"), message("xyzzy plover", Intent.THEORY_REQUEST, "c")]

    measured, scores = unseen_scores([*LESSONS, *odd], CONCEPTS, ["a", "b", "c"])

    assert measured == [*LESSONS, *odd]
    assert list(right(measured, scores)[0]) == [1] * len(LESSONS) + [0, 0]


def test_an_author_of_few_messages_is_learnt_from_but_not_measured() -> None:
    many = [message(f"who is number {number}", Intent.SCRIPT_QUERY, "z") for number in range(300)]

    assert measured_authors([*LESSONS, *many]) == ["z"]
    assert measured_authors([*LESSONS, *many[1:]]) == []


def test_the_threshold_is_the_lowest_from_which_on_enough_are_right() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.6, 0.5])

    assert threshold(np.array([1.0, 1, 1, 0, 0]), chances, 1.0) == 0.7
    assert threshold(np.array([1.0, 0, 1, 1, 0]), chances, 0.75) == 0.6
    assert threshold(np.zeros(5), chances, 0.97) == 1.0


def test_ridge_regression_finds_where_its_penalised_squares_have_no_slope() -> None:
    rows = [
        (np.array([3, 7]), np.array([1.0, 0.5])),
        (np.array([7]), np.array([2.0])),
        (np.array([3]), np.array([1.0])),
    ]
    targets = np.array([[0.5, -0.5], [-0.5, 0.5], [-0.5, 0.5]])
    table = Sparse(rows)

    weights, bias = train(table, targets, 0.5)

    errors = table.times(weights) + bias - targets
    assert list(table.columns) == [3, 7]
    assert table.transposed_times(errors) + 0.5 * weights == pytest.approx(np.zeros((2, 2)), abs=0.01)
    assert errors.sum(axis=0) + 0.5 * bias == pytest.approx(np.zeros(2), abs=0.01)


def test_a_row_has_the_known_buckets_only_and_each_group_its_weight() -> None:
    known = np.zeros(10, dtype=np.bool_)
    known[[1, 2, 3, 4, 8]] = True
    first, second, *others = GROUP_WEIGHTS

    buckets, values = row_of([np.array([1, 2, 3, 4, 5]), np.array([8, 9]), *(np.array([0]) for _ in others)], known)

    assert list(buckets) == [1, 2, 3, 4, 8]
    assert list(values) == pytest.approx([first / 2] * 4 + [second])


def test_a_feature_of_fewer_messages_counts_more() -> None:
    counts = rarity(np.array([2, 100, 2000]))

    assert counts[0] > counts[1] > counts[2] > 0
    assert counts[1] == 1


def test_the_model_in_the_layer_scores_like_the_one_that_was_trained(tmp_path: Path) -> None:
    examples = load_examples()[:400]
    concepts = load_concepts()
    trained = fit(examples, lexicon(concepts.values()))
    texts = [example.text for example in examples[:50]]

    path = tmp_path / "model.bin"
    path.write_bytes(content(trained, Calibration(0.2, 0.9), concepts, "…"))

    read = load_model(path)
    for text, expected in zip(texts, probabilities(trained.scores(texts) / 0.2), strict=True):
        assert list(read.probabilities(text).values()) == pytest.approx(expected, abs=0.01)


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
