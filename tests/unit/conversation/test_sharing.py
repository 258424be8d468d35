"""Sessions that are shared: who opens one reads what that user may read of it today, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import REMEMBERED_TURNS, AnswerFeedback, AnswerRecord, RequestKey
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    Aggregate,
    AnyEventBody,
    Cancelled,
    Chunk,
    Figure,
    ListedDocument,
    Listing,
    OpenShared,
    Reset,
    SharedPage,
    ShareSession,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    UnshareSession,
    frame,
)
from cicada.conversation.sharing import Sharing
from cicada.conversation.withholding import WITHHELD_FROM_OTHERS
from cicada.errors import LimitExceededError, SessionNotFoundError, ShareNotFoundError, UnavailableError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import AuditRecord, ConversationShared, DocumentsShown, ShownDocument
from tests.fakes.usage_table import InMemoryUsageTable
from tests.unit.conversation.situation import ANN, BOB, WHOLE, send_message
from tests.unit.conversation.test_history import Talk

ID = "7e57d004-2b97-4e7a-b45f-5387367791ff"
SECRET = "The merger is on Friday."
OPEN = "All may know this."
OWNER = replace(ANN, login="ann@acme")


def source(n: int, name: str, excerpt: str) -> Source:
    return Source(n, name, f"Title of {name}", SourceLocator(), excerpt, 0.8, {"Status": f"of {name}"})


PLAN = SourcesFound((source(1, "plan.md", SECRET), source(2, "open.md", OPEN)), "scripts")
ALL_MAY = SourcesFound((source(1, "open.md", OPEN),), "scripts")
LISTED = Listing(1, (ListedDocument("open.md", "Open", {"Status": "of open.md"}, 0.8),), knowledge_base="scripts")
SAID = Chunk(content="On Friday [1].")


class House(Talk):
    """Ann shares the session `s1`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.records: list[AuditRecord] = []
        self.share_ids = iter("abcdefgh")
        self.limits = UsageLimits(InMemoryUsageTable(), self.log, self.clock, 60, 10, 1200)
        self.sharing = Sharing(
            *(self.log, self.shares, self.withholding, self.limits, self.note, self.clock),
            lambda: next(self.share_ids),
        )

    def note(self, *records: AuditRecord) -> None:
        self.records += records

    def answered(
        self, *events: AnyEventBody, path: Sequence[str] = ("generate",), shown: Sequence[str] = (), number: int = 1
    ) -> None:
        """A question and its whole answer. `shown`: ids of documents that the audit trail says were shown."""
        self.clock.now += 1
        key = RequestKey(ANN, f"7e57d004-2b97-4e7a-b45f-53873677{number:04d}")
        self.accepter.accept(send_message(f"Question {number}", key.request_id, sessionId="s1"), self.connection())
        delivery = self.delivery(self.lease(key))
        delivery.shown.note(ShownDocument("scripts", name, "v1") for name in shown)
        for event in events:
            delivery.send(event)
        delivery.send(WHOLE, AnswerRecord(path=tuple(path)))

    def shared(self) -> str:
        found = self.sharing.share(ShareSession(ID, "s1"), self.connection(OWNER)).share_id
        assert found
        return found

    def open(self, share_id: str = "a", reader: Principal = BOB, **fields: Any) -> SharedPage:
        page = self.sharing.open(OpenShared(ID, share_id, **fields), self.connection(reader, "c9"))
        assert len(frame(page, request_id=ID).encode()) <= FRAME_LIMIT_BYTES
        return page

    def close(self, how: str) -> None:
        if how == "removed":
            self.access.unknown.add("plan.md")
        else:
            self.access.readers["plan.md"] = ("user:ann",)


@pytest.fixture
def house() -> House:
    return House()


HOW = pytest.mark.parametrize("how", ["removed", "another's"])


def answers(page: SharedPage) -> list[str]:
    return [turn.answer for turn in page.turns]


