"""The features of a message: what its clauses, its stems and its concepts have in common with another's."""

from __future__ import annotations

import pytest

from cicada.understanding.intent.features import features, lexicon
from cicada.understanding.intent.reading import is_ideograph
from tools.intents.examples import load_concepts

LEXICON = lexicon([{"en": ["save", "no", "note down"], "de": ["merk*"], "ja": ["保存"]}, {"en": ["card"]}])
FREQUENT = frozenset({"the", "it", "on", "now", "please"})
FIRST_AND_LAST, CLAUSES, STEMS = 4, 5, 6


def group(message: str, number: int) -> set[int]:
    return features(message, LEXICON, FREQUENT)[number]


@pytest.mark.parametrize("mark", ["!", ",", ":", "。"])
def test_the_clauses_of_a_message_have_the_features_that_they_have_alone(mark: str) -> None:
    message = f"please save it on the boat{mark} now the card"

    assert group(message, CLAUSES) == group(f"please save it on the boat{mark}", CLAUSES) | group(
        "now the card", CLAUSES
    )


def test_concepts_of_different_clauses_are_no_pair() -> None:
    assert not group("save the card", CLAUSES) <= group("save it. the card", CLAUSES)


def test_a_last_clause_is_known_again_after_another_beginning() -> None:
    one, other = (group(f"{start} now save the card", FIRST_AND_LAST) for start in ("Thanks a lot!", "Wait,"))
    first = group("now save the card. Thanks a lot!", FIRST_AND_LAST)

    assert len(one & other) > 10
    assert len(one & first) == 3, "that there are two clauses, and that neither asks"


@pytest.mark.parametrize("text", ["", "?!", "...", " - ", "3.5"])
def test_a_text_of_marks_is_one_clause(text: str) -> None:
    assert group(text, FIRST_AND_LAST)


def test_a_word_without_accent_or_with_another_ending_has_the_same_stem() -> None:
    assert group("lösche", STEMS) == group("losche", STEMS)
    assert group("eliminar", STEMS) == group("elimináis", STEMS)
    assert group("delete", STEMS) != group("depart", STEMS)


def test_ideographs_have_no_stems_and_korean_has() -> None:
    assert group("保存して", STEMS) == group("記録して", STEMS)
    assert group("저장해", STEMS) != group("삭제해", STEMS)


def test_concepts_are_found_at_their_places() -> None:
    assert LEXICON.placed("no! merke it, note down the card", False) == [(0, (1,)), (4, (1,)), (14, (1,)), (28, (2,))]
    assert LEXICON.placed("カードを保存", True) == [(4, (1,))]


def test_every_word_of_the_concepts_is_found_in_itself() -> None:
    concepts = load_concepts()
    packaged = lexicon(concepts.values())
    for number, (name, by_language) in enumerate(concepts.items(), start=1):
        for word in (word.rstrip("*") for words in by_language.values() for word in words):
            assert any(number in step for step in packaged.steps(word, is_ideograph(word[0]))), (name, word)
