"""12,000 frames, most of them bad, through the route table and the functions behind it.

Which of them are good is decided by the published schema, not by the code that is tested. A good one has its effect; a
bad one gets one `error` with a code and a sentence that holds nothing of it, and nothing else happens.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace

from cicada.adapters.s3.keys import named_document
from cicada.answering.base_list import BaseList
from cicada.answering.edit_documents import DocumentEditing
from cicada.answering.list_documents import DocumentLister
from cicada.answering.list_more import ListingPager
from cicada.answering.open_document import DocumentOpener
from cicada.bootstrap.conversation import Conversation
from cicada.conversation.administration import Administration
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import AnswerRecord, Connection, Head, Question, RequestKey
from cicada.conversation.protocol import Chunk, Complete, Usage
from cicada.conversation.revocation import Revoker
from cicada.conversation.sessions import Sessions
from cicada.conversation.sharing import Sharing
from cicada.conversation.tenant_reports import TenantReports
from cicada.conversation.titles import clean_title
from cicada.documents.catalogue import ListedPage
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.telemetry import ignore
from cicada.permissions import PermissionGate
from cicada.retrieval.model import EmbeddedPassage
from infra.routes import ROUTES
from tests.fakes.access import RecordedAccessLists, withholding
from tests.fakes.accounts import InMemoryAccounts
from tests.fakes.conversation import InMemoryConnections
from tests.fakes.document_files import InMemoryDocumentFiles
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage
from tests.fakes.share_table import InMemoryShareTable
from tests.fakes.token_counter import InMemoryTokenCounter
from tests.fakes.usage_table import InMemoryUsageTable
from tests.property.command_rules import Fields, good_command, request_id_in
from tests.property.frames import SECRET, SHARE_IDS, FrameMaker
from tests.published.validation import schema
from tests.unit.conversation.situation import ANN, BOB, ID, Situation, send_message

FRAMES = 12_000
# Each batch has fresh ports, as a log of so many requests would be searched slowly.
BATCH = 500
BOBS_ID = "7e57d004-2b97-4e7a-b45f-5387367791ce"
# The function that ends all sign-ins has ports of its own: tests/functions/test_sign_out.py.
SIGN_OUT = "signOutEverywhere"
FUNCTIONS = sorted(set(ROUTES.values()) - {ROUTES[SIGN_OUT]})
FRAME_LIMIT_BYTES = 32 * 1024
WHOLE = Complete(usage=Usage(), timings={}, path=(), confidence=None)
# One document, of one passage.
MACBETH = DocumentKey(KnowledgeBaseKey(ANN.tenant, "scripts"), "macbeth.json")
# The protocol's own words, which a sentence may hold although the frame holds them too.
WORDS = (
    *("sendMessage", "resume", "cancel", "history", "ping", "action", "requestId", "message", "sessionId"),
    *("knowledgeBase", "scope", "episodes", "metadata", "afterSeq", "before", "limit"),
    *("changeSession", "deleteSession", "eraseMine", "title", "pinned"),
    *("feedback", "rating", "reasons", "comment"),
    *("openDocument", "documentId", "passage", "version", "page", "document", "original"),
    *("listDocuments", "uploadDocument", "describeDocument", "removeDocument", "readers", "documents", "ingestedAt"),
    *("passages", "everyone", "upload", "replace", "search", "sort", "offset", "fields", "status", "size", "name"),
    *("listKnowledgeBases", "shareSession", "unshareSession", "openShared", "shareId"),
    *("listKnowledgeBases", "listUsers", "addUser", "disableUser", "enableUser", "setGroups", "readUse"),
    *("readFeedback", "readFailures"),
    *(
        "groups",
        "createGroups",
        "after",
        "filters",
        "field",
        "value",
        "days",
        "listMore",
        "answer",
        "without",
        "condition",
    ),
)
Reply = dict[str, Any]


@dataclass
class Api:
    """The functions on ports in memory, and Ann connected: one request of hers is being answered. Bob has one too."""

    here: Situation = field(default_factory=Situation)
    connections: InMemoryConnections = field(default_factory=InMemoryConnections)
    asked: dict[str, Question] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    shared: dict[str, str] = field(default_factory=dict)
    replied: set[tuple[str, str]] = field(default_factory=set)
    library: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    lists: Situation = field(default_factory=Situation)
    accounts: InMemoryAccounts = field(default_factory=InMemoryAccounts)
    access: RecordedAccessLists = field(default_factory=lambda: RecordedAccessLists(rows={MACBETH: ()}))

    def __post_init__(self) -> None:
        self.library.replace(MACBETH, [EmbeddedPassage(passage(MACBETH, 0, "Is this a dagger?", version="v1"), (1.0,))])
        self.shares = InMemoryShareTable(self.here.log, self.here.clock)
        self.files = InMemoryDocumentFiles(self.here.clock)
        self.files.put(MACBETH)
        for name in (ANN.user, BOB.user):
            self.accounts.put(name, "admins", "hr")
        ann = replace(ANN, groups=frozenset({"editors", "admins"}))
        self.lists.ask("List them")
        self.lists.delivery().send(WHOLE, AnswerRecord(listing=ListedPage("scripts", "scripts")))
        self.connections.add(Connection("ann", ann, float("inf"), 0), 0)
        self.here.ask(SECRET, connection_id="elsewhere")
        self.asked[ID] = Question(SECRET, ID, "scripts")
        delivery = self.here.delivery()
        for word in ("one ", "two ", "three "):
            delivery.send(Chunk(content=word))
        self.here.accepter.accept(send_message("Mine", BOBS_ID), Connection("bob", BOB, float("inf"), 0))

    @property
    def conversation(self) -> Conversation:
        here = self.here
        limits = self.command_guard.limits
        sessions = Sessions(here.log, self.shares, limits, ignore, here.clock, lambda _: 0)
        sharing = Sharing(here.log, self.shares, here.withholding, limits, ignore, here.clock, self.free_share_id)
        return Conversation(here.log, here.accepter, here.resumer, limits, here.withholding, sessions, sharing)

    def free_share_id(self) -> str:
        return next((each for each in SHARE_IDS if each not in self.shared.values()), str(uuid4()))

    @property
    def document_opener(self) -> DocumentOpener:
        """Of one document."""
        return DocumentOpener(self.library, withholding(self.access), ignore, self.here.clock)

    @property
    def document_editing(self) -> DocumentEditing:
        """Ann is an editor."""
        gate = withholding(self.access)
        return DocumentEditing(self.files, gate, "editors", named_document, ignore, self.here.clock)

    @property
    def document_lister(self) -> DocumentLister:
        editing = self.document_editing
        return DocumentLister(self.library, editing.withholding, ignore, self.here.clock, editing)

    @property
    def listing_pager(self) -> ListingPager:
        """Of a log in which Ann's first request is a list."""
        gate = PermissionGate(self.access)
        return ListingPager(self.lists.log, self.library, gate, KnowledgeBases, ignore, self.here.clock, ignore)

    @property
    def administration(self) -> Administration:
        """Ann is an administrator, of a tenant with Bob."""
        revoker = Revoker(InMemoryUsageTable(), self.connections, self.here.channel, self.here.log, ignore)
        reports = TenantReports(InMemoryTokenCounter(), self.here.log, self.here.clock, 10**6)
        wired = (self.accounts, reports, revoker, "admins", ANN.tenant, "pool_", ignore, ignore)
        return Administration(*wired, self.here.clock)

    @property
    def base_list(self) -> BaseList:
        """Of one base."""
        gate = PermissionGate(RecordedAccessLists(rows={MACBETH: ()}))
        bases = KnowledgeBases(named={"scripts": KnowledgeBase("scripts")})
        return BaseList(self.library, gate, ignore, lambda: bases, lambda _: (), ignore, self.here.clock)

    @property
    def command_guard(self) -> CommandGuard:
        """Without a limit that these frames reach."""
        limits = UsageLimits(InMemoryUsageTable(), self.here.log, self.here.clock, 10**6, 10**6, 10**8)
        return CommandGuard(self.connections, limits, self.here.channel, self.here.clock)

    def send(self, function: str, frame: str) -> Reply | None:
        """The reply to Ann's frame, parsed."""
        event = {"requestContext": {"connectionId": "ann"}, "isBase64Encoded": False} | (
            {"body": frame} if frame else {}
        )
        reply = importlib.import_module(f"functions.{function}.handler").handler(event, None)
        assert reply["statusCode"] == 200
        assert len(reply.get("body", "").encode()) <= FRAME_LIMIT_BYTES
        if "body" not in reply:
            return None
        found = dict(json.loads(reply["body"]))
        self.replied.add((route(frame), message_name(found)))
        return found

    def head(self, request_id: str) -> Head:
        return self.here.head(RequestKey(ANN, request_id))

    def posted(self) -> int:
        return sum(map(len, self.here.channel.frames.values()))

    def traces(self) -> object:
        """What a frame may leave behind."""
        heads = [self.here.log.head(key) for key in (RequestKey(ANN, ID), RequestKey(BOB, BOBS_ID))]
        return heads, self.posted(), len(self.here.queue.requests), len(self.here.log.sessions(ANN, None, 10**6))


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Api]:
    """Wires the functions to new ports."""

    def start() -> Api:
        api = Api()
        for function in FUNCTIONS:
            module = importlib.import_module(f"functions.{function}.handler")
            of_documents = ("document_opener", "base_list", "document_lister", "document_editing", "listing_pager")
            monkeypatch.setattr(module, "command_guard", lambda: api.command_guard)
            others = {"ws_open": of_documents, "ws_admin": ("administration",)}
            for wired in others.get(function, ("conversation",)):
                monkeypatch.setattr(module, wired, lambda wired=wired: getattr(api, wired))
        return api

    return start


