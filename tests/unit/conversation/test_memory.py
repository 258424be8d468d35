"""The turns before a question, from the request log."""

from __future__ import annotations

from cicada.conversation.memory import LoggedConversation
from cicada.conversation.model import RequestKey, Status, StoredEvent
from cicada.dialogue import NO_CONVERSATION, Turn
from tests.unit.conversation.situation import ANN, BOB
from tests.unit.conversation.test_history import Talk


def memory(talk: Talk, budget: int = 1_500) -> LoggedConversation:
    return LoggedConversation(talk.log, talk.withholding, budget)


def test_earlier_turns_come_in_the_order_of_asking_without_the_question_itself() -> None:
    talk = Talk()
    talk.turn("Who founded Rome?", "Rom", "ulus.")
    talk.turn("When?", "In 700.", "<reset>", "In 753.")
    asked = talk.turn("And Carthage?")
    talk.turn("A question that was asked meanwhile")
    found = memory(talk).before(RequestKey(ANN, asked), "s1")
    assert found.turns == (Turn("Who founded Rome?", "Romulus."), Turn("When?", "In 753."))
    assert found.messages == ("Who founded Rome?", "When?")


def test_a_question_without_an_answer_counts_too() -> None:
    talk = Talk()
    talk.turn("Who founded Rome?")
    asked = talk.turn("When?")
    assert memory(talk).before(RequestKey(ANN, asked), "s1").turns == (Turn("Who founded Rome?", ""),)


def test_other_sessions_and_other_users_have_no_part_in_it() -> None:
    talk = Talk()
    talk.turn("Who founded Rome?", "Romulus.", session="s2")
    talk.turn("Who founded Troy?", "Ilus.", principal=BOB)
    asked = talk.turn("When?")
    assert memory(talk).before(RequestKey(ANN, asked), "s1") == NO_CONVERSATION


def test_the_first_question_of_a_session_reads_nothing() -> None:
    talk = Talk()
    steps: list[str] = []
    asked = talk.turn("Who founded Rome?")
    talk.log.before = steps.append
    assert memory(talk).before(RequestKey(ANN, asked), asked) == NO_CONVERSATION
    assert steps == []


def test_only_the_last_turns_are_read() -> None:
    talk = Talk()
    for number in range(12):
        talk.turn(f"Question {number}?", "Yes.")
    asked = talk.turn("And?")
    found = memory(talk).before(RequestKey(ANN, asked), "s1")
    assert found.messages == tuple(f"Question {number}?" for number in range(4, 12))


def test_the_budget_is_kept() -> None:
    talk = Talk()
    talk.turn("Who founded Rome?", "Romulus. " * 400)
    asked = talk.turn("When?")
    assert memory(talk, 50).before(RequestKey(ANN, asked), "s1").turns == (Turn("Who founded Rome?", "Romulus."),)


NEWER = ('{"type":"mood","content":"good"}', '{"type":"status","stage":"dreaming"}', '{"type":"chunk","parts":[]}')


def test_events_of_a_newer_version_are_left_out_of_an_answer() -> None:
    talk = Talk()
    key = RequestKey(ANN, talk.turn("Who founded Rome?"))
    lease = talk.lease(key)
    for seq, body in enumerate((*NEWER, '{"type":"chunk","content":"Romulus.","tone":"sure"}'), start=2):
        talk.log.store(lease, StoredEvent(seq, body))
    talk.log.advance(lease, 5, talk.clock() + 15, Status.COMPLETE)
    asked = talk.turn("When?")
    assert memory(talk).before(RequestKey(ANN, asked), "s1").turns == (Turn("Who founded Rome?", "Romulus."),)
    assert [turn.answer for turn in talk.page("s1").turns] == ["", "Romulus."]
