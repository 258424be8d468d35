"""The turns before a question, from the request log."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.conversation.memory import LoggedConversation
from cicada.conversation.model import AnswerRecord, RequestKey, Status, StoredEvent
from cicada.conversation.protocol import (
    AnyEventBody,
    Chunk,
    ListedDocument,
    Listing,
    Reset,
    Source,
    SourceLocator,
    SourcesFound,
)
from cicada.dialogue import NO_CONVERSATION, Shown, ShownDocument, Turn
from tests.unit.conversation.situation import ANN, BOB, WHOLE
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


FEES = Source(1, "fees.md", "Fees", SourceLocator(), "Adults pay", None)
BOATS = Source(2, "boats.md", "Boats", SourceLocator(), "Damage must", None)
FOUND = SourcesFound(sources=(FEES, BOATS), knowledge_base="scripts")
CITING = (FOUND, Chunk(content="The same day [2]."))
PATH = ("script_query", "retrieve", "generate")


def shown_after(*answers: tuple[tuple[str, ...], tuple[AnyEventBody, ...]], talk: Talk | None = None) -> Shown:
    """What was shown before the next question, after answers with these paths and events."""
    talk = talk or Talk()
    for path, events in answers:
        delivery = talk.delivery(talk.lease(RequestKey(ANN, talk.turn("Who?"))))
        for event in events:
            delivery.send(event)
        delivery.send(WHOLE, AnswerRecord(path=path, knowledge_base="scripts"))
    return memory(talk).before(RequestKey(ANN, talk.turn("why?")), "s1").shown


def test_what_the_last_answer_showed_is_remembered_with_what_it_cites() -> None:
    documents = (ShownDocument(1, "fees.md", "Adults pay"), ShownDocument(2, "boats.md", "Damage must", cited=True))
    shown = shown_after((PATH, CITING))
    assert shown == Shown("scripts", documents)
    assert shown.cited == documents[1:]
    assert shown_after((PATH, CITING[:1])).cited == (documents[0], ShownDocument(2, "boats.md", "Damage must"))


def test_a_source_that_was_sent_again_is_remembered_once() -> None:
    again = SourcesFound(sources=(replace(BOATS, excerpt="Damage must be paid.", spans=((0, 6),)),))
    shown = shown_after((PATH, (*CITING, again)))
    assert shown.documents == (
        ShownDocument(1, "fees.md", "Adults pay"),
        ShownDocument(2, "boats.md", "Damage must be paid.", cited=True),
    )


def test_listed_documents_have_the_numbers_of_their_places() -> None:
    row = ListedDocument("b", "Kittiwake – boats, row 7", {"Holder": "Ann Lee", "Paid": "yes"})
    page = Listing(total=25, documents=(ListedDocument("a", "A", {"Status": "draft"}), row), offset=20)
    assert shown_after((("script_query", "list"), (page,))).documents == (
        ShownDocument(21, "a"),
        ShownDocument(22, "b", row=7, values=("Kittiwake", "Ann Lee", "yes")),
    )


def test_talk_without_documents_is_passed_over_and_another_answer_is_not() -> None:
    thanks = (("general", "generate"), (Chunk(content="You are welcome."),))
    assert shown_after((PATH, CITING), thanks) == shown_after((PATH, CITING))
    assert shown_after((PATH, CITING), (("theory_request", "agent:theories"), ())).documents == ()


def test_sources_that_were_discarded_or_answer_nothing_are_not_remembered() -> None:
    assert shown_after((PATH, (*CITING, Reset(reason="again"), CITING[1]))).documents == ()
    assert shown_after(((*PATH, "below_floor"), CITING)).documents == ()


def test_what_the_user_may_not_read_any_more_was_not_shown() -> None:
    talk = Talk()
    talk.access.unknown.add("fees.md")
    assert shown_after((PATH, CITING), talk=talk).documents == ()


def test_a_turn_says_which_agent_answered() -> None:
    talk = Talk()
    key = RequestKey(ANN, talk.turn("note that Ann limps"))
    delivery = talk.delivery(talk.lease(key))
    delivery.send(Chunk(content="Saved."))
    delivery.send(WHOLE, AnswerRecord(path=("profile_request", "agent:profiles")))
    asked = talk.turn("undo")
    assert memory(talk).before(RequestKey(ANN, asked), "s1").turns == (
        Turn("note that Ann limps", "Saved.", "profiles"),
    )