def route(frame: str) -> str:
    """What API Gateway makes of `$request.body.action`: an action without a route, or none, goes to `$default`."""
    try:
        fields = json.loads(frame)
    except (ValueError, RecursionError):
        return "$default"
    action = fields.get("action") if isinstance(fields, dict) else None
    return action if isinstance(action, str) and action in ROUTES else "$default"


def message_name(reply: Reply) -> str:
    """What docs/protocol/asyncapi.json calls it."""
    names = {"error": "Refusal", "history": "HistoryPage", "document": "DocumentPage", "session": "SessionChanged"}
    names |= {"feedback": "FeedbackKept", "knowledgeBases": "KnowledgeBasesListed"}
    names |= {"feedback": "FeedbackKept", "documents": "DocumentsPage", "upload": "UploadForm"}
    names |= {"sessionShared": "SessionShared", "shared": "SharedPage"}
    names |= {"description": "DocumentDescription", "removed": "DocumentRemoved"}
    names |= {"ratings": "RatingsRead", "failures": "FailuresRead"}
    names |= {"listingPage": "ListingPage", "users": "UsersPage", "user": "UserChanged", "use": "UseRead"}
    return names.get(reply["type"], str(reply["type"]).capitalize())


def published_replies() -> set[tuple[str, str]]:
    """Each route and what may answer it at once, as published."""
    published = [each for each in schema("asyncapi.json")["operations"].values() if "x-route-key" in each]
    operations = [each for each in published if each["x-route-key"] != SIGN_OUT]
    return {
        (each["x-route-key"], message["$ref"].rpartition("/")[2])
        for each in operations
        for message in each.get("reply", each)["messages"]
    }


