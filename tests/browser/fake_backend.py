"""A backend that speaks CICADA's protocol, with a user pool: all that the page needs, without a model.

It stores before it sends and replays on resume, as the real one does, and can inject faults: hold an answer, cut
connections, reorder, repeat and lose frames, and refuse.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cicada.adapters.s3.keys import named_document
from cicada.answering.edit_documents import DocumentEditing
from cicada.answering.list_documents import DocumentLister
from cicada.answering.open_document import DocumentOpener
from cicada.conversation.administration import AdminCommand, Administration
from cicada.conversation.model import Connection as Asker
from cicada.conversation.model import Rating, Status
from cicada.conversation.protocol import (
    TERMINAL,
    Accepted,
    AnyCommand,
    AnyEventBody,
    AskedQuestion,
    BaseSummary,
    Cancel,
    Cancelled,
    ChangeSession,
    Chunk,
    DeleteSession,
    DescribeDocument,
    Erased,
    EraseMine,
    Failed,
    Feedback,
    FeedbackKept,
    History,
    HistoryPage,
    KnowledgeBasesListed,
    ListDocuments,
    Listing,
    ListKnowledgeBases,
    ListMore,
    OpenDocument,
    OpenShared,
    Ping,
    Pong,
    RemoveDocument,
    Reset,
    Resume,
    SendMessage,
    SessionChanged,
    SessionShared,
    SessionSummary,
    SharedPage,
    SharedTurn,
    ShareSession,
    SignOutEverywhere,
    SourcesFound,
    Turn,
    UnshareSession,
    UploadDocument,
    event_body,
    failed,
    frame,
    parse_command,
    stored_frame,
)
from cicada.conversation.revocation import Revoker
from cicada.conversation.tenant_reports import TenantReports, TokenPrices
from cicada.conversation.titles import title_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError
from cicada.identity import Principal
from cicada.ingest.uploads import READABLE
from cicada.observability.telemetry import ignore
from cicada.text import one_line
from tests.browser.fake_authorization_server import FakeAuthorizationServer
from tests.browser.fake_user_pool import FakeUserPool
from tests.fakes.access import OpenAccess, withholding
from tests.fakes.accounts import InMemoryAccounts
from tests.fakes.conversation import InMemoryConnections, RecordingChannel
from tests.fakes.document_files import InMemoryDocumentFiles
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.request_log import InMemoryRequestLog
from tests.fakes.token_counter import InMemoryTokenCounter
from tests.fakes.usage_table import InMemoryUsageTable
from tests.patience import PATIENCE_SECONDS

OfDocuments = OpenDocument | ListDocuments | ListMore | UploadDocument | DescribeDocument | RemoveDocument
OfShares = ShareSession | UnshareSession | OpenShared
SCRAMBLE_SECONDS = 0.08
TENANT = "default"
# So many conversations are looked through at a time.
SEARCHED = 4
TOO_FAST = Failed(error="Your commands come too fast.", code="rate_limited", retryable=True, retry_after_seconds=9)


@dataclass(eq=False)
class Connection:
    socket: WebSocket
    user: str


@dataclass(eq=False)
class Stored:
    """A request, its events so far and where they are sent."""

    user: str
    command: SendMessage
    session_id: str
    pointer: Connection | None
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="microseconds"))
    events: list[AnyEventBody] = field(default_factory=list)
    cancelled: bool = False
    withheld: int = 0
    """Documents of the answer that the user may not read any more."""
    rating: Rating | None = None

    @property
    def status(self) -> str:
        names = {"complete": "complete", "cancelled": "cancelled", "error": "failed"}
        return names.get(self.events[-1].type, "processing") if self.events else "queued"

    @property
    def text(self) -> str:
        text = ""
        for event in self.events:
            text = text + event.content if isinstance(event, Chunk) else "" if isinstance(event, Reset) else text
        return text


class FakeBackend:
    """Set `answer` and the disturbances from the test; everything else happens in the server's thread."""

    def __init__(self, answer: Callable[[str], Sequence[AnyEventBody]]) -> None:
        self.answer = answer
        self.token_in = "query"
        self.pause_seconds = 0.0
        self.scramble: random.Random | None = None
        self.refusal: Failed | None = None
        # A search is refused from this place on.
        self.refuses_search_from: int | None = None
        self.commands: list[AnyCommand] = []
        self.requests: dict[str, Stored] = {}
        self.changes: dict[str, dict[str, Any]] = {}
        self.pool = FakeUserPool()
        self.authorization = FakeAuthorizationServer(self.pool)
        # The handshake is refused, whatever the token.
        self.lets_nobody_in = False
        # The documents that can be opened, and who may read them.
        self.library = InMemoryPassageIndex("fixed", 1)
        self.access = OpenAccess()
        self.refuses_bases: Failed | None = None
        self.bases = [BaseSummary("scripts", 2, "Scripts of dramas.")]
        # Who may change them, and what is kept of the files, which are sent to `/uploads`.
        self.editors: set[str] = set()
        self.accounts, self.tokens, self.tokens_per_day = InMemoryAccounts(), InMemoryTokenCounter(), 0
        self.log = InMemoryRequestLog(time.time)
        self.prices: TokenPrices | None = None
        self.files = InMemoryDocumentFiles(time.time)
        self.uploads_fail = False
        self.more: Callable[[ListMore], Struct] = lambda _: Failed(
            error="The index does not answer.", code="dependency_unavailable", retryable=True
        )
        self._connections: set[Connection] = set()
        self._opened = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hold_before: int | None = None

    def app(self) -> Starlette:
        cors = Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["POST"], allow_headers=["*"])
        routes: list[BaseRoute] = [
            Route("/", self.pool.reply, methods=["POST"]),
            Route("/uploads", self._take_file, methods=["POST"]),
            WebSocketRoute("/socket", self._socket),
        ]
        return Starlette(routes=[*routes, *self.authorization.routes()], middleware=[cors])

    # ---- disturbances ----

    def hold_before(self, seq: int) -> None:
        """Answers stop before this event until `go_on`."""
        self._hold_before = seq

    def go_on(self) -> None:
        self._hold_before = None

    def cut_connections(self) -> None:
        """Close every socket, as a lost network does once it is noticed."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(PATIENCE_SECONDS)

    def wait_for_connections(self, number: int) -> None:
        """Until so many have been opened, of which some may be closed again."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._opened < number:
            assert time.monotonic() < deadline, f"connection {number} was never opened"
            time.sleep(0.01)

    def questions(self) -> list[SendMessage]:
        """Each question once: on a slow machine the page may send one again."""
        sent = {command.request_id: command for command in self.commands if isinstance(command, SendMessage)}
        return list(sent.values())

    def wait_for_event(self, seq: int) -> None:
        """Until the (only) request has been stored, and this many events with it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.requests or len(next(iter(self.requests.values())).events) < seq:
            assert time.monotonic() < deadline, f"event {seq} was never stored"
            time.sleep(0.01)

    async def _cut(self) -> None:
        for connection in list(self._connections):
            with suppress(WebSocketDisconnect, RuntimeError):
                await connection.socket.close(1001)

    # ---- WebSocket ----

    async def _socket(self, socket: WebSocket) -> None:
        self._loop = asyncio.get_running_loop()
        protocols = [each.strip() for each in socket.headers.get("sec-websocket-protocol", "").split(",")]
        offered = protocols[0] == "cicada.v1"
        token = protocols[1] if offered else socket.query_params.get("token", "")
        user = self.pool.user_of(token)
        if user is None or self.lets_nobody_in or offered != (self.token_in == "subprotocol"):
            await socket.close()
            return
        await socket.accept("cicada.v1" if offered else None)
        connection = Connection(socket, user)
        self._connections.add(connection)
        self._opened += 1
        try:
            async for text in socket.iter_text():
                await self._handle(parse_command(text), connection, token)
        finally:
            self._connections.discard(connection)

    async def _handle(self, command: AnyCommand, connection: Connection, token: str) -> None:
        self.commands.append(command)
        refusal = self.refusal
        if self.pool.user_of(token) is None:
            refusal = Failed(error="Your access token has expired.", code="token_expired", retryable=True)
        if isinstance(command, Ping):
            await self._send(connection, frame(Pong()))
        elif refusal:
            await self._send(connection, frame(refusal, request_id=getattr(command, "request_id", None)))
        elif isinstance(command, SignOutEverywhere):
            await self._sign_out(connection.user)
        elif isinstance(command, History):
            await self._send(connection, frame(self._history(command, connection.user)))
        elif isinstance(command, ChangeSession | DeleteSession | EraseMine | OfShares):
            await self._send(connection, self._session_changed(command, connection.user))
        elif isinstance(command, Feedback):
            stored = self.requests[command.request_id]
            stored.rating = command.rating
            await self._send(connection, frame(FeedbackKept(rating=command.rating), request_id=command.request_id))
        elif isinstance(command, OfDocuments | ListKnowledgeBases | AdminCommand):
            await self._send(connection, self._of_documents(command, connection.user))
        elif isinstance(command, SendMessage) and command.request_id not in self.requests:
            await self._accept(command, connection)
        else:
            await self._about_known(command, connection)

    async def _sign_out(self, user: str) -> None:
        """All sign-ins of the user end, and every connection hears of it."""
        self.pool.sign_out(user)
        ended = json.dumps({"type": "error", "code": "signed_out", "error": "You were signed out.", "retryable": False})
        for connection in [each for each in self._connections if each.user == user]:
            await self._send(connection, ended)
            with suppress(WebSocketDisconnect, RuntimeError):
                await connection.socket.close(1000)

    async def _accept(self, command: SendMessage, connection: Connection) -> None:
        session_id = command.session_id or command.request_id
        stored = Stored(connection.user, command, session_id, connection)
        self.requests[command.request_id] = stored
        self._start(self._generate(stored))

    async def _about_known(self, command: SendMessage | Resume | Cancel, connection: Connection) -> None:
        stored = self.requests.get(command.request_id)
        if stored is None or stored.user != connection.user:
            unknown = Failed(error="There is no such request.", code="request_not_found", retryable=False)
            await self._send(connection, frame(unknown, request_id=command.request_id))
        elif isinstance(command, Cancel):
            stored.cancelled = True
        else:
            stored.pointer = connection
            after = command.after_seq if isinstance(command, Resume) else 0
            for seq in range(after + 1, len(stored.events) + 1):
                await self._post(stored, seq)

    async def _generate(self, stored: Stored) -> None:
        for event in [
            Accepted(session_id=stored.session_id, knowledge_base=self._base_of(stored)),
            *self.answer(stored.command.message),
        ]:
            await self._wait_before(len(stored.events) + 1, stored)
            final: AnyEventBody = Cancelled() if stored.cancelled else event
            stored.events.append(final)
            await self._post(stored, len(stored.events))
            if isinstance(final, TERMINAL):
                return

    def _base_of(self, stored: Stored) -> str:
        """The base that the session began with."""
        of_session = [each.command for each in self.requests.values() if each.session_id == stored.session_id]
        return of_session[0].knowledge_base or "scripts"

    async def _wait_before(self, seq: int, stored: Stored) -> None:
        await asyncio.sleep(self.pause_seconds)
        while self._hold_before is not None and seq >= self._hold_before and not stored.cancelled:
            await asyncio.sleep(0.01)

    async def _post(self, stored: Stored, seq: int) -> None:
        text = stored_frame(event_body(stored.events[seq - 1]), request_id=stored.command.request_id, seq=seq)
        pointer = stored.pointer
        if pointer is None:
            return
        if self.scramble is None:
            await self._send(pointer, text)
        elif self.scramble.random() > 0.1:
            for _ in range(1 if self.scramble.random() > 0.2 else 2):
                self._start(self._send_late(pointer, text, self.scramble.random() * SCRAMBLE_SECONDS))

    async def _send_late(self, connection: Connection, text: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._send(connection, text)

    async def _send(self, connection: Connection, text: str) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await connection.socket.send_text(text)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- documents ----

    def _of_documents(self, command: OfDocuments | ListKnowledgeBases | AdminCommand, user: str) -> str:
        if isinstance(command, AdminCommand):
            return self._of_accounts(command, user)
        if isinstance(command, ListKnowledgeBases):
            return frame(self.refuses_bases or KnowledgeBasesListed(tuple(self.bases)), request_id=command.request_id)
        groups = frozenset({"editors"} if user in self.editors else ())
        asker = Asker("c1", Principal(TENANT, user, groups), 0, 0)
        try:
            return frame(self._reply(command, asker), request_id=command.request_id)
        except CicadaError as error:
            return frame(failed(error), request_id=command.request_id)

    def _reply(self, command: OfDocuments, asker: Asker) -> Struct:
        gate = withholding(self.access)
        editing = DocumentEditing(self.files, gate, "editors", named_document, ignore, time.time)
        match command:
            case OpenDocument():
                return DocumentOpener(self.library, gate, ignore, time.time).open(command, asker)
            case ListDocuments():
                return DocumentLister(self.library, gate, ignore, time.time, editing, READABLE).list(command, asker)
            case ListMore():
                return self.more(command)
            case UploadDocument():
                return editing.upload(command, asker)
            case DescribeDocument():
                return editing.describe(command, asker)
            case RemoveDocument():
                return editing.remove(command, asker)

    # ---- accounts ----

    def _of_accounts(self, command: AdminCommand, user: str) -> str:
        groups = frozenset(self.pool.groups.get(user, ()))
        revoker = Revoker(InMemoryUsageTable(), InMemoryConnections(), RecordingChannel(), self.log, ignore)
        reports = TenantReports(self.tokens, self.log, time.time, self.tokens_per_day, self.prices)
        wired = (self.accounts, reports, revoker, "administrators", TENANT, "pool_", ignore, ignore, time.time)
        try:
            reply = Administration(*wired).serve(command, Asker("c1", Principal(TENANT, user, groups), 0, 0))
            return frame(reply, request_id=command.request_id)
        except CicadaError as error:
            return frame(failed(error), request_id=command.request_id)

    async def _take_file(self, request: Request) -> Response:
        """The store's end of a form; the file then waits for its report."""
        if self.uploads_fail:
            return Response(status_code=503)
        key = re.search(rb'name="key"\r\n\r\n([^\r]+)', await request.body())
        assert key
        _, tenant, base, name = key[1].decode().split("/", 3)
        self.files.put(DocumentKey(KnowledgeBaseKey(tenant, base), name))
        return Response(status_code=204)

    # ---- lists ----

    def _history(self, command: History, user: str) -> HistoryPage | Failed:
        mine = [stored for stored in self.requests.values() if stored.user == user]
        newest_first = sorted(mine, key=lambda stored: stored.created_at, reverse=True)
        if command.session_id is None:
            return self._searched(command, newest_first) if command.search else self._listed(command, newest_first)
        page, before = _page([each for each in mine if each.session_id == command.session_id], command)
        return HistoryPage(session_id=command.session_id, turns=tuple(map(_turn, page)), before=before)

    def _listed(self, command: History, newest_first: Sequence[Stored]) -> HistoryPage:
        return HistoryPage(sessions=tuple(self._summaries(newest_first)[: command.limit]))

    def _searched(self, command: History, newest_first: Sequence[Stored]) -> HistoryPage | Failed:
        """What a few of the sessions have; the place is the number of those that were looked through."""
        words, start = (command.search or "").casefold().split(), int(command.before or 0)
        if self.refuses_search_from is not None and start >= self.refuses_search_from:
            return TOO_FAST
        sessions, found = self._summaries(newest_first), list[SessionSummary]()
        for each in sessions[start : start + SEARCHED]:
            turns = [stored for stored in newest_first if stored.session_id == each.session_id]
            asked = tuple(_asked(stored, words) for stored in turns if _has(stored.command.message, words))
            if asked or _has(each.title, words):
                found.append(replace(each, asked=asked or None))
        end = start + SEARCHED
        return HistoryPage(sessions=tuple(found), before=str(end) if end < len(sessions) else None)

    def _summaries(self, newest_first: Sequence[Stored]) -> list[SessionSummary]:
        summaries: dict[str, SessionSummary] = {}
        for stored in newest_first:
            last_at = summaries[stored.session_id].last_at if stored.session_id in summaries else stored.created_at
            made = {"session_id": stored.session_id, "title": title_of(stored.command.message), "last_at": last_at}
            made["knowledge_base"] = self._base_of(stored)
            summaries[stored.session_id] = SessionSummary(**made | self.changes.get(stored.session_id, {}))
        return sorted(summaries.values(), key=lambda each: not each.pinned)

    def _session_changed(self, command: ChangeSession | DeleteSession | EraseMine | OfShares, user: str) -> str:
        if isinstance(command, EraseMine):
            return self._erased(command, user)
        if isinstance(command, OfShares):
            return self._of_shares(command, user)
        turns = {name: each for name, each in self.requests.items() if each.session_id == command.session_id}
        if not turns or any(each.user != user for each in turns.values()):
            unknown = Failed(error="There is no such conversation.", code="session_not_found", retryable=False)
            return frame(unknown, request_id=command.request_id)
        if isinstance(command, DeleteSession):
            self.requests = {name: each for name, each in self.requests.items() if name not in turns}
            return frame(SessionChanged(), request_id=command.request_id)
        given = {"title": command.title, "pinned": command.pinned}
        kept = self.changes.setdefault(command.session_id, {})
        kept |= {name: value for name, value in given.items() if value is not None}
        newest_first = sorted(turns.values(), key=lambda stored: stored.created_at, reverse=True)
        return frame(SessionChanged(self._summaries(newest_first)[0]), request_id=command.request_id)

    def _of_shares(self, command: OfShares, user: str) -> str:
        """A session is shared under its own id with a word in front. There is one tenant.

        Whole answers are withheld from others of which a document is.
        """
        mark = "shared-"
        wanted = command.share_id.removeprefix(mark) if isinstance(command, OpenShared) else command.session_id
        turns = [each for each in self.requests.values() if each.session_id == wanted]
        is_shared = bool(self.changes.get(wanted, {}).get("shared"))
        if isinstance(command, OpenShared):
            if not (turns and is_shared and command.share_id.startswith(mark)):
                refusal = Failed(error="There is no such shared conversation.", code="share_not_found", retryable=False)
                return frame(refusal, request_id=command.request_id)
            page, before = _page(turns, command)
            shown = tuple(_shared(each, withheld=each.withheld > 0 and each.user != user) for each in page)
            title = self._summaries(turns[::-1])[0].title
            return frame(SharedPage(turns[0].user, title, shown, before), request_id=command.request_id)
        if not turns or turns[0].user != user:
            refusal = Failed(error="There is no such conversation.", code="session_not_found", retryable=False)
            return frame(refusal, request_id=command.request_id)
        shares = isinstance(command, ShareSession)
        self.changes.setdefault(wanted, {})["shared"] = shares or None
        return frame(SessionShared(wanted, f"{mark}{wanted}" if shares else None), request_id=command.request_id)

    def _erased(self, command: EraseMine, user: str) -> str:
        """One conversation at a time."""
        mine = {name: each for name, each in self.requests.items() if each.user == user}
        session_id = next((each.session_id for each in mine.values()), None)
        gone = [name for name, each in mine.items() if each.session_id == session_id]
        self.requests = {name: each for name, each in self.requests.items() if name not in gone}
        erased = Erased(1 if gone else 0, len(gone), 0, len(gone) < len(mine))
        return frame(erased, request_id=command.request_id)


