"""Answers to questions that continue a conversation."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from cicada.answering.answer import Answerer
from cicada.answering.parts import AnswerPart
from cicada.answering.process import Processed
from cicada.answering.question_planner import QuestionPlanner
from cicada.conversation.memory import LoggedConversation
from cicada.conversation.model import Question, RequestKey
from cicada.conversation.protocol import Listing, parse_event
from cicada.dialogue import Conversation, Turn
from cicada.errors import UnavailableError
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.plan import PAGE_SIZE, Intent
from tests.fakes.chat_model import ScriptedModel
from tests.unit.answering.situation import ANN, NOW, SAID, Situation, end_of
from tests.unit.answering.test_listing import situation
from tests.unit.answering.test_process import Situation as Processing
from tests.unit.conversation.situation import send_message

BEFORE = Conversation(
    ("Who is the wife of Macbeth?",), (Turn("Who is the wife of Macbeth?", "Lady Macbeth [1].\nYes."),)
)


def asked(here: Situation, message: str, before: Conversation = BEFORE) -> list[AnswerPart]:
    return list(here.answerer.answer(Question(message, "s1", "scripts"), ANN, before))


def test_a_follow_up_is_searched_for_with_what_it_refers_to() -> None:
    here = Situation()
    parts = asked(here, "What does she see?")
    assert here.index.queries[0].text == "What does she see? (Macbeth wife) What does she see?"
    assert end_of(parts).path[:4] == ("script_query", "plan:rules", "follow_up", "retrieve")


def test_what_was_searched_for_is_told_without_repetition() -> None:
    here = Situation()
    here.index = type(here.index)()
    text = "".join(getattr(part, "content", "") for part in asked(here, "What does she see?"))
    assert "“What does she see? (Macbeth wife)”" in text


@pytest.mark.parametrize("message", ["Who murders Duncan at Inverness?", "Which witches meet Banquo upon the heath?"])
def test_another_topic_is_searched_for_as_it_is(message: str) -> None:
    here = Situation()
    parts = asked(here, message)
    assert here.index.queries[0].text == message
    assert "follow_up" not in end_of(parts).path


def test_the_model_reads_the_question_with_what_it_refers_to_and_the_turns_before_it() -> None:
    here = Situation()
    asked(here, "What does she see?")
    user = here.model.prompts[0].user
    assert user.endswith("Question: What does she see? (Who is the wife of Macbeth?)")
    said = "User:\n| Who is the wife of Macbeth?\nYou:\n| Lady Macbeth (1).\n| Yes.\n\nPassages:\n\n[1]\n"
    assert said in user
    assert user.startswith("Earlier turns of this conversation, oldest first.")


def test_a_general_message_comes_with_the_turns_before_it() -> None:
    here = Situation().routed(Intent.GENERAL)
    asked(here, "Thank you for that answer, Cicada!")
    assert here.index.queries == []
    user = here.model.prompts[0].user
    assert "| Lady Macbeth (1)." in user
    assert user.endswith("\n\nQuestion: Thank you for that answer, Cicada!")


@pytest.mark.parametrize("message", ["and her husband?", "what about Duncan?", "How old was she?"])
def test_what_seems_small_talk_but_asks_on_is_searched(message: str) -> None:
    here = Situation().routed(Intent.GENERAL)
    assert end_of(asked(here, message)).path[:3] == ("script_query", "plan:rules", "follow_up")


@pytest.mark.parametrize("message", ["How are you?", "What can you do?"])
def test_small_talk_in_a_conversation_stays_small_talk(message: str) -> None:
    here = Situation().routed(Intent.GENERAL)
    assert end_of(asked(here, message)).path == ("general", "plan:rules", "generate")


def test_an_agent_is_told_the_turns_before_and_the_message_as_it_is() -> None:
    here = Situation().routed(Intent.THEORY_REQUEST)
    asked(here, "Save that as a theory.")
    assert (here.agent.turns[0].message, here.agent.turns[0].earlier) == ("Save that as a theory.", BEFORE.turns)


class Remembering(Processing):
    """A processor that reads the session from the log."""

    @property
    def processor(self):  # type: ignore[no-untyped-def]
        return replace(super().processor, memory=LoggedConversation(self.log, self.withholding))

    def asked_in_session(self, message: str, number: int, base: str = "scripts") -> RequestKey:
        self.clock.now += 1
        request_id = f"7e57d004-2b97-4e7a-b45f-5387367791{number:02d}"
        self.accepter.accept(send_message(message, request_id, sessionId="s1", knowledgeBase=base), self.connection())
        return RequestKey(ANN, request_id)

    def listing(self, key: RequestKey) -> Listing | None:
        """The page of documents that the answer shows."""
        events = [parse_event(each.body) for each in self.log.events(key, 0, self.head(key).last_seq)]
        return next((each for each in events if isinstance(each, Listing)), None)


class Cataloguing(Situation):
    """Answers of a base whose metadata have a schema."""

    @property
    def answerer(self) -> Answerer:
        planner = RulesPlanner(lambda *_: self.classification, SchemaPlanner())
        return replace(super().answerer, plan=QuestionPlanner(planner, self.bases, lambda: NOW).plan)


def over(kept: Situation) -> Remembering:
    """Conversations about the documents of this situation."""
    return Remembering(answering=Cataloguing(catalogue=kept.catalogue, bases=kept.bases))


def with_documents(number: int) -> Remembering:
    return over(situation({f"d{each:03d}": ({"status": "approved"}, ()) for each in range(number)}))


def test_a_listing_goes_on_to_its_last_page_however_long_ago_it_began() -> None:
    here = with_documents(10 * PAGE_SIZE + 5)
    shown: list[str] = []
    for number, message in enumerate(["list the approved documents", *["more"] * 10]):
        key = here.asked_in_session(message, number, "store")
        assert here.process(key) is Processed.COMPLETE
        page = here.listing(key)
        assert page is not None
        assert page.offset == number * PAGE_SIZE
        shown += [each.document_id for each in page.documents]
    assert shown == [f"d{each:03d}" for each in range(10 * PAGE_SIZE + 5)]


def test_a_page_that_failed_is_the_one_that_is_asked_for_again() -> None:
    here = with_documents(3 * PAGE_SIZE)
    here.process(here.asked_in_session("list the approved documents", 1, "store"))
    failing = here.asked_in_session("more", 2, "store")
    here.answering.access.failure = UnavailableError("The access lists could not be read.")
    assert here.process(failing) is Processed.FAILED
    here.answering.access.failure = None
    again = here.asked_in_session("more", 3, "store")
    here.process(again)
    page = here.listing(again)
    assert page is not None
    assert page.offset == PAGE_SIZE


def test_a_processor_answers_a_question_of_a_session_with_the_turns_before_it() -> None:
    here = Remembering(answering=Situation(model=ScriptedModel(SAID, SAID)))
    here.process(here.asked_in_session("Who is the wife of Macbeth?", 1))
    assert here.process(here.asked_in_session("What does she see?", 2)) is Processed.COMPLETE
    asked, of_cited = here.answering.index.queries[-2:]
    assert "(Macbeth wife)" in asked.text
    assert (of_cited.text, of_cited.filter.document_ids) == ("What does she see?", frozenset({"macbeth.json"}))
    assert "| Seyton (1)." in here.answering.model.prompts[-1].user
    assert "Earlier turns" not in here.answering.model.prompts[0].user


def test_a_conversation_that_cannot_be_read_is_an_error_and_no_answer_without_it() -> None:
    here = Remembering(answering=Situation(model=ScriptedModel(SAID)))
    key = here.asked_in_session("Who is the wife of Macbeth?", 1)

    def fail(step: str) -> None:
        if step == "turns":
            raise UnavailableError("The database could not be reached.")

    here.log.before = fail
    assert here.process(key) is Processed.FAILED
    assert json.loads(here.channel.frames["c1"][-1])["type"] == "error"