def refused(reply: Reply | None, frame: str, code: str) -> None:
    """One error that says which request it is about, what is wrong, and nothing else of the frame."""
    assert reply is not None
    request_id = request_id_in(frame)
    assert reply.get("requestId") == request_id
    assert set(reply) - {"requestId"} == {"type", "error", "code", "retryable"}
    assert (reply["type"], reply["code"]) == ("error", code)
    sentence: str = reply["error"]
    assert re.fullmatch(r"[A-Z][^\n]{10,400}[^.]\.", sentence), sentence
    assert SECRET not in sentence
    # Which group is missing is said.
    sentence = re.sub(r"group “[^”]{1,128}”", "\n", sentence)
    for word in WORDS:
        sentence = sentence.replace(word, "\n")
    quoted = [sentence[at : at + 10] for at in range(len(sentence) - 9) if sentence[at : at + 10] in frame]
    assert not quoted


def sent(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    request_id = fields["requestId"]
    scope = fields.get("scope") or {}
    session_id = fields.get("sessionId") or request_id
    # A session that is named keeps the knowledge base of its first question.
    of_session = [each.knowledge_base for each in api.asked.values() if each.session_id == fields.get("sessionId")]
    begun = next(iter(of_session), "scripts")
    question = Question(
        fields["message"],
        session_id,
        fields.get("knowledgeBase") or begun,
        tuple(scope.get("episodes", ())),
        tuple(AnyOf(name, frozenset(values)) for name, values in scope.get("metadata", {}).items()),
    )
    if request_id not in api.asked and session_id in api.gone and not fields.get("without"):
        refused(reply, frame, "session_not_found")
        return
    if fields.get("without"):
        # None of her answers here is complete.
        assert unless_refused(reply, frame, "request_not_found", "invalid_frame") is None
        return
    before = api.asked.setdefault(request_id, question)
    if before != question:
        refused(reply, frame, "request_conflict")
    elif reply and reply["type"] == "pending":
        pending(reply, request_id)
        assert api.head(request_id).connection_id == "ann"
    else:
        session = {"sessionId": question.session_id, "knowledgeBase": question.knowledge_base}
        assert reply == {"requestId": request_id, "seq": 1, "type": "accepted"} | session
        assert api.here.log.question(RequestKey(ANN, request_id)) == question
        # The queue drops the repeat of a request that was deleted a moment ago, as SQS does.
        assert request_id in api.deleted or api.here.queue.requests[-1] == RequestKey(ANN, request_id)


def pending(reply: Reply | None, request_id: str) -> None:
    """When to ask again for a request that nobody has begun yet."""
    assert reply is not None
    assert 0 < reply.pop("retryAfterSeconds") <= 30.5
    assert reply == {"requestId": request_id, "type": "pending"}


def resumed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if fields["requestId"] not in api.asked:
        refused(reply, frame, "request_not_found")
        return
    pending(reply, fields["requestId"])
    head = api.head(fields["requestId"])
    assert head.connection_id == "ann"
    expected = list(range(fields["afterSeq"] + 1, head.last_seq + 1))
    assert not expected or api.here.numbers("ann")[-len(expected) :] == expected


def cancelled(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if fields["requestId"] not in api.asked:
        refused(reply, frame, "request_not_found")
        return
    assert reply is None
    assert api.head(fields["requestId"]).cancel_requested


def listed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if not _is_time(fields.get("before")):
        refused(reply, frame, "invalid_frame")
        return
    assert reply is not None
    assert (reply["type"], reply["sessionId"]) == ("history", fields.get("sessionId"))
    assert len(reply["sessions"]) + len(reply["turns"]) <= fields.get("limit", 20)
    assert "Mine" not in json.dumps(reply)


def _is_time(before: str | None) -> bool:
    try:
        return before is None or datetime.fromisoformat(before).timestamp() is not None
    except (ValueError, OverflowError):
        return False


def ponged(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    assert reply == {"type": "pong"}


def changed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    title = fields.get("title")
    if title is not None and not clean_title(title):
        refused(reply, frame, "invalid_frame")
    elif api.here.log.session(ANN, fields["sessionId"]) is None:
        refused(reply, frame, "session_not_found")
    else:
        assert reply is not None
        assert reply["requestId"] == fields["requestId"]
        assert title is None or reply["session"]["title"] == clean_title(title)


def deleted(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    gone = {name for name, each in api.asked.items() if each.session_id == fields["sessionId"]}
    if not gone:
        refused(reply, frame, "session_not_found")
        return
    assert reply == {"requestId": fields["requestId"], "type": "session", "session": None}
    assert not any(api.here.log.head(RequestKey(ANN, each)) for each in gone)
    api.asked = {name: each for name, each in api.asked.items() if name not in gone}
    api.deleted |= gone
    api.gone.add(fields["sessionId"])
    api.shared.pop(fields["sessionId"], None)


def shared(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    session_id = fields["sessionId"]
    if not any(each.session_id == session_id for each in api.asked.values()):
        refused(reply, frame, "session_not_found")
        return
    assert reply is not None
    if fields["action"] == "unshareSession":
        api.shared.pop(session_id, None)
    else:
        assert api.shared.setdefault(session_id, reply["shareId"]) == reply["shareId"]
    assert (reply["type"], reply["sessionId"], reply["shareId"]) == (
        *("sessionShared", session_id),
        api.shared.get(session_id),
    )


def shared_opened(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if not _is_time(fields.get("before")):
        refused(reply, frame, "invalid_frame")
    elif fields["shareId"] not in api.shared.values():
        refused(reply, frame, "share_not_found")
    else:
        assert reply is not None
        assert (reply["type"], reply["owner"]) == ("shared", ANN.user)
        assert len(reply["turns"]) <= fields.get("limit", 20)


def erased(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    sessions = {each.session_id for each in api.asked.values()}
    assert reply == {
        "requestId": fields["requestId"],
        "type": "erased",
        "conversations": len(sessions),
        "questions": len(api.asked),
        "entries": 0,
        "left": False,
    }
    api.deleted |= set(api.asked)
    api.gone |= sessions
    api.shared.clear()
    api.asked = {}


def opened(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    assert reply is not None
    if (fields["knowledgeBase"], fields["documentId"]) != ("scripts", "macbeth.json"):
        refused(reply, frame, "document_not_found")
    elif (fields.get("page") or 1) > 1:
        refused(reply, frame, "invalid_frame")
    else:
        marked = fields.get("passage") in ("0", "0@v1")
        assert (reply["type"], [("marked" in each) for each in reply["blocks"]]) == ("document", [marked])


def bases_listed(_api: Api, fields: Fields, reply: Reply | None, _frame: str) -> None:
    bases = [{"name": "scripts", "documents": 1, "questions": ["Which documents are there?"]}]
    assert reply == {"requestId": fields["requestId"], "type": "knowledgeBases", "bases": bases}


def documents_listed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    assert reply is not None
    if (fields.get("sort") or "title").removeprefix("-") not in ("title", "id", "passages", "ingestedAt"):
        refused(reply, frame, "invalid_filter")
    elif fields["knowledgeBase"] != "scripts":
        assert (reply["type"], reply["total"]) == ("documents", 0)
    else:
        assert {each["documentId"] for each in reply["documents"]} <= {"macbeth.json"}


def more_listed(_api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if fields["answer"] != ID:
        refused(reply, frame, "request_not_found")
    elif fields["offset"] > 0:
        refused(reply, frame, "invalid_frame")
    else:
        assert reply is not None
        assert (reply["type"], [each["documentId"] for each in reply["documents"]]) == ("listingPage", ["macbeth.json"])


def unless_refused(reply: Reply | None, frame: str, *codes: str) -> Reply | None:
    """The reply; None if it is an error, which then has one of these codes."""
    assert reply is not None
    if reply["type"] != "error":
        return reply
    refused(reply, frame, reply["code"])
    assert reply["code"] in codes
    return None


def uploaded(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if made := unless_refused(reply, frame, "document_exists", "document_changed", "document_refused"):
        assert (made["type"], made["documentId"]) == ("upload", fields["name"])
        assert 0 < fields["size"] <= 50_000_000


def described(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if made := unless_refused(reply, frame, "document_not_found", "document_changed", "document_refused"):
        assert (made["type"], made["documentId"]) == ("description", "macbeth.json")
        assert fields.get("fields") is None or made["fields"] == fields["fields"]


def removed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if made := unless_refused(reply, frame, "document_not_found", "document_refused"):
        assert (made["type"], made["documentId"]) == ("removed", fields["documentId"])


def users_listed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if made := unless_refused(reply, frame, "user_refused"):
        assert {ANN.user, BOB.user} <= {each["name"] for each in made["users"]}


def user_changed(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    if made := unless_refused(reply, frame, "user_exists", "user_refused", "user_not_found"):
        assert (made["type"], made["user"]["name"]) == ("user", fields["name"])
        assert made["user"]["state"] != "disabled" or fields["name"] != ANN.user
        assert "groups" not in fields or set(made["user"]["groups"]) == set(fields["groups"])
    members = api.accounts.members("admins")
    assert any(each.state != "disabled" for each in members)


def use_read(_api: Api, fields: Fields, reply: Reply | None, _frame: str) -> None:
    assert reply is not None and (len(reply["days"]), reply["limit"]) == (fields.get("days", 7), 10**6)


def feedback_read(_api: Api, _fields: Fields, reply: Reply | None, _frame: str) -> None:
    assert reply is not None and (reply["type"], reply["complete"]) == ("ratings", True)


def failures_read(_api: Api, _fields: Fields, reply: Reply | None, _frame: str) -> None:
    assert reply is not None and (reply["type"], reply["latest"]) == ("failures", [])


def rated(api: Api, fields: Fields, reply: Reply | None, frame: str) -> None:
    assert reply is not None
    if fields["requestId"] not in api.asked:
        refused(reply, frame, "request_not_found")
    else:
        assert reply == {"requestId": fields["requestId"], "type": "feedback", "rating": fields.get("rating")}


EFFECTS = {
    "sendMessage": sent,
    "resume": resumed,
    "cancel": cancelled,
    "history": listed,
    "changeSession": changed,
    "deleteSession": deleted,
    "shareSession": shared,
    "unshareSession": shared,
    "openShared": shared_opened,
    "eraseMine": erased,
    "feedback": rated,
    "openDocument": opened,
    "listKnowledgeBases": bases_listed,
    "listDocuments": documents_listed,
    "listMore": more_listed,
    "uploadDocument": uploaded,
    "describeDocument": described,
    "removeDocument": removed,
    "listUsers": users_listed,
    **dict.fromkeys(("addUser", "disableUser", "enableUser", "setGroups"), user_changed),
    "readUse": use_read,
    "readFeedback": feedback_read,
    "readFailures": failures_read,
    "ping": ponged,
}


def judge(api: Api, function: str, frame: str) -> str:
    """Send the frame, check what comes of it, and say what that was."""
    fields = good_command(frame)
    if fields and ROUTES[fields["action"]] == function:
        EFFECTS[fields["action"]](api, fields, api.send(function, frame), frame)
        return str(fields["action"])
    before = api.traces()
    refused(api.send(function, frame), frame, "invalid_frame")
    assert api.traces() == before
    return "misrouted" if fields else "bad"


def test_every_frame_has_its_effect_or_is_refused_with_a_sentence(
    fresh: Callable[[], Api], caplog: pytest.LogCaptureFixture
) -> None:
    chance = Random(3)
    kinds: Counter[str] = Counter()
    replied: set[tuple[str, str]] = set()
    for _ in range(FRAMES // BATCH):
        api = fresh()
        maker = FrameMaker(chance, (ID, BOBS_ID, *(f"7e57d004-2b97-4e7a-b45f-53873677{n:04x}" for n in range(5))))
        frame = maker.frame()
        for _ in range(BATCH):
            # Clients repeat what was not answered.
            frame = maker.frame() if chance.randrange(20) else frame
            function = chance.choice(FUNCTIONS) if chance.randrange(30) == 0 else ROUTES[route(frame)]
            kinds[judge(api, function, frame)] += 1
        replied |= api.replied
    print(f"\n{kinds}")  # noqa: T201 - read with -s
    assert caplog.records == []
    assert sum(kinds.values()) == FRAMES
    assert replied == published_replies()
    assert kinds["bad"] > FRAMES // 3
    # Few frames delete everything, so that others find something.
    assert kinds.pop("eraseMine") > 5
    assert min(kinds[action] for action in EFFECTS if action != "eraseMine") > FRAMES // 150
