"""Ask questions over one WebSocket; what the connection goes through is dealt with here.

with Client(url, token_provider=sign_in) as client:
    for event in client.ask("Who tells Macbeth that the queen is dead?"):
        if event.type == "chunk":
            print(event.content, end="")
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from cicada_client.connection import Connection, TokenPlace, check_address, open_connection
from cicada_client.errors import ConnectionLost
from cicada_client.events import Event, parse_event
from cicada_client.exchange import Command, Exchange, refusal
from cicada_client.history import HistoryPage, parse_history
from cicada_client.inbox import HISTORY, Inbox, Inboxes, Signal, is_plain_error
from cicada_client.line import Line
from cicada_client.notices import Notice
from cicada_client.timing import Timing

# The server's words for "this connection's token does not serve any more; connect with a fresh one".
_TOKEN_CODES = frozenset({"token_expired", "unauthorized"})


def _ignore(notice: Notice) -> None:
    """Nobody wants to know."""


class Client:
    """A user's connection to CICADA. `url` is the WebSocket's; `token_provider` is called at each connect.

    Usable from several threads, each with questions of its own. What the provider raises reaches the caller, except
    `ConnectionLost`, after which it is asked again. `token_place` is where the token goes: by default into the query
    on this machine and into the header elsewhere. `observe` is told of lost connections.
    Raises ValueError for what is no WebSocket address.
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
        self._line = Line(self._dial, self._timing, chance, observe, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the server goes on with what it was asked, `follow` fetches it later."""
        self._line.close()

    def ask(
        self,
        message: str,
        session_id: str | None = None,
        knowledge_base: str | None = None,
        scope: Mapping[str, Any] | None = None,
        request_id: str | None = None,
    ) -> Iterator[Event]:
        """The events of the answer, each once and in order; the question is sent when the first is asked for.

        Raises `Refused`, `Unauthorized` and `ConnectionLost`. Asking again with the same `request_id` (a UUID) and
        the same message is harmless: it brings the events of the first time.
        """
        request_id = request_id or str(uuid.uuid4())
        question = _command(
            "sendMessage",
            requestId=request_id,
            message=message,
            sessionId=session_id,
            knowledgeBase=knowledge_base,
            scope=scope,
        )
        return self._run(request_id, question, 0)

    def follow(self, request_id: str, after_seq: int = 0) -> Iterator[Event]:
        """The events after `after_seq` of a request that was sent before; same errors as `ask`."""
        return self._run(request_id, None, after_seq)

    def cancel(self, request_id: str) -> None:
        """Stop an answer that is being iterated; it ends with `Cancelled`. Safe in a signal handler, never blocks."""
        self._inboxes.signal(request_id, Signal.CANCEL)

    def history(self, session_id: str | None = None, before: str | None = None, limit: int = 20) -> HistoryPage:
        """The user's sessions, or one session's turns; newest first. Same errors as `ask`. One call at a time."""
        command = _command("history", sessionId=session_id, before=before, limit=limit)
        inbox = self._inboxes.open(HISTORY)
        try:
            return parse_history(self._reply(command, inbox))
        finally:
            self._inboxes.close(HISTORY)

    def _dial(self) -> Connection:
        token = self._token_provider()
        return open_connection(
            self._url,
            token,
            self._token_place,
            self._timing,
            on_frame=self._receive,
            on_closed=self._inboxes.tell_closed,
            clock=self._clock,
        )

    def _receive(self, connection: Connection, frame: dict[str, Any]) -> None:
        """Runs in the connection's thread."""
        if is_plain_error(frame) and frame.get("code") in _TOKEN_CODES:
            self._line.token_refused(connection, str(frame.get("error")))
        else:
            self._inboxes.sort(frame)

    def _run(self, request_id: str, question: Command | None, after_seq: int) -> Iterator[Event]:
        exchange = Exchange(request_id, question, self._timing, self._clock(), after_seq=after_seq)
        inbox = self._inboxes.open(request_id)
        connection = None
        try:
            while not exchange.finished:
                if connection is None or (connection.closed and inbox.empty):
                    connection = self._connect(exchange, again=connection is not None)
                yield from self._step(exchange, connection, inbox)
        finally:
            self._inboxes.close(request_id)

    def _connect(self, exchange: Exchange, *, again: bool) -> Connection:
        self._check_patience(exchange.gives_up_at)
        connection = self._line.connection(exchange.gives_up_at, again=again)
        _send(connection, exchange.opening(self._clock()))
        return connection

    def _step(self, exchange: Exchange, connection: Connection, inbox: Inbox) -> Iterator[Event]:
        """Wait for the next frame or signal, or until something is due; the events that it brought."""
        now = self._clock()
        item = inbox.next(min(exchange.wait(now), connection.dead_at - now))
        now = self._clock()
        if item is Signal.CANCEL:
            exchange.cancel()
        elif isinstance(item, dict):
            yield from self._hand_out(exchange, exchange.receive(item, now))
        if inbox.empty and not exchange.finished:
            self._keep_going(exchange, connection)

    def _hand_out(self, exchange: Exchange, news: list[dict[str, Any]]) -> Iterator[Event]:
        if news:
            self._line.progressed()
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
            raise ConnectionLost("The server has been silent for too long; ask for the rest of the answer later.")

    def _reply(self, command: Command, inbox: Inbox) -> dict[str, Any]:
        gives_up_at = self._clock() + self._timing.patience_seconds
        again = False
        while True:
            connection = self._line.connection(gives_up_at, again=again)
            connection.send(command)
            reply = self._wait_for_reply(connection, inbox)
            if reply is not None:
                self._line.progressed()
                return reply
            self._check_patience(gives_up_at)
            again = True

    def _wait_for_reply(self, connection: Connection, inbox: Inbox) -> dict[str, Any] | None:
        """None if the connection is of no use; it is closed then, so that no late reply meets another question."""
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
    """A command's fields as they are on the wire; what is None is left out."""
    return {"action": action} | {name: value for name, value in fields.items() if value is not None}


def _send(connection: Connection, commands: list[Command]) -> None:
    for command in commands:
        connection.send(command)
