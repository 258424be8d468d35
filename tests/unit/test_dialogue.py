"""What of a conversation a model is given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cicada.dialogue import Turn, conversation_of

FIRST = Turn("Who founded Rome? I forgot.", "Romulus did.\nSo they say.")
SECOND = Turn("When?", "In 753. " + "Nobody knows. " * 20)
THIRD = Turn("And Carthage?", "Dido.")

turns = st.builds(Turn, st.text(max_size=300), st.text(max_size=900))


def test_all_turns_are_given_whole_while_they_fit() -> None:
    found = conversation_of([FIRST, SECOND, THIRD], 1_000)
    assert found.turns == (FIRST, SECOND, THIRD)
    assert found.messages == (FIRST.question, "When?", "And Carthage?")


def test_older_turns_are_summarised_by_their_first_sentences() -> None:
    found = conversation_of([FIRST, SECOND, THIRD], THIRD.tokens + SECOND.tokens - 1)
    assert found.turns == (Turn("Who founded Rome?", "Romulus did."), Turn("When?", "In 753."), THIRD)
    assert found.messages == (FIRST.question, "When?", "And Carthage?")


def test_the_oldest_are_left_out_whole() -> None:
    assert conversation_of([FIRST, SECOND, THIRD], THIRD.tokens).turns == (THIRD,)
    assert conversation_of([FIRST, SECOND, THIRD], 0).turns == ()


def test_a_summary_has_a_limit_and_ends_at_full_stops_of_other_scripts() -> None:
    assert Turn("x" * 500, "").summary.question == "x" * 159 + "…"
    assert Turn("誰ですか？教えて。", "信長です。そうです。").summary == Turn("誰ですか？", "信長です。")


@given(st.lists(turns, max_size=9), st.integers(0, 500))
def test_what_is_given_keeps_to_the_budget(before: list[Turn], budget: int) -> None:
    found = conversation_of(before, budget)
    assert sum(turn.tokens for turn in found.turns) <= budget
    assert len(found.turns) <= len(before) == len(found.messages)
