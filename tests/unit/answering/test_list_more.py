"""The further rows of a list, and the same list without a condition, from what the answer has kept of its plan."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.answering.list_more import ListingPager
from cicada.conversation.listings import asked_without
from cicada.conversation.model import AnswerRecord, Connection, RequestKey
from cicada.conversation.protocol import FRAME_LIMIT_BYTES, ListingPage, ListMore, frame
from cicada.documents.model import MetadataValue
from cicada.errors import CicadaError, LimitExceededError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import DocumentsShown
from cicada.understanding.plan import PAGE_SIZE
from tests.unit.answering.situation import ANN
from tests.unit.answering.test_conversation import Remembering, over, with_documents
from tests.unit.answering.test_listing import BASES, SCHEMA, situation
from tests.unit.conversation.situation import send_message

REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791ff"
BOB = Principal("acme", "bob")


class Listed:
    """Ann's answered list, and who asks for more of it."""

    def __init__(self, here: Remembering, message: str = "list the approved documents") -> None:
        self.here = here
        self.key = here.asked_in_session(message, 1, "store")
        here.process(self.key)
        self.audited: list[DocumentsShown] = []
        self.charged: list[Principal] = []
        self.bases = here.answering.bases

    def more(self, offset: int, principal: Principal = ANN, answer: str = "") -> ListingPage:
        answering, wired = self.here.answering, (self.audited.append, self.here.clock, self.charged.append)
        pager = ListingPager(self.here.log, answering.catalogue, answering.gate, lambda: self.bases, *wired)
        command = ListMore(REQUEST, answer or self.key.request_id, offset)
        return pager.more(command, Connection("c1", principal, 600, 0))

    def refusal(self, offset: int = PAGE_SIZE, **asked: Any) -> str:
        with pytest.raises(CicadaError) as refused:
            self.more(offset, **asked)
        assert self.audited == []
        return f"{refused.value.code}: {refused.value}"


def test_the_rows_after_the_first_ones_are_those_that_asking_would_bring() -> None:
    listed = Listed(with_documents(2 * PAGE_SIZE + 5))
    pages = [listed.more(PAGE_SIZE), listed.more(2 * PAGE_SIZE)]
    shown = [each.document_id for page in pages for each in page.documents]
    assert shown == [f"d{number:03d}" for number in range(PAGE_SIZE, 2 * PAGE_SIZE + 5)]
    assert [page.next_offset for page in pages] == [2 * PAGE_SIZE, None]
    assert [(page.total, page.offset, page.columns) for page in pages[:1]] == [(45, PAGE_SIZE, ("Status",))]
    assert [each.outcome for each in listed.audited] == ["listed", "listed"]
    assert [each.document_id for each in listed.audited[1].documents] == [f"d{number:03d}" for number in range(40, 45)]
    assert listed.charged == [ANN, ANN]


def test_more_of_a_list_is_no_turn_of_its_conversation() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))
    before = len(listed.here.log.turns(ANN, "s1", None, 50))
    listed.more(PAGE_SIZE)
    assert len(listed.here.log.turns(ANN, "s1", None, 50)) == before


def test_who_may_read_the_rows_is_asked_each_time() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 3))
    listed.here.answering.access.readers["d021"] = ("user:bob",)
    page = listed.more(PAGE_SIZE)
    assert [each.document_id for each in page.documents] == ["d020", "d022"]
    assert page.total == PAGE_SIZE + 2


def test_a_list_that_is_not_the_users_or_is_not_there_is_refused_alike() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))
    unknown = "request_not_found: There is no such answer of yours: it has been deleted, or has expired. Ask again."
    assert listed.refusal(principal=BOB) == unknown
    assert listed.refusal(principal=Principal("other", "ann")) == unknown
    assert listed.refusal(answer=REQUEST) == unknown
    listed.here.log.delete_requests([listed.key])
    assert listed.refusal() == unknown
    assert listed.charged == []


def test_an_offset_behind_the_end_is_refused_with_the_number_of_rows() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))
    said = "invalid_frame: There are no more: the list has 25 rows now."
    assert listed.refusal(PAGE_SIZE + 5) == said
    assert listed.refusal(99_999_999) == said


def test_nothing_is_listed_of_a_base_that_has_been_closed_to_the_user() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))
    listed.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=SCHEMA, groups=("qa",))})
    assert listed.refusal().startswith("unknown_knowledge_base: There is no knowledge base “store”")


@pytest.mark.parametrize("path", [None, AnswerRecord(path=("general",))])
def test_an_answer_without_a_list_has_no_more(path: AnswerRecord | None) -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))
    listed.key = listed.here.asked_in_session("list the approved documents", 2, "store")
    assert listed.refusal() == "invalid_frame: That answer lists no documents."


def test_numbers_alone_have_no_rows_to_go_on_with() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5), "how many documents are there by status?")
    assert listed.refusal() == "invalid_frame: That answer lists no documents."


