"""Excerpts of documents that are gone, or that the user may not read any more, are not shown again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.conversation.memory import LoggedConversation
from cicada.conversation.model import RequestKey, StoredEvent
from cicada.conversation.protocol import (
    Aggregate,
    AnyEventBody,
    Chunk,
    Figure,
    Group,
    ListedDocument,
    Listing,
    Reset,
    Source,
    SourceLocator,
    SourcesFound,
    frame,
)
from cicada.conversation.withholding import WITHHELD, WITHHELD_ANSWER, ShownAgain
from cicada.errors import UnavailableError
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from tests.unit.conversation.situation import ANN, WHOLE, send_message
from tests.unit.conversation.test_history import Talk

SECRET = "The merger is on Friday."


def source(n: int, name: str, excerpt: str = SECRET) -> Source:
    return Source(n, name, f"Title of {name}", SourceLocator(section=("Merger",)), excerpt, 0.8, {"Status": "secret"})


SOURCES = SourcesFound((source(1, "plan.md"), source(2, "open.md", "All may know this.")), "scripts")
LISTING = Listing(
    total=2,
    documents=(
        ListedDocument("plan.md", "The merger", {"Status": "secret"}, 0.8, SECRET, "“merger” in the title"),
        ListedDocument("open.md", "Open"),
    ),
    columns=("Status",),
    aggregates=(Aggregate("sum", "Price, sum", Figure("4,711", 4711.0), 1, "price"),),
    grouped_by=("Status",),
    groups=(Group(("secret",), 1, (Figure("4,711", 4711.0),)),),
    group_count=1,
    knowledge_base="scripts",
)


def answered(talk: Talk, *events: AnyEventBody, number: int = 1) -> str:
    """A whole answer of these events; its requestId."""
    talk.clock.now += 1
    request_id = f"7e57d004-2b97-4e7a-b45f-5387367791{number:02d}"
    talk.accepter.accept(send_message("When is it?", request_id, sessionId="s1"), talk.connection())
    delivery = talk.delivery(talk.lease(RequestKey(ANN, request_id)))
    for event in (*events, WHOLE):
        delivery.send(event)
    return request_id


def resumed(talk: Talk, request_id: str, after_seq: int = 0) -> list[dict[str, Any]]:
    talk.channel.frames.pop("again", None)
    talk.resumer.resume(RequestKey(ANN, request_id), after_seq, "again")
    return [json.loads(each) for each in talk.channel.frames.get("again", [])]


@pytest.fixture
def talk() -> Talk:
    return Talk()


def close(talk: Talk, how: str) -> None:
    if how == "removed":
        talk.access.unknown.add("plan.md")
    else:
        talk.access.readers["plan.md"] = ("group:board",)


HOW = pytest.mark.parametrize("how", ["removed", "another's"])


@HOW
def test_a_source_keeps_its_number_and_has_a_note_instead_of_its_text(talk: Talk, how: str) -> None:
    request_id = answered(talk, SOURCES, Chunk(content="On Friday [1]."))
    [_, before, *_] = resumed(talk, request_id)
    assert [each["excerpt"] for each in before["sources"]] == [SECRET, "All may know this."]
    close(talk, how)
    [accepted, after, chunk, _] = resumed(talk, request_id)
    assert after["sources"] == [
        {
            "n": 1,
            "documentId": "",
            "title": "Withheld",
            "locator": {},
            "excerpt": WITHHELD,
            "relevance": None,
            "withheld": True,
        },
        before["sources"][1],
    ]
    assert [accepted["seq"], after["seq"], chunk["seq"]] == [1, 2, 3]
    assert chunk["content"] == "On Friday [1]."
    assert not any(word in str(after["sources"][0]) for word in ("merger", "Merger", "plan.md", "secret"))


@HOW
def test_a_source_that_was_sent_again_with_its_spans_is_withheld_too(talk: Talk, how: str) -> None:
    plan, open_ = (replace(each, spans=((0, 3),)) for each in SOURCES.sources)
    request_id = answered(talk, SOURCES, Chunk(content="On Friday [1, 2]."), SourcesFound((plan, open_), "scripts"))
    [*_, rests, _] = resumed(talk, request_id)
    assert [each["spans"] for each in rests["sources"]] == [[[0, 3]], [[0, 3]]]
    close(talk, how)
    [_, before, _, after, _] = resumed(talk, request_id)
    assert after["sources"] == [before["sources"][0], rests["sources"][1]]
    assert not any(word in str(after["sources"][0]) for word in ("merger", "spans", "plan.md"))
    assert [turn.withheld for turn in talk.page("s1").turns] == [1]


@HOW
def test_a_listed_document_and_the_values_counted_with_it_are_withheld(talk: Talk, how: str) -> None:
    request_id = answered(talk, LISTING)
    close(talk, how)
    [_, listing, _] = resumed(talk, request_id)
    assert listing["documents"] == [
        {"documentId": "", "title": "Withheld", "fields": {}, "relevance": None, "withheld": True},
        {"documentId": "open.md", "title": "Open", "fields": {}, "relevance": None},
    ]
    assert (listing["total"], listing["aggregates"], listing["groups"]) == (2, [], [])
    assert not any(word in str(listing) for word in ("merger", "secret", "4,711", "4711"))


def test_a_repeated_message_shows_no_more_than_resume(talk: Talk) -> None:
    request_id = answered(talk, SOURCES)
    close(talk, "removed")
    talk.accepter.accept(send_message("When is it?", request_id, sessionId="s1"), talk.connection(connection_id="c9"))
    assert WITHHELD in "".join(talk.channel.frames["c9"])
    assert SECRET not in "".join(talk.channel.frames["c9"])


def test_whoever_may_not_ask_a_base_any_more_is_shown_nothing_of_it_again(talk: Talk) -> None:
    found = answered(talk, SOURCES, Chunk(content="On Friday [1]."))
    listed = answered(talk, LISTING, number=2)
    talk.access.bases = KnowledgeBases(named={"scripts": KnowledgeBase("scripts", groups=("board",))})
    [_, sources, *_], [_, listing, _] = resumed(talk, found), resumed(talk, listed)
    assert [each["excerpt"] for each in sources["sources"]] == [WITHHELD, WITHHELD]
    assert [each["title"] for each in listing["documents"]] == ["Withheld", "Withheld"]
    assert [turn.withheld for turn in talk.page("s1").turns] == [2, 2]
    asked = RequestKey(ANN, answered(talk, number=3))
    remembered = LoggedConversation(talk.log, talk.withholding).before(asked, "s1").turns
    assert [turn.answer for turn in remembered] == [WITHHELD_ANSWER, WITHHELD_ANSWER]
    talk.resumer.resume(RequestKey(replace(ANN, groups=frozenset({"board"})), found), 0, "member")
    assert SECRET in "".join(talk.channel.frames["member"])


def test_an_event_that_does_not_say_its_base_is_withheld(talk: Talk) -> None:
    request_id = answered(talk, SourcesFound((source(1, "plan.md"),)))
    talk.access.unknown.add("plan.md")
    assert SECRET not in str(resumed(talk, request_id))
    assert [base.knowledge_base for base, _ in talk.access.asked] == [""]


def test_if_nobody_can_say_who_may_read_a_document_nothing_is_shown(talk: Talk) -> None:
    request_id = answered(talk, SOURCES)
    talk.access.failure = UnavailableError("The table does not answer.")
    with pytest.raises(UnavailableError):
        resumed(talk, request_id)
    assert SECRET not in "".join(talk.channel.frames["again"])
    with pytest.raises(UnavailableError):
        talk.page("s1")


def test_a_replay_without_excerpts_asks_nobody(talk: Talk) -> None:
    request_id = answered(talk, SOURCES, Chunk(content="On Friday [1]."))
    talk.access.asked.clear()
    assert len(resumed(talk, request_id, 2)) == 2
    assert talk.access.asked == []


@HOW
def test_history_keeps_the_answer_and_counts_what_is_withheld_of_it(talk: Talk, how: str) -> None:
    answered(talk, SOURCES, Chunk(content="On Friday [1]."))
    answered(talk, LISTING, Reset(reason="again"), Chunk(content="Nothing."), number=2)
    assert [turn.withheld for turn in talk.page("s1").turns] == [0, 0]
    close(talk, how)
    talk.access.asked.clear()
    assert [(turn.answer, turn.withheld) for turn in talk.page("s1").turns] == [("Nothing.", 0), ("On Friday [1].", 1)]
    assert len(talk.access.asked) == 1


@HOW
def test_an_answer_from_a_withheld_document_is_not_given_to_a_model_again(talk: Talk, how: str) -> None:
    answered(talk, SOURCES, Chunk(content="On Friday [1]."))
    answered(talk, Chunk(content="You are welcome."), number=2)
    asked = answered(talk, number=3)
    memory = LoggedConversation(talk.log, talk.withholding)
    before = memory.before(RequestKey(ANN, asked), "s1").turns
    assert [turn.answer for turn in before] == ["On Friday [1].", "You are welcome."]
    close(talk, how)
    before = memory.before(RequestKey(ANN, asked), "s1").turns
    assert [turn.answer for turn in before] == [WITHHELD_ANSWER, "You are welcome."]


def test_history_has_the_words_of_an_answer_and_nothing_of_its_documents(talk: Talk) -> None:
    """A history shows no document to anybody, and leaves no record in the audit trail."""
    answered(talk, SOURCES, LISTING, Chunk(content="On Friday [1]."))
    shown = frame(talk.page("s1"))
    assert "On Friday [1]." in shown
    for of_a_document in (SECRET, "plan.md", "open.md", "Title", "Merger", "merger", "Status", "secret"):
        assert of_a_document not in shown


def test_an_event_of_a_newer_version_is_replayed_as_it_is(talk: Talk) -> None:
    event = StoredEvent(2, '{"type":"mood","content":"good"}')
    assert talk.withholding.shown(ANN, event) == ShownAgain(event)
