"""`cicada chat`: a conversation in the terminal."""

from __future__ import annotations

import contextlib
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, TextIO

from cicada_client.answer import Answer
from cicada_client.errors import ConnectionLostError, RefusedError
from cli.arguments import Options, command
from cli.interrupt import cancelling
from cli.screen import Screen, open_screen
from cli.settings import read_settings
from cli.user.bases import base_lines
from cli.user.client import DEFAULT_KNOWLEDGE_BASE, open_client, question_options, require_session, scope
from cli.user.rendering import (
    MORE_ROWS,
    render_answer,
    render_excerpts,
    render_history,
    render_listing,
    render_page,
)

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.document import DocumentPage
    from cicada_client.events import Source
    from cicada_client.listing import Listing

_PROMPT = "> "
_REASONS = ("wrong", "incomplete", "unsupported", "outdated", "unrelated", "other")
_HELP = """\
more       the next page of the documents that the last answer listed, as a question of its own
/more      the next rows of its list, without a question
/history   this conversation so far; before its first question, your conversations
/sources   all passages that the last answer was made from
/open N    the document of passage N, at its place; again for the next page
/good      rate the last answer good; the same again takes it back
/bad [WHY] rate it bad; WHY: wrong, incomplete, unsupported, outdated or unrelated, and words of your own
/bases     the knowledge bases that you may ask, with questions to begin with
/new       begin a new conversation
/rename T  call this conversation T
/pin       put this conversation before all others; /pin off takes the pin away
/delete    delete this conversation for good, with its questions and answers
/help      this
/quit      leave (also Ctrl-D)
Ctrl-C stops an answer that is coming; pressed again it leaves."""
_SURE = "This deletes the conversation with its questions and answers, and cannot be undone: “/delete yes” does it."


@command(
    "chat",
    short_help="talk in the terminal",
    help="A conversation in the terminal. With input that is no terminal each line is a question.",
    epilog="example: cicada chat --user alice --stack Cicada-dev\n\n\b\nIn the conversation:\n" + _HELP,
)
@question_options
def chat(options: Options) -> int:
    """0 when the user leaves; 1 if input that is no terminal held a question that was not answered."""
    settings = read_settings()
    screen = open_screen(settings)
    prompt = _open_prompt(sys.stdin, sys.stdout)
    with open_client(options, settings, screen.observe) as client:
        require_session(client, options.session)
        conversation = Conversation(client, screen, options)
        if prompt.interactive:
            screen.note("Ask a question. /help says what else there is.")
        return conversation.hold(prompt)