def test_a_user_who_has_to_wait_is_shown_nothing() -> None:
    listed = Listed(with_documents(PAGE_SIZE + 5))

    class Refusing(list[Principal]):
        def append(self, principal: Principal) -> None:
            raise LimitExceededError("Wait.", 1)

    listed.charged = Refusing()
    assert listed.refusal().startswith("rate_limited")


def test_rows_that_have_no_room_in_a_frame_come_with_the_next_ones() -> None:
    names = [f"f{number}" for number in range(8)]
    long: dict[str, MetadataValue] = {"status": "approved", **dict.fromkeys(names, "क" * 300)}
    documents: dict[str, tuple[dict[str, MetadataValue], tuple[str, ...]]] = {
        f"d{at:03d}": (long, ()) for at in range(30)
    }
    fields = {name: SchemaField(name, FieldType.KEYWORD, shown=True) for name in names}
    bases = KnowledgeBases(
        named={"store": KnowledgeBase("store", schema=replace(SCHEMA, fields={**SCHEMA.fields, **fields}))}
    )
    kept = situation(documents)
    kept.bases = bases
    listed = Listed(over(kept))
    shown: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = listed.more(offset)
        assert len(frame(page, request_id=REQUEST).encode()) <= FRAME_LIMIT_BYTES
        shown += [each.document_id for each in page.documents]
        offset = page.next_offset
    assert shown == sorted(documents)


# ---- without a condition ----


def without(listed: Listed, place: int, message: str = "Everything", **fields: Any) -> RequestKey:
    """Ann asks for her list again, without the condition at this place."""
    here = listed.here
    asked = {"requestId": listed.key.request_id, "condition": place}
    command = send_message(message, REQUEST, sessionId="s1", knowledgeBase="store", without=asked, **fields)
    here.accepter.accept(command, here.connection(ANN))
    return RequestKey(ANN, REQUEST)


def ended(here: Remembering) -> dict[str, Any]:
    return dict(json.loads(here.channel.frames["c1"][-1]))


def test_a_list_is_made_again_without_a_condition_and_not_from_the_words_of_the_message() -> None:
    here = over(situation())
    listed = Listed(here)
    assert (ended(here)["plan"]["filters"], ended(here)["plan"]["removable"]) == (["Status: approved"], [0])
    here.process(without(listed, 0))
    page = here.listing(RequestKey(ANN, REQUEST))
    assert page is not None
    assert {each.document_id for each in page.documents} == {"lease", "supply", "draft"}
    plan: dict[str, Any] = ended(here)["plan"]
    assert (plan["strategy"], plan["filters"], "removable" in plan) == ("MetadataOnly", [], False)


def test_what_goes_on_from_a_list_does_not_bring_back_what_was_left_out_of_it() -> None:
    here = over(situation())
    listed = Listed(here)
    here.process(without(listed, 0, message="list the approved documents – without “Status: approved”"))
    for number, (message, filters) in enumerate(
        [
            ("How many are there by status?", []),
            ("Only those with status draft", ["Status: draft"]),
            ("list the approved documents", ["Status: approved"]),
        ],
        start=3,
    ):
        here.process(here.asked_in_session(message, number, "store"))
        plan: dict[str, Any] = ended(here)["plan"]
        assert (message, plan["filters"]) == (message, filters)


@pytest.mark.parametrize("place", [1, 999])
def test_a_condition_that_the_answer_does_not_have_cannot_be_left_out(place: int) -> None:
    listed = Listed(with_documents(3))
    with pytest.raises(CicadaError, match="no such condition that can be left out"):
        without(listed, place)
    assert listed.here.log.question(RequestKey(ANN, REQUEST)) is None


def test_the_conditions_of_the_scope_stay_and_cannot_be_left_out() -> None:
    here = over(situation())
    here.accepter = replace(here.accepter, bases=lambda: BASES)
    scope = {"filters": [{"field": "value", "op": "exists"}]}
    here.accepter.accept(
        send_message("list the approved documents", sessionId="s1", knowledgeBase="store", scope=scope),
        here.connection(),
    )
    key = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791cd")
    here.process(key)
    plan: dict[str, Any] = ended(here)["plan"]
    assert (len(plan["filters"]), plan["removable"]) == (2, [1])
    with pytest.raises(CicadaError, match="no such condition"):
        asked_without(0, key, here.log, here.question(key))
    asked = asked_without(1, key, here.log, here.question(key))
    assert asked.listing is not None
    assert asked.listing.conditions == ()


def test_the_same_without_a_condition_may_be_sent_twice() -> None:
    listed = Listed(with_documents(3))
    without(listed, 0)
    without(listed, 0)
    assert [each.request_id for each in listed.here.log.turns(ANN, "s1", None, 50)].count(REQUEST) == 1
