"""Accepting questions, and cancelling their answers."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from cicada.conversation.accept import Accepter, cancel, question_of
from cicada.conversation.model import Question, RequestKey, Status
from cicada.conversation.protocol import Cancelled, Chunk
from cicada.documents.model import AnyOf, Condition, Exists, KnowledgeBaseKey, NoneOf, Range
from cicada.errors import (
    InvalidFilterError,
    RequestConflictError,
    RequestNotFoundError,
    ThrottledError,
    UnavailableError,
    UnknownKnowledgeBaseError,
)
from cicada.identity import Principal
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from tests.fakes.base_record import InMemoryBaseRecord, says
from tests.unit.conversation.situation import ANN, BOB, ID, KEY, Situation, retry_after, send_message
from tests.unit.knowledge_bases.schemas import SCHEMA


@pytest.fixture
def here() -> Situation:
    return Situation()


def test_a_message_is_stored_then_queued_then_accepted(here: Situation) -> None:
    steps: list[str] = []
    here.log.before = steps.append
    here.queue.before_enqueue = lambda: steps.append("enqueue")
    reply = here.ask("Who?")
    assert steps == ["create", "enqueue"]
    assert json.loads(reply or "") == {
        "requestId": ID,
        "seq": 1,
        "type": "accepted",
        "sessionId": ID,
        "knowledgeBase": "scripts",
    }
    assert here.queue.requests == [KEY]
    head = here.head()
    assert (head.status, head.connection_id, head.last_seq) == (Status.QUEUED, "c1", 1)
    assert head.expires_at == here.clock() + 3600
    assert here.log.question(KEY) == Question("Who?", ID, "scripts")


def test_what_cannot_be_stored_is_not_queued(here: Situation) -> None:
    def fail(step: str) -> None:
        raise ThrottledError("The database asks for fewer calls.")

    here.log.before = fail
    with pytest.raises(ThrottledError):
        here.ask()
    assert here.queue.requests == []


def test_what_could_not_be_queued_is_queued_by_its_repeat(here: Situation) -> None:
    here.queue.failure = UnavailableError("The request queue could not be reached.")
    with pytest.raises(UnavailableError):
        here.ask()
    assert here.queue.requests == []
    here.queue.failure = None
    assert retry_after(here.ask(connection_id="c2")) == 30.5
    assert here.queue.requests == [KEY]
    assert [event["type"] for event in here.received("c2")] == ["accepted"]
    assert here.head().connection_id == "c2"


def test_a_repeat_is_replayed_and_its_reply_says_when_to_ask_again(here: Situation) -> None:
    here.ask()
    delivery = here.delivery()
    for word in ("The ", "queen."):
        delivery.send(Chunk(content=word))
    assert retry_after(here.ask(connection_id="c2")) == 15.5
    assert here.numbers("c2") == [1, 2, 3]
    assert here.head().attempt == 1


def test_a_repeat_of_a_finished_request_changes_nothing_of_its_answer(here: Situation) -> None:
    here.ask()
    here.delivery().send(Cancelled())
    assert here.ask(connection_id="c2") is None
    assert [event["type"] for event in here.received("c2")] == ["accepted", "cancelled"]
    assert here.log.take_lease(KEY, here.clock() + 1000, here.clock() + 2000) is None


def test_a_repeat_is_queued_again_only_while_no_processor_has_come(here: Situation) -> None:
    queued: list[str] = []
    here.queue.before_enqueue = lambda: queued.append("again")
    here.ask()
    here.ask()
    assert len(queued) == 2
    delivery = here.delivery()
    here.ask()
    delivery.send(Cancelled())
    here.ask()
    assert len(queued) == 2


def test_a_repeat_over_a_connection_that_is_gone_is_no_failure(here: Situation) -> None:
    here.ask()
    here.channel.closed.add("c2")
    assert retry_after(here.ask(connection_id="c2")) == 30.5
    assert here.head().connection_id is None


@pytest.mark.parametrize(
    "other",
    [
        {"message": "Who else?"},
        {"sessionId": "s2"},
        {"knowledgeBase": "other"},
        {"scope": {"episodes": ["macbeth"]}},
        {"scope": {"metadata": {"act": ["1"]}}},
    ],
)
def test_a_request_id_that_stands_for_another_message_is_refused(here: Situation, other: dict[str, object]) -> None:
    here.ask("Who?")
    with pytest.raises(RequestConflictError):
        here.accepter.accept(send_message(**{"message": "Who?"} | other), here.connection())  # type: ignore[arg-type]
    assert here.log.question(KEY) == Question("Who?", ID, "scripts")
    assert here.channel.frames == {}
    assert here.queue.requests == [KEY]


def test_the_same_request_id_of_another_user_is_a_request_of_its_own(here: Situation) -> None:
    here.ask("Who?", ANN)
    assert here.ask("Where?", BOB, "c-bob") is not None
    assert here.queue.requests == [KEY, RequestKey(BOB, ID)]
    assert here.question().message == "Who?"
    assert here.head().connection_id == "c1"


def test_the_case_of_a_request_id_tells_requests_apart(here: Situation) -> None:
    here.ask()
    assert here.accepter.accept(send_message("Where?", ID.upper()), here.connection()) is not None


@pytest.mark.parametrize(
    ("fields", "asked"), [({}, "contracts"), ({"knowledgeBase": "shop"}, "shop"), ({"sessionId": "another"}, "scripts")]
)
def test_a_question_asks_the_base_that_its_session_began_with(
    here: Situation, fields: dict[str, object], asked: str
) -> None:
    here.accepter.accept(send_message(sessionId="s1", knowledgeBase="contracts"), here.connection())
    other = "7e57d004-2b97-4e7a-b45f-5387367791ce"
    here.clock.now += 1
    reply = here.accepter.accept(send_message("And?", other, **({"sessionId": "s1"} | fields)), here.connection())
    assert json.loads(reply or "")["knowledgeBase"] == asked
    assert here.question(RequestKey(ANN, other)).knowledge_base == asked


def test_another_users_session_of_the_same_name_has_no_say(here: Situation) -> None:
    here.accepter.accept(send_message(sessionId="s1", knowledgeBase="contracts"), here.connection(BOB))
    here.accepter.accept(send_message(sessionId="s1"), here.connection())
    assert here.question().knowledge_base == "scripts"


def test_what_a_command_leaves_out_has_a_default() -> None:
    assert question_of(send_message("Who?"), "scripts", lambda _: Schema()) == Question("Who?", ID, "scripts")


@pytest.mark.parametrize(
    ("scope", "filters"),
    [
        ({"metadata": {"Status": ["IN FORCE", "draft"]}}, (AnyOf("status", frozenset({"approved", "draft"})),)),
        ({"metadata": {"pages": ["1,250"]}}, (AnyOf("pages", frozenset({1250.0})),)),
        ({"filters": [{"field": "pages", "op": "eq", "value": 7}]}, (AnyOf("pages", frozenset({7.0})),)),
        ({"filters": [{"field": "public", "op": "none", "values": [True]}]}, (NoneOf("public", frozenset({True})),)),
        (
            {"filters": [{"field": "effective", "op": "lt", "value": "31 January 2026"}]},
            (Range("effective", below="2026-01-31"),),
        ),
        ({"filters": [{"field": "owner", "op": "exists"}]}, (Exists("owner"),)),
        ({"filters": [{"field": "owner", "op": "exists", "value": False}]}, (Exists("owner", present=False),)),
        ({"filters": [], "metadata": {}}, ()),
    ],
)
def test_filters_reach_the_question_typed_by_the_schema(scope: object, filters: tuple[Condition, ...]) -> None:
    asked = question_of(send_message("Who?", scope=scope), "scripts", lambda name: {"scripts": SCHEMA}[name])
    assert asked.filters == filters


def test_a_filter_that_the_base_cannot_serve_is_refused_and_nothing_is_stored(here: Situation) -> None:
    accepter = guarded(here, KnowledgeBases(KnowledgeBase("", schema=SCHEMA)))
    scope = {"filters": [{"field": "colour", "op": "eq", "value": "red"}]}
    with pytest.raises(InvalidFilterError, match="has no field 'colour'; use one of status, owner, effective"):
        accepter.accept(send_message("Who?", scope=scope), here.connection())
    assert here.log.question(KEY) is None
    assert here.queue.requests == []


def test_what_a_command_says_reaches_the_question() -> None:
    scope = {"episodes": ["macbeth", "hamlet"], "metadata": {"act": ["1", "2"]}}
    command = send_message("Who?", sessionId="s1", knowledgeBase="plays", scope=scope)
    assert question_of(command, "scripts", lambda _: Schema()) == Question(
        "Who?", "s1", "plays", ("macbeth", "hamlet"), (AnyOf("act", frozenset({"1", "2"})),)
    )


BASES = KnowledgeBases(
    named={"scripts": KnowledgeBase("scripts"), "legal": KnowledgeBase("legal", groups=("lawyers",), schema=SCHEMA)},
    open_names=False,
)
LEA = Principal("acme", "lea", frozenset({"lawyers"}))
OF_NO_FIELD = {"filters": [{"field": "nothing", "op": "eq", "value": "x"}]}


def guarded(here: Situation, bases: KnowledgeBases = BASES) -> Accepter:
    return replace(here.accepter, bases=lambda: bases)


@pytest.mark.parametrize("base", ["legal", "legla"])
def test_a_base_that_one_may_not_ask_is_refused_as_one_that_does_not_exist(here: Situation, base: str) -> None:
    with pytest.raises(UnknownKnowledgeBaseError) as caught:
        guarded(here).accept(send_message(knowledgeBase=base, scope=OF_NO_FIELD), here.connection(ANN))
    assert str(caught.value) == f"There is no knowledge base “{base}”."
    assert here.log.question(KEY) is None
    assert here.queue.requests == []


def test_a_base_is_open_to_its_groups(here: Situation) -> None:
    assert guarded(here).accept(send_message(knowledgeBase="legal"), here.connection(LEA))
    assert here.queue.requests == [RequestKey(LEA, ID)]


@pytest.mark.parametrize("base", ["legal", "legla"])
def test_where_names_are_open_the_processor_refuses_and_no_field_is_told(here: Situation, base: str) -> None:
    command = send_message(knowledgeBase=base, scope=OF_NO_FIELD)
    accepter = guarded(here, replace(BASES, open_names=True))
    assert accepter.accept(command, here.connection(ANN))
    with pytest.raises(InvalidFilterError):
        accepter.accept(send_message(knowledgeBase="legal", scope=OF_NO_FIELD), here.connection(LEA))


def test_the_fields_of_documents_for_others_are_neither_told_nor_taken(here: Situation) -> None:
    record = InMemoryBaseRecord()
    legal = KnowledgeBaseKey("acme", "legal")
    record.observe(legal, says(room="Hall A"), None)
    record.observe(legal, says(f"user:{LEA.user}", secret="x"), None)
    accepter = guarded(here, KnowledgeBases(completed=CompletedBases(record, lambda: 0.0)))
    command = send_message(knowledgeBase="legal", scope={"filters": [{"field": "secret", "op": "eq", "value": "x"}]})
    with pytest.raises(InvalidFilterError, match=r"has no field 'secret'; use one of room\.$"):
        accepter.accept(command, here.connection(ANN))
    assert accepter.accept(command, here.connection(LEA))


def test_a_cancel_asks_the_processor_to_stop_and_sends_nothing_itself(here: Situation) -> None:
    here.ask()
    cancel(KEY, here.log)
    assert (here.head().cancel_requested, here.head().status) == (True, Status.QUEUED)
    assert here.channel.frames == {}


def test_a_cancel_leaves_an_ended_request_as_it_ended(here: Situation) -> None:
    here.ask()
    here.delivery().send(Cancelled())
    before = here.head()
    cancel(KEY, here.log)
    assert (here.head().status, here.head().last_seq) == (before.status, before.last_seq)


@pytest.mark.parametrize("key", [RequestKey(BOB, ID), RequestKey(KEY.principal, ID.upper())])
def test_only_the_user_cancels_a_request(here: Situation, key: RequestKey) -> None:
    here.ask()
    with pytest.raises(RequestNotFoundError):
        cancel(key, here.log)
    assert not here.head().cancel_requested