def _turn(stored: Stored) -> Turn:
    return Turn(
        request_id=stored.command.request_id,
        created_at=stored.created_at,
        status=Status(stored.status),
        message=stored.command.message,
        answer=stored.text,
        withheld=stored.withheld,
        rating=stored.rating,
    )


def _page(turns: Iterable[Stored], command: History | OpenShared) -> tuple[list[Stored], str | None]:
    """The newest turns before the moment of the command, and the moment that asks for more."""
    newest_first = sorted(turns, key=lambda stored: stored.created_at, reverse=True)
    older = [each for each in newest_first if command.before is None or each.created_at < command.before]
    page = older[: command.limit]
    return page, page[-1].created_at if len(older) > len(page) else None


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text.casefold() for word in words)


def _asked(stored: Stored, words: Sequence[str]) -> AskedQuestion:
    message = one_line(stored.command.message)
    starts = sorted({message.casefold().find(word): len(word) for word in words}.items())
    spans = tuple((start, start + length) for start, length in starts)
    return AskedQuestion(stored.command.request_id, stored.created_at, message, spans)


def _shared(stored: Stored, *, withheld: bool) -> SharedTurn:
    turn, found = _turn(stored), [each for each in stored.events if isinstance(each, SourcesFound | Listing)]
    sources = {each.n: each for event in found if isinstance(event, SourcesFound) for each in event.sources}
    if withheld:
        shown = (turn.request_id, turn.created_at, turn.status, turn.message)
        return SharedTurn(*shown, "This answer is withheld.", withheld=True)
    return SharedTurn(
        *(turn.request_id, turn.created_at, turn.status, turn.message, turn.answer),
        knowledge_base=found[-1].knowledge_base if found else None,
        sources=tuple(sources.values()),
        documents=tuple(each for event in found if isinstance(event, Listing) for each in event.documents),
    )
