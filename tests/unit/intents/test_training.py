"""Training: that the packaged model is the examples', and what a model learns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cicada.answering import asked_writes
from cicada.answering.asked_writes import KINDS, Kind, load_writes_model
from cicada.errors import ConfigurationError
from cicada.understanding.intent.features import lexicon
from cicada.understanding.intent.model import PACKAGED, load_model
from cicada.understanding.plan import Intent
from tools.intents.examples import (
    Example,
    Message,
    add_example,
    digest,
    load,
    load_change_examples,
    load_concepts,
    load_examples,
    load_lessons,
)
from tools.intents.model_file import Calibration, allowing, calibrated, changes_content, content, threshold
from tools.intents.ridge import Sparse, probabilities, train
from tools.intents.training import (
    CLASSES,
    GROUP_WEIGHTS,
    change_targets,
    fit,
    intent_targets,
    labelled_changes,
    measured_authors,
    rarity,
    right,
    row_of,
    unseen_scores,
)

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

CHANGES: dict[str, tuple[Kind, ...]] = {
    "save this on the card": ("text",),
    "remember it on his card": ("text", "name"),
    "who is the king": (),
    "who killed him": (),
}


def test_the_packaged_model_is_trained_from_the_examples_that_are_there() -> None:
    """`make intents` after a change of the examples or the concepts."""
    assert load_model().digest == digest(load_lessons(), load_concepts())


def test_the_packaged_model_of_changes_is_trained_from_the_examples_that_are_there() -> None:
    assert load_writes_model().digest == digest(load_change_examples(), load_concepts())


def test_the_packaged_models_have_the_groups_weights_of_the_training() -> None:
    for units in (load_model().linear.units, load_writes_model().linear.units):
        assert [each / units[0] for each in units] == pytest.approx([each / GROUP_WEIGHTS[0] for each in GROUP_WEIGHTS])


def test_the_packaged_models_are_small() -> None:
    assert PACKAGED.stat().st_size <= 1_000_000
    assert asked_writes.PACKAGED.stat().st_size <= 1_000_000


def test_a_model_of_changes_says_what_it_was_told() -> None:
    told = [Message(text=each.text, author=each.author, language="en", changes=CHANGES[each.text]) for each in LESSONS]
    trained = fit(told, lexicon(CONCEPTS.values()), change_targets(told))

    scores = trained.scores([each.text for each in told])
    allowed = allowing(labelled_changes(told)[:, :2], scores[:, :2], 1.0)
    assert ((scores[:, :2] >= allowed) == labelled_changes(told)[:, :2]).all()


def test_the_threshold_of_a_change_lets_the_share_of_what_asks_for_it_through() -> None:
    asked = np.array([[True], [True], [True], [True], [False], [False]])
    scores = np.array([[0.9], [0.8], [0.7], [0.2], [0.75], [0.1]])

    assert allowing(asked, scores, 1.0) == (0.2,)
    assert allowing(asked, scores, 0.75) == (0.7,)
    assert allowing(asked, scores, 0.5) == (0.8,)


@pytest.fixture
def of_lessons(monkeypatch: pytest.MonkeyPatch) -> list[Example]:
    """The lessons as the only examples, and every author measured. They may be changed."""
    examples = [*LESSONS]
    monkeypatch.setattr("tools.intents.training._LEAST_MEASURED", 1)
    monkeypatch.setattr("tools.intents.model_file.load_lessons", lambda: examples)
    monkeypatch.setattr("tools.intents.model_file.load_concepts", lambda: CONCEPTS)
    monkeypatch.setattr("tools.intents.model_file.load_change_examples", lambda: [_told(each) for each in LESSONS])
    return examples


def _told(lesson: Example) -> Message:
    asks = lesson.intent is Intent.PROFILE_REQUEST
    return Message(text=lesson.text, author=lesson.author, language="en", changes=KINDS if asks else ())


def test_the_calibration_is_that_of_predictions_for_unseen_authors(of_lessons: list[Example]) -> None:
    found = calibrated()

    assert found.temperature == pytest.approx(0.03)  # All are right, so the surer the likelier.
    assert found.threshold < 1
    lessons = [_told(each) for each in LESSONS]
    measured, scores = unseen_scores(lessons, CONCEPTS, change_targets(lessons))
    assert found.changes == allowing(labelled_changes(measured), scores)
    assert all(
        asks.min() == least
        for asks, least in zip(scores[labelled_changes(measured)[:, 0]].T, found.changes, strict=True)
    )


def test_predictions_that_are_wrong_raise_the_temperature(of_lessons: list[Example]) -> None:
    of_lessons += [
        message("save this on the card", Intent.GENERAL, "c"),
        message("who killed him", Intent.GENERAL, "c"),
    ]

    found = calibrated()

    assert 0.1 < found.temperature <= 3
    assert found.threshold > 0.5


def test_the_model_of_changes_in_the_layer_decides_like_the_one_that_was_trained(tmp_path: Path) -> None:
    examples, concepts = load_change_examples()[:400], load_concepts()
    trained = fit(examples, lexicon(concepts.values()), change_targets(examples))

    path = tmp_path / "writes.bin"
    path.write_bytes(changes_content(trained, Calibration(0.2, 0.9, (0.2, 0.1, 0.1, 0.1)), concepts, "…"))

    read = load_writes_model(path)
    assert read.thresholds == (0.2, 0.1, 0.1, 0.1)
    for example in examples[:50]:
        assert read.linear.scores(example.text) == pytest.approx(trained.scores([example.text])[0], abs=0.03)


def test_the_examples_are_of_many_authors_and_nine_languages() -> None:
    examples = load_examples()

    assert len(examples) >= 3000
    assert len({example.author for example in examples}) >= 6
    assert {example.language for example in examples} >= {"en", "ja", "de", "fr", "es", "it", "pt", "zh", "ko"}


def test_no_text_is_labelled_with_two_intents() -> None:
    labels: dict[str, Intent] = {}
    for example in load_lessons():
        assert labels.setdefault(example.text.strip().casefold(), example.intent) is example.intent


def test_a_word_of_another_language_is_understood_by_its_concept() -> None:
    scores = fit(LESSONS, lexicon(CONCEPTS.values()), intent_targets(LESSONS)).scores(["merke karte"])

    assert right([message("merke karte", Intent.PROFILE_REQUEST)], scores)[0][0] == 1


def test_a_model_scores_what_it_was_trained_from_almost_as_it_was_told() -> None:
    trained = fit(LESSONS, lexicon(CONCEPTS.values()), intent_targets(LESSONS))

    told = [[0.75 if example.intent is intent else -0.25 for intent in CLASSES] for example in LESSONS]
    assert trained.scores([example.text for example in LESSONS]) == pytest.approx(np.array(told), abs=0.1)


def test_an_authors_examples_are_not_seen_by_the_model_that_is_measured_on_them() -> None:
    odd = [message("xyzzy plugh", Intent.THEORY_REQUEST, "c"), message("xyzzy plover", Intent.THEORY_REQUEST, "c")]

    all_of_them = [*LESSONS, *odd]
    measured, scores = unseen_scores(all_of_them, CONCEPTS, intent_targets(all_of_them), ["a", "b", "c"])

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
    trained = fit(examples, lexicon(concepts.values()), intent_targets(examples))
    texts = [example.text for example in examples[:50]]

    path = tmp_path / "model.bin"
    path.write_bytes(content(trained, Calibration(0.2, 0.9, ()), concepts, "…"))

    read = load_model(path)
    assert (read.temperature, read.threshold, read.digest) == (0.2, 0.9, "…")
    for text, expected in zip(texts, probabilities(trained.scores(texts) / 0.2), strict=True):
        assert list(read.probabilities(text).values()) == pytest.approx(expected, abs=0.01)


def test_an_example_is_added_once(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"text": "hi", "intent": "general", "author": "a", "language": "en"}\n', "utf-8")

    add_example(message("wer ist es?", Intent.SCRIPT_QUERY, "b"), path)

    assert [example.text for example in load_examples(path)] == ["hi", "wer ist es?"]
    with pytest.raises(ConfigurationError, match="have this text already, as script_query"):
        add_example(message("Wer ist es? ", Intent.GENERAL), path)


def test_an_example_is_kept_in_letters_that_people_read(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.touch()
    add_example(message("wer ist das Mädchen?", Intent.SCRIPT_QUERY, "b"), path)
    assert "Mädchen" in path.read_text("utf-8")


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


def test_a_message_of_which_only_the_changes_are_known_needs_no_intent(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    path.write_text('{"text": "keep it", "language": "en"}\n', "utf-8")

    with pytest.raises(ConfigurationError, match=r"author: Field required.* with text, author and language\.$"):
        load(Message, path)