def test_a_reader_is_shown_questions_answers_and_sources_and_whose_they_are(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    house.answered(LISTED, Chunk(content="1 document matches."), path=("list",), number=2)
    house.shared()
    page = house.open()
    assert (page.owner, page.title, page.before) == ("ann@acme", "Question 1", None)
    [listed, cited] = page.turns
    assert (cited.message, cited.answer, cited.withheld, cited.truncated) == ("Question 1", SAID.content, False, False)
    assert (cited.knowledge_base, cited.sources) == ("scripts", (replace(ALL_MAY.sources[0], relevance=None),))
    assert listed.documents == (replace(LISTED.documents[0], relevance=None),)


def test_turns_that_come_after_sharing_are_shown_and_those_under_way_without_an_answer(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    share_id = house.shared()
    key = RequestKey(ANN, house.turn("And then?"))
    delivery = house.delivery(house.lease(key))
    delivery.send(Chunk(content="So far"))
    assert answers(house.open(share_id)) == ["", SAID.content]
    delivery.send(Cancelled())
    stopped = house.open(share_id).turns[0]
    assert (stopped.answer, stopped.status) == ("So far", "cancelled")


@HOW
def test_an_answer_from_a_document_that_the_reader_may_not_read_is_withheld_whole(house: House, how: str) -> None:
    house.answered(ALL_MAY, Chunk(content="All know [1]."))
    house.answered(PLAN, SAID, number=2)
    house.shared()
    assert answers(house.open()) == [SAID.content, "All know [1]."]
    house.close(how)
    page = house.open()
    assert answers(page) == [WITHHELD_FROM_OTHERS, "All know [1]."]
    assert (page.turns[0].withheld, page.turns[0].message) == (True, "Question 2")
    assert not any(word in frame(page) for word in (SECRET, "Friday", "plan.md"))


@pytest.mark.parametrize("found", [PLAN, replace(LISTED, documents=(ListedDocument("plan.md", "The merger"),))])
def test_sources_of_an_answer_that_was_stopped_before_its_text_are_withheld_too(
    house: House, found: AnyEventBody
) -> None:
    house.answered(found)
    house.shared()
    house.close("removed")
    assert answers(house.open()) == [WITHHELD_FROM_OTHERS]
    assert not any(word in frame(house.open()) for word in (SECRET, "merger", "plan.md"))


def test_what_only_the_model_was_shown_counts_too(house: House) -> None:
    house.answered(ALL_MAY, SAID, shown=("open.md", "plan.md"))
    house.shared()
    house.close("another's")
    assert answers(house.open()) == [WITHHELD_FROM_OTHERS]


def test_a_source_before_a_reset_does_not_count(house: House) -> None:
    house.answered(PLAN, Reset(reason="again"), ALL_MAY, SAID)
    house.shared()
    house.close("removed")
    assert [each.document_id for each in house.open().turns[0].sources] == ["open.md"]


@pytest.mark.parametrize(
    ("path", "is_withheld"),
    [
        (("generate",), True),
        (("follow_up", "list"), True),
        (("plan:model:nova", "list"), True),
        (("plan:rules", "list"), False),
    ],
)
def test_what_was_answered_with_a_withheld_answer_in_view_may_repeat_it(
    house: House, path: tuple[str, ...], is_withheld: bool
) -> None:
    house.answered(PLAN, SAID)
    house.answered(Chunk(content="As I said, on Friday."), path=path, number=2)
    house.shared()
    house.close("removed")
    assert [turn.withheld for turn in house.open().turns] == [is_withheld, True]
    assert [turn.withheld for turn in house.open(limit=1).turns] == [is_withheld]


def test_as_many_turns_later_as_a_model_is_given_an_answer_is_shown_again(house: House) -> None:
    house.answered(PLAN, SAID)
    for number in range(2, REMEMBERED_TURNS + 3):
        house.answered(LISTED, path=("list",), number=number)
    house.answered(Chunk(content="Hello."), number=99)
    house.shared()
    house.close("removed")
    assert answers(house.open())[0] == "Hello."


FIGURE = Aggregate("sum", "Price, sum", Figure("4,711", 4711.0), 2, "price")


@pytest.mark.parametrize(
    ("events", "path"),
    [
        ((Listing(2, LISTED.documents, aggregates=(FIGURE,), knowledge_base="scripts"),), ("list",)),
        ((Listing(2, (), aggregates=(FIGURE,)),), ("aggregate",)),
        ((StatusChanged(stage="agent", detail="profiles"),), ("agent:profiles",)),
        ((), ("clarify",)),
    ],
)
def test_an_answer_that_rests_on_what_nobody_knows_is_for_its_owner_alone(
    house: House, events: Sequence[AnyEventBody], path: tuple[str, ...]
) -> None:
    house.answered(*events, Chunk(content="It is 4,711."), path=path)
    house.shared()
    page = house.open()
    assert answers(page) == [WITHHELD_FROM_OTHERS]
    assert "4711" not in frame(page)


def test_all_of_a_base_that_the_reader_may_not_ask_is_withheld(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    house.shared()
    house.access.bases = KnowledgeBases(named={"scripts": KnowledgeBase("scripts", groups=("board",))})
    assert answers(house.open()) == [WITHHELD_FROM_OTHERS]
    assert answers(house.open(reader=replace(BOB, groups=frozenset({"board"})))) == [SAID.content]


def test_if_nobody_can_say_who_may_read_a_document_nothing_is_shown(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    house.shared()
    house.access.failure = UnavailableError("The table does not answer.")
    with pytest.raises(UnavailableError):
        house.open()


def revoked(house: House) -> None:
    house.sharing.unshare(UnshareSession(ID, "s1"), house.connection(OWNER))


def revoked_and_shared_again(house: House) -> None:
    revoked(house)
    assert house.shared() == "b"


def left_behind(house: House) -> None:
    """The session's row says that it is not shared; the other row is still there."""
    house.log.mark_shared(ANN, "s1", "")


def deleted(house: House) -> None:
    session = house.log.session(ANN, "s1")
    assert session
    house.log.delete_session(ANN, session)


def expired(house: House) -> None:
    house.clock.now += 3601


def untouched(house: House) -> None:
    """The id alone is wrong."""


def noted(read: Callable[..., Any], reads: list[str]) -> Callable[..., Any]:
    """The same read, whose name is noted."""

    def reading(*asked: Any) -> Any:
        reads.append(read.__name__)
        return read(*asked)

    return reading


@pytest.mark.parametrize(
    ("before", "share_id", "reader"),
    [
        *((each, "a", BOB) for each in (revoked, revoked_and_shared_again, left_behind, deleted, expired)),
        (untouched, "a", Principal("elsewhere", "bob")),
        *((untouched, each, BOB) for each in ("A", "s1", "acme#ann", "x" * 128, "a\n", "á", "a ", "🙂" * 128)),
        (untouched, "s1", ANN),
    ],
)
def test_every_id_that_opens_nothing_is_refused_in_the_same_words_after_the_same_reads(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    before: Callable[[House], None],
    share_id: str,
    reader: Principal,
) -> None:
    house.answered(ALL_MAY, SAID)
    assert house.shared() == "a"
    before(house)
    reads = list[str]()
    for whose, name in ((house.shares, "find"), (house.log, "session")):
        monkeypatch.setattr(whose, name, noted(getattr(whose, name), reads))
    recorded = list(house.records)
    with pytest.raises(ShareNotFoundError, match="There is no such shared conversation: the link is not whole, or"):
        house.open(share_id, reader)
    assert (reads, house.records) == (["find", "session"], recorded)


def test_what_ends_between_two_pages_ends(house: House) -> None:
    for number in range(1, 5):
        house.answered(PLAN if number == 2 else ALL_MAY, SAID, path=("list",), number=number)
    house.shared()
    first = house.open(limit=2)
    house.close("another's")
    second = house.open(limit=1, before=first.before)
    assert answers(second) == [WITHHELD_FROM_OTHERS]
    revoked(house)
    with pytest.raises(ShareNotFoundError):
        house.open(before=second.before)


def test_long_turns_come_page_by_page_each_once(house: House) -> None:
    long = SourcesFound(tuple(source(n, "open.md", 'ä"\\\x00' * 300) for n in range(1, 30)), "scripts")
    for number in range(1, 6):
        house.answered(long, Chunk(content='Long "answer" 🙂\n' * 200 * number), number=number)
    house.shared()
    turns, before = list[Any](), None
    while before is not None or not turns:
        page = house.open(before=before, limit=3)
        turns, before = [*turns, *page.turns], page.before
    assert [turn.message for turn in turns] == [f"Question {number}" for number in (5, 4, 3, 2, 1)]
    assert all(turn.truncated and turn.sources and turn.answer for turn in turns)


def test_what_users_say_of_answers_is_not_shown(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    house.log.rate(RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-538736770001"), AnswerFeedback("bad", 1.0, (), "Nonsense"))
    house.shared()
    shown = frame(house.open())
    assert not any(word in shown for word in ("Nonsense", "rating", "bad"))


def test_sharing_is_the_owners_alone(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    for reader in (BOB, Principal("elsewhere", "ann")):
        with pytest.raises(SessionNotFoundError):
            house.sharing.share(ShareSession(ID, "s1"), house.connection(reader))
        with pytest.raises(SessionNotFoundError):
            house.sharing.unshare(UnshareSession(ID, "s1"), house.connection(reader))
    assert house.records == []


def test_who_shares_ends_and_opens_is_recorded_without_a_text_or_an_id_that_opens(house: House) -> None:
    house.answered(ALL_MAY, SAID, shown=("open.md",))
    assert [house.shared(), house.shared()] == ["a", "a"]
    house.open(reader=replace(BOB, login="bob@acme"))
    revoked(house)
    [shared, _, opened, documents, ended] = house.records
    assert shared == ConversationShared(
        *(house.clock(), "acme", "ann", "share", "s1", "ann", ID, "ann@acme", "ann@acme", "c1")
    )
    assert opened == ConversationShared(
        *(house.clock(), "acme", "bob", "open", "s1", "ann", ID, "bob@acme", "ann@acme", "c9")
    )
    assert isinstance(documents, DocumentsShown)
    assert (documents.user, documents.outcome) == ("bob", "shared")
    assert documents.documents == (ShownDocument("scripts", "open.md", "v1"),)
    assert ended == replace(shared, act="unshare")


def test_documents_of_a_withheld_answer_are_not_recorded_as_shown(house: House) -> None:
    house.answered(ALL_MAY, SAID, shown=("open.md",))
    house.answered(PLAN, SAID, shown=("plan.md", "open.md"), number=2)
    house.shared()
    house.close("another's")
    house.open()
    [documents] = [each for each in house.records if isinstance(each, DocumentsShown)]
    assert [each.document_id for each in documents.documents] == ["open.md"]


def test_a_page_costs_what_its_turns_do(house: House) -> None:
    for number in range(1, 20):
        house.answered(ALL_MAY, SAID, number=number)
    house.shared()
    for _ in range(21):
        house.open()
    with pytest.raises(LimitExceededError):
        house.open()
    assert house.open(reader=Principal("acme", "carl")).turns


def test_the_id_lives_as_long_as_its_session_does(house: House) -> None:
    house.answered(ALL_MAY, SAID)
    house.shared()
    house.clock.now += 3000
    house.turn("And then?")
    house.clock.now += 3000
    assert [turn.message for turn in house.open().turns] == ["And then?"]
