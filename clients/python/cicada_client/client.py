"""Ask questions over one WebSocket. Lost connections and expired tokens are handled here.

from cicada_client import Client

with Client(url, token_provider=sign_in) as client:
    for event in client.ask("Who tells Macbeth that the queen is dead?"):
        if event.type == "chunk":
            print(event.content, end="")
"""

from __future__ import annotations

import math
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from cicada_client.accounts import (
    Failures,
    Ratings,
    Use,
    UserChanged,
    UsersPage,
    parse_failures,
    parse_ratings,
    parse_use,
    parse_user,
    parse_users,
)
from cicada_client.bases import KnowledgeBase, parse_bases
from cicada_client.connection import Connection, TokenPlace, check_address, open_connection
from cicada_client.document import DocumentPage, DocumentsPage, parse_document, parse_documents
from cicada_client.errors import ConnectionLostError, RefusedError, SignedOutError
from cicada_client.events import Event, parse_event
from cicada_client.exchange import Command, Exchange, refusal
from cicada_client.history import Erased, HistoryPage, Session, parse_erased, parse_history, parse_session
from cicada_client.inbox import HISTORY, Inbox, Inboxes, Signal, is_plain_error
from cicada_client.listing import Listing, read_listing
from cicada_client.notices import Notice
from cicada_client.reconnecting_connection import ReconnectingConnection
from cicada_client.shared import SharedPage, parse_shared
from cicada_client.timing import Timing
from cicada_client.token_life import renewal_seconds

# The codes with which the server demands a new connection with a fresh token.
_TOKEN_CODES = frozenset({"token_expired", "unauthorized"})
_REPLACED = "too_many_connections"
# The code with which it says that the user has to sign in again.
_SIGNED_OUT = "signed_out"


def _ignore(notice: Notice) -> None:
    """The default observer."""