class Conversation:
    """Questions and answers of one session."""

    def __init__(self, client: Client, screen: Screen, options: Options) -> None:
        self._client = client
        self._screen = screen
        self._options = options
        self._session_id: str | None = options.session
        self._last = Answer()
        self._rated: tuple[str, str, str] | None = None
        self._opened: Source | None = None
        self._page: DocumentPage | None = None
        self._listed: Listing | None = None
        self._commands: dict[str, Callable[[], None]] = {
            "/more": self._list_more,
            "/history": self._show_history,
            "/sources": lambda: render_excerpts(self._last.sources, self._screen),
            "/bases": self._show_bases,
            "/new": self._start_new,
            "/pin": lambda: self._pin(pinned=True),
            "/pin off": lambda: self._pin(pinned=False),
            "/delete": lambda: self._screen.note(_SURE),
            "/delete yes": self._delete,
            "/help": lambda: self._screen.notes(_HELP),
        }

    def hold(self, prompt: _Prompt) -> int:
        """Serve each line until the input ends or the user leaves. Returns the exit code."""
        code = 0
        for line in prompt:
            if line == "/quit":
                break
            if not self._serve(line) and not prompt.interactive:
                code = 1
        return code

    def _serve(self, line: str) -> bool:
        """Serve one line; returns whether it succeeded. A failure after which the conversation can go on is shown."""
        name, _, argument = line.partition(" ")
        with_argument = {"/open": self._open, "/rename": self._rename}.get(name)
        if name in ("/good", "/bad"):
            with_argument = partial(self._rate, name[1:])
        command = partial(with_argument, argument.strip()) if with_argument else self._commands.get(line)
        try:
            if command is not None:
                command()
                return True
            if line.startswith("/"):
                self._screen.note(f"There is no {line}. /help says what there is.")
                return False
            return self._ask(line)
        except (RefusedError, ConnectionLostError) as error:
            self._screen.note(str(error))
            return False

    def _ask(self, question: str) -> bool:
        request_id = str(uuid.uuid4())
        options = self._options
        events = self._client.ask(question, self._session_id, options.knowledge_base, scope(options), request_id)
        with cancelling(lambda: self._client.cancel(request_id)):
            self._last = render_answer(events, self._screen, explain=options.explain)
        self._page, self._listed = None, self._last.listing
        self._session_id = self._last.session_id or self._session_id
        self._screen.line()
        return self._last.status == "complete"

    def _list_more(self) -> None:
        listed = self._listed
        if listed is None or listed.next_offset is None:
            self._screen.note("There are no more rows to show.")
            return
        self._listed = self._client.list_more(listed.request_id, listed.next_offset)
        render_listing(self._listed, self._screen, MORE_ROWS)

    def _open(self, number: str) -> None:
        """The same number again shows the next page."""
        source = next((each for each in self._last.sources if str(each.n) == number), None)
        if source is None or source.withheld:
            self._screen.note(f"The last answer has no passage {number} to open." if number else "Say which: /open 1")
            return
        again = self._page is not None and self._opened == source and self._page.page < self._page.pages
        following = self._page.page + 1 if self._page and again else None
        base = self._last.sources_from or DEFAULT_KNOWLEDGE_BASE
        self._page = self._client.open_document(base, source.document_id, source.passage, following)
        self._opened = source
        render_page(self._page, self._screen, more=f"“/open {number}” shows the next page")

    def _rate(self, rating: str, why: str) -> None:
        """`why` begins with codes of reasons, if any; the rest is a comment."""
        if not self._last.request_id:
            self._screen.note("There is no answer to rate.")
            return
        said = (self._last.request_id, rating, why)
        if said == self._rated:
            self._client.rate(self._last.request_id, None)
            self._rated = None
            self._screen.note("Your rating is taken back.")
            return
        words = why.split()
        codes = list(takewhile(lambda word: word.strip(",:;.") in _REASONS, words))
        reasons, comment = [each.strip(",:;.") for each in codes], " ".join(words[len(codes) :])
        self._client.rate(self._last.request_id, rating, reasons or None, comment or None)
        self._rated = said
        self._screen.note("Thank you: your rating is kept with the answer.")

    def _show_bases(self) -> None:
        self._screen.notes("\n".join(line for each in self._client.knowledge_bases() for line in base_lines(each)))

    def _show_history(self) -> None:
        render_history(self._client.history(self._session_id), self._screen)

    def _session(self) -> str:
        """The open conversation. Raises `RefusedError` before its first question."""
        if self._session_id is None:
            raise RefusedError(
                "Ask something first: there is no conversation yet.", code="session_not_found", retryable=False
            )
        return self._session_id

    def _rename(self, title: str) -> None:
        if not title:
            self._screen.note("Say what to call it: /rename The lease of the old office")
            return
        session = self._client.change_session(self._session(), title)
        self._screen.note(f"This conversation is called “{session.title if session else title}” now.")

    def _pin(self, *, pinned: bool) -> None:
        self._client.change_session(self._session(), pinned=pinned)
        self._screen.note("Pinned." if pinned else "Not pinned any more.")

    def _delete(self) -> None:
        self._client.delete_session(self._session())
        self._start_new()
        self._screen.note("The one before is deleted.")

    def _start_new(self) -> None:
        self._session_id = None
        self._rated = None
        self._last = Answer()
        self._page = self._listed = None
        self._screen.note("A new conversation.")


@dataclass(frozen=True, slots=True)
class _Prompt:
    """Iterates over what is typed, without blank lines, until the end of the input."""

    source: TextIO
    interactive: bool

    def __iter__(self) -> Iterator[str]:
        lines = self._typed() if self.interactive else iter(self.source)
        return filter(None, map(str.strip, lines))

    def _typed(self) -> Iterator[str]:
        interrupted = False
        while True:
            try:
                line = input(_PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                print("\nCtrl-C again leaves.")
            else:
                interrupted = False
                yield line


def _open_prompt(source: TextIO, out: TextIO) -> _Prompt:
    """An interactive prompt if both ends are a terminal, with the line editing of the platform."""
    interactive = source.isatty() and out.isatty()
    if interactive:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 (its import gives `input` line editing and a history)
    return _Prompt(source, interactive)