class Client:
    """A user's connection to CICADA. `url` is the WebSocket's; `token_provider` is called at each connect.

    Before a token expires, the connection is replaced by one with a token that the provider gives then, also in the
    middle of an answer; a provider without a newer token returns the same one again.
    Several threads may use it, each with questions of its own. What the provider raises reaches the caller, except
    `ConnectionLostError`, after which it is called again. `token_place` says where the token is sent: by default in the
    query on this machine and in a header elsewhere. `observe` is called when a connection is lost or restored.
    Raises ValueError for an address that is not a WebSocket's.
    """

    def __init__(
        self,
        url: str,
        token_provider: Callable[[], str],
        *,
        token_place: TokenPlace | None = None,
        timing: Timing | None = None,
        observe: Callable[[Notice], None] = _ignore,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_address(url)
        self._url = url
        self._token_provider = token_provider
        self._token_place = token_place
        self._timing = timing or Timing()
        self._clock = clock
        self._inboxes = Inboxes()
        self._connection = ReconnectingConnection(self._dial, self._timing, chance, observe, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The server goes on answering; `follow` fetches the answers later."""
        self._connection.close()

    def ask(
        self,
        message: str,
        session_id: str | None = None,
        knowledge_base: str | None = None,
        scope: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        *,
        without: tuple[str, int] | None = None,
    ) -> Iterator[Event]:
        """The events of the answer, each once and in order. Iterating over them sends the question.

        `without`: the `request_id` of an answer that was a list, and the place of a condition among its plan's
        `removable`: the same is listed without it, whatever the message says.

        Raises `RefusedError`, `UnauthorizedError` and `ConnectionLostError`. Asking again with the same `request_id` (a
        UUID) and the same message is harmless: the events are those of the first time.
        """
        request_id = request_id or str(uuid.uuid4())
        question = _command(
            "sendMessage",
            requestId=request_id,
            message=message,
            sessionId=session_id,
            knowledgeBase=knowledge_base,
            scope=scope,
            without=None if without is None else {"requestId": without[0], "condition": without[1]},
        )
        return self._run(request_id, question, 0)

    def follow(self, request_id: str, after_seq: int = 0) -> Iterator[Event]:
        """The events after `after_seq` of a request that was sent before. Raises the same errors as `ask`."""
        return self._run(request_id, None, after_seq)

    def cancel(self, request_id: str) -> None:
        """Stop an answer that is being received; it ends with `Cancelled`. Safe in a signal handler, never blocks."""
        self._inboxes.signal(request_id, Signal.CANCEL)

    def history(
        self, session_id: str | None = None, before: str | None = None, limit: int = 20, search: str | None = None
    ) -> HistoryPage:
        """The user's sessions or one session's turns, newest first. Raises as `ask` does. One call at a time.

        With `search` only sessions with a question, or a title, that has all of its words; see `HistoryPage`.
        """
        command = _command("history", sessionId=session_id, before=before, limit=limit, search=search)
        inbox = self._inboxes.open(HISTORY)
        try:
            return parse_history(self._reply(command, inbox))
        finally:
            self._inboxes.close(HISTORY)

    def rate(
        self, request_id: str, rating: str | None, reasons: Sequence[str] | None = None, comment: str | None = None
    ) -> None:
        """Say what the user thinks of an answer that has ended: `good` or `bad`; None takes it back.

        `reasons`: `wrong`, `incomplete`, `unsupported`, `outdated`, `unrelated`, `other`. Raises as `ask` does;
        `RefusedError` with the code `request_not_found` for an answer that is not the user's.
        """
        said = None if reasons is None else list(reasons)
        command = _command("feedback", requestId=request_id, rating=rating, reasons=said, comment=comment)
        inbox = self._inboxes.open(request_id)
        try:
            self._reply(command, inbox)
        finally:
            self._inboxes.close(request_id)

    def open_document(
        self,
        knowledge_base: str,
        document_id: str,
        passage: str | None = None,
        page: int | None = None,
        request_id: str | None = None,
        *,
        original: bool = False,
    ) -> DocumentPage:
        """A page of a document's text: number `page`, else the one with `passage`, as a source has it, else the first.

        With `original` it has an address of the document's file, where the stage gives one.
        Raises as `ask` does; `RefusedError` with the code `document_not_found` for one that is not there any more, or
        that the user may not read. Several threads may open documents at the same time.
        """
        fields = {"knowledgeBase": knowledge_base, "documentId": document_id, "passage": passage, "page": page}
        return parse_document(self._call("openDocument", request_id, **fields, original=original or None))

    def knowledge_bases(self, request_id: str | None = None) -> tuple[KnowledgeBase, ...]:
        """The knowledge bases that the user may ask, by name. Raises as `ask` does."""
        return parse_bases(self._call("listKnowledgeBases", request_id))

    def list_documents(
        self,
        knowledge_base: str,
        search: str | None = None,
        sort: str | None = None,
        offset: int = 0,
        request_id: str | None = None,
        *,
        document_id: str | None = None,
        filters: Sequence[Mapping[str, Any]] = (),
    ) -> DocumentsPage:
        """Documents of a base that the user may read, from number `offset` on, whose names and values have all words.

        `sort`: `title`, `id`, `passages`, `ingestedAt` or a field, with `-` in front from last to first.
        `document_id`: that document alone. `filters`: conditions as in the scope of a question; all must hold.
        Raises as `ask` does.
        """
        fields: dict[str, object] = {"knowledgeBase": knowledge_base, "search": search, "sort": sort}
        fields |= {"documentId": document_id, "filters": list(filters) or None}
        return parse_documents(self._call("listDocuments", request_id, **fields, offset=offset or None))

    def list_more(self, answer: str, offset: int, request_id: str | None = None) -> Listing:
        """The rows of the list in an answer, from number `offset` on, as a `Listing` of the answer without a `seq`.

        `answer`: its `request_id`. Raises as `ask` does; `RefusedError` with the code `request_not_found` for an answer
        that is not the user's, and `invalid_frame` for one that is no such list, or where there are no more.
        """
        return read_listing(answer, 0, self._call("listMore", request_id, answer=answer, offset=offset))

    def list_users(self, after: str | None = None, request_id: str | None = None) -> UsersPage:
        """Accounts of the user's tenant; `after` is the `next` of the page before.

        For administrators, as the seven below. Raises as `ask` does; `RefusedError` with the code `no_administrator`.
        """
        return parse_users(self._call("listUsers", request_id, after=after))

    def add_user(
        self, name: str, groups: Sequence[str] = (), request_id: str | None = None, *, create_groups: bool = False
    ) -> UserChanged:
        """Create an account, with an initial password. With `create_groups` groups that are not there are made.

        `RefusedError` has the code `user_exists` also where the reply to this very command was lost.
        """
        fields = {"name": name, "groups": list(groups), "createGroups": create_groups or None}
        return parse_user(self._call("addUser", request_id, **fields))

    def disable_user(self, name: str, request_id: str | None = None) -> UserChanged:
        """Let a user sign in no longer, and end what the user has open."""
        return parse_user(self._call("disableUser", request_id, name=name))

    def enable_user(self, name: str, request_id: str | None = None) -> UserChanged:
        """Let a disabled user in again."""
        return parse_user(self._call("enableUser", request_id, name=name))

    def set_groups(
        self, name: str, groups: Sequence[str], request_id: str | None = None, *, create_groups: bool = False
    ) -> UserChanged:
        """Give a user these groups and no others; they count from the user's next access token."""
        fields = {"name": name, "groups": list(groups), "createGroups": create_groups or None}
        return parse_user(self._call("setGroups", request_id, **fields))

    def read_use(self, days: int = 7, request_id: str | None = None) -> Use:
        """The tokens of models that the user's tenant has used, by day."""
        return parse_use(self._call("readUse", request_id, days=days))

    def read_feedback(self, days: int = 7, request_id: str | None = None) -> Ratings:
        """What users of the tenant think of the answers to questions of the last days."""
        return parse_ratings(self._call("readFeedback", request_id, days=days))

    def read_failures(self, days: int = 7, request_id: str | None = None) -> Failures:
        """Which questions of the tenant, of the last days, ended in an error."""
        return parse_failures(self._call("readFailures", request_id, days=days))

    def change_session(
        self, session_id: str, title: str | None = None, request_id: str | None = None, *, pinned: bool | None = None
    ) -> Session | None:
        """Give a session a title, pin it or take the pin away; what it is now. Raises as `ask` does."""
        fields = {"sessionId": session_id, "title": title, "pinned": pinned}
        return parse_session(self._call("changeSession", request_id, **fields))

    def delete_session(self, session_id: str, request_id: str | None = None) -> None:
        """Delete a session with its questions and answers, for good.

        Raises as `ask` does; `RefusedError` with the code `session_busy` while an answer of it is under way, and with
        `session_not_found` for one that is not there, perhaps because the reply to this very command was lost.
        """
        self._call("deleteSession", request_id, sessionId=session_id)

    def share_session(self, session_id: str, request_id: str | None = None) -> str:
        """Let everybody of the user's tenant who has the id that is returned read a session by `open_shared`.

        The id stays the same until `unshare_session`. Raises as `ask` does; `RefusedError` with the code
        `session_not_found` for a session that is not there.
        """
        return str(self._call("shareSession", request_id, sessionId=session_id).get("shareId") or "")

    def unshare_session(self, session_id: str, request_id: str | None = None) -> None:
        """Stop sharing a session, at once. Raises as `share_session` does."""
        self._call("unshareSession", request_id, sessionId=session_id)

    def open_shared(
        self, share_id: str, before: str | None = None, limit: int = 20, request_id: str | None = None
    ) -> SharedPage:
        """A page of a session that somebody of the user's tenant shares, newest first, as the user may read it.

        Raises as `ask` does; `RefusedError` with the code `share_not_found` for an id by which nothing is shared.
        """
        return parse_shared(self._call("openShared", request_id, shareId=share_id, before=before, limit=limit))

    def erase_mine(self, request_id: str | None = None) -> Erased:
        """Delete all of the user's conversations, profiles and theories, for good. Call it again while some is `left`.

        Raises as `ask` does; `RefusedError` with the code `session_busy` while an answer is under way.
        """
        return parse_erased(self._call("eraseMine", request_id))

    def _call(self, action: str, request_id: str | None, **fields: object) -> dict[str, Any]:
        """The reply to a command that names it."""
        request_id = request_id or str(uuid.uuid4())
        inbox = self._inboxes.open(request_id)
        try:
            return self._reply(_command(action, requestId=request_id, **fields), inbox)
        finally:
            self._inboxes.close(request_id)

    def sign_out_everywhere(self) -> None:
        """End all sign-ins of the user, this one included, and the answers under way. Raises as `ask` does.

        Every later call raises `SignedOutError`. Not during a call of `history`.
        """
        inbox = self._inboxes.open(HISTORY)
        try:
            self._reply(_command("signOutEverywhere"), inbox)
        except SignedOutError:
            return
        finally:
            self._inboxes.close(HISTORY)

    def _dial(self, replaced: Connection | None) -> Connection:
        asked_at = self._clock()
        token = self._token_provider()
        if replaced is not None and token == replaced.token:
            replaced.renew_at = math.inf
            return replaced
        return open_connection(
            self._url,
            token,
            self._token_place,
            self._timing,
            on_frame=self._receive,
            on_closed=self._inboxes.signal_closed,
            clock=self._clock,
            renew_at=asked_at + renewal_seconds(token),
        )

    def _receive(self, connection: Connection, frame: dict[str, Any]) -> None:
        """Runs in the connection's thread."""
        code = frame.get("code") if is_plain_error(frame) else None
        if code in _TOKEN_CODES:
            self._connection.token_refused(connection, str(frame.get("error")))
        elif code == _SIGNED_OUT:
            self._connection.signed_out(connection, str(frame.get("error")))
        elif code == _REPLACED:
            # Whoever waits is told instead of connecting again, which would close another client's connection.
            self._inboxes.signal_all(frame)
            connection.close()
        else:
            self._inboxes.dispatch(frame)

    def _run(self, request_id: str, question: Command | None, after_seq: int) -> Iterator[Event]:
        exchange = Exchange(request_id, question, self._timing, self._clock(), after_seq=after_seq)
        inbox = self._inboxes.open(request_id)
        connection = None
        try:
            while not exchange.finished:
                if connection is None or (inbox.empty and self._is_over(connection)):
                    connection = self._connect(exchange, connection)
                yield from self._step(exchange, connection, inbox)
        finally:
            self._inboxes.close(request_id)

    def _is_over(self, connection: Connection) -> bool:
        """Whether the connection is closed, or should be replaced."""
        return connection.closed or connection.renew_at <= self._clock()

    def _connect(self, exchange: Exchange, before: Connection | None) -> Connection:
        self._check_patience(exchange.gives_up_at)
        connection = self._connection.current(exchange.gives_up_at, again=before is not None)
        if connection is not before:
            _send(connection, exchange.opening(self._clock()))
        return connection

    def _step(self, exchange: Exchange, connection: Connection, inbox: Inbox) -> Iterator[Event]:
        """Wait for a frame or a signal, or until something is due. Yields the events that the frame completes."""
        now = self._clock()
        item = inbox.next(min(exchange.wait(now), connection.dead_at - now, connection.renew_at - now))
        now = self._clock()
        if item is Signal.CANCEL:
            exchange.cancel()
        elif isinstance(item, dict):
            yield from self._yield_events(exchange, exchange.receive(item, now))
        if inbox.empty and not exchange.finished:
            self._keep_going(exchange, connection)

    def _yield_events(self, exchange: Exchange, news: list[dict[str, Any]]) -> Iterator[Event]:
        if news:
            self._connection.progressed()
            yield from filter(None, map(parse_event, news))
            exchange.taken(self._clock())

    def _keep_going(self, exchange: Exchange, connection: Connection) -> None:
        self._check_patience(exchange.gives_up_at)
        now = self._clock()
        _send(connection, exchange.owed())
        if connection.dead_at <= now:
            connection.close()
        elif repeats := exchange.due(now):
            _send(connection, repeats)
            connection.probe()

    def _check_patience(self, gives_up_at: float) -> None:
        if self._clock() >= gives_up_at:
            raise ConnectionLostError("The server has been silent for too long; ask for the rest of the answer later.")

    def _reply(self, command: Command, inbox: Inbox) -> dict[str, Any]:
        gives_up_at = self._clock() + self._timing.patience_seconds
        again = False
        while True:
            connection = self._connection.current(gives_up_at, again=again)
            connection.send(command)
            try:
                reply = self._wait_for_reply(connection, inbox)
            except RefusedError as refused:
                self._wait_as_told(refused, gives_up_at)
                continue
            if reply is not None:
                self._connection.progressed()
                return reply
            self._check_patience(gives_up_at)
            again = True

    def _wait_as_told(self, refused: RefusedError, gives_up_at: float) -> None:
        """Wait until a refused list may be asked for again. Raises the refusal if waiting does not help."""
        wait = refused.retry_after_seconds
        if refused.code != "rate_limited" or wait is None or self._clock() + wait >= gives_up_at:
            raise refused
        time.sleep(wait)

    def _wait_for_reply(self, connection: Connection, inbox: Inbox) -> dict[str, Any] | None:
        """The reply; None if none came. The connection is closed then: a late reply must not be taken for another."""
        while not (connection.closed and inbox.empty):
            item = inbox.next(self._timing.reply_seconds)
            if isinstance(item, dict):
                if is_plain_error(item):
                    raise refusal(item)
                return item
            if item is None:
                connection.close()
        return None


def _command(action: str, **fields: object) -> Command:
    """A command as it is on the wire; fields that are None are left out."""
    return {"action": action} | {name: value for name, value in fields.items() if value is not None}


def _send(connection: Connection, commands: list[Command]) -> None:
    for command in commands:
        connection.send(command)
