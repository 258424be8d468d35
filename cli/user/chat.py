"""`cicada chat`: a conversation in the terminal."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cicada_client.answer import Answer
from cicada_client.errors import ConnectionLostError, RefusedError
from cli.arguments import Options, command
from cli.interrupt import cancelling
from cli.screen import Screen, open_screen
from cli.text import clean, to_json
from cli.user.bases import base_lines
from cli.user.client import (
    DEFAULT_KNOWLEDGE_BASE,
    open_client,
    page_address,
    question_options,
    require_session,
    scope,
    words_and_filters,
)
from cli.user.export import exported, markdown_of
from cli.user.follow_ups import follow_ups
from cli.user.prompt import Prompt, open_prompt
from cli.user.rendering import (
    MORE_ROWS,
    render_answer,
    render_documents,
    render_excerpts,
    render_history,
    render_listing,
    render_page,
)
from cli.user.sessions import NOT_FOUND, link_to, searched

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.document import DocumentPage
    from cicada_client.listing import Listing

_REASONS = ("wrong", "incomplete", "unsupported", "outdated", "unrelated", "other")
_HELP = """\
more            the next page of the documents that the last answer listed, as a question of its own
/more           the next rows of its list, without a question
/again          ask the last question once more
/suggest        what you could ask next, numbered; /suggest N asks it
/history [W]    this conversation so far; before its first question, your conversations, or those with these words in
                one question or in their titles
/sources        all passages that the last answer was made from
/open N         the document of passage N, at its place, or the document with this id; again for the next page
/documents [W]  the documents that you may read, with these words; again for the next page. A word such as
                status=approved or title="in review" is a filter of the fields
/good           rate the last answer good; the same again takes it back
/bad [WHY]      rate it bad; WHY: wrong, incomplete, unsupported, outdated or unrelated, and words of your own
/bases          the knowledge bases that you may ask, with questions to begin with
/base NAME      begin a new conversation with this knowledge base
/new            begin a new conversation
/rename T       call this conversation T
/pin            put this conversation before all others; /pin off takes the pin away
/share          a link by which everybody of your tenant reads this conversation, with what comes later, as far as
                each may read its documents; /unshare ends that at once
/export [FILE]  this conversation with its sources, as Markdown, or as JSON into a file whose name ends in .json
/delete         delete this conversation for good, with its questions and answers
/help           this
/quit           leave (also Ctrl-D)
The Tab key completes commands. Ctrl-C stops an answer that is coming; pressed again it leaves."""
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
    screen = open_screen()
    with open_client(options, screen.observe) as client:
        require_session(client, options.session)
        conversation = Conversation(client, screen, options)
        prompt = open_prompt(conversation.commands)
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
        self._new_base: str | None = options.knowledge_base
        self._question = ""
        self._last = Answer()
        self._rated: tuple[str, str, str] | None = None
        self._opened: tuple[str, str, str | None] | None = None
        self._page: DocumentPage | None = None
        self._listed: Listing | None = None
        self._shown: tuple[str, str, int | None] | None = None
        self._without_argument = self._commands_without_argument()
        self._with_argument = self._commands_with_argument()

    def _commands_without_argument(self) -> dict[str, Callable[[], bool | None]]:
        return {
            "/more": self._list_more,
            "/again": self._ask_again,
            "/sources": lambda: render_excerpts(self._last.sources, self._screen),
            "/bases": self._show_bases,
            "/new": self._start_new,
            "/pin": lambda: self._pin(pinned=True),
            "/pin off": lambda: self._pin(pinned=False),
            "/share": self._share,
            "/unshare": self._unshare,
            "/delete": lambda: self._screen.note(_SURE),
            "/delete yes": self._delete,
            "/help": lambda: self._screen.notes(_HELP),
        }

    def _commands_with_argument(self) -> dict[str, Callable[[str], bool | None]]:
        return {
            "/history": self._show_history,
            "/suggest": self._suggest,
            "/open": self._open,
            "/documents": self._list_documents,
            "/good": partial(self._rate, "good"),
            "/bad": partial(self._rate, "bad"),
            "/base": self._choose_base,
            "/rename": self._rename,
            "/export": self._export,
        }

    @property
    def commands(self) -> list[str]:
        """What a line can be that is no question, as far as it is known beforehand."""
        return sorted([*self._without_argument, *self._with_argument, *(f"/bad {each}" for each in _REASONS), "/quit"])

    def hold(self, prompt: Prompt) -> int:
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
        with_argument = self._with_argument.get(name)
        command = partial(with_argument, argument.strip()) if with_argument else self._without_argument.get(line)
        try:
            if command is not None:
                return command() is not False
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
        self._question = question
        events = self._client.ask(question, self._session_id, self._new_base, scope(options), request_id)
        with cancelling(lambda: self._client.cancel(request_id)):
            self._last = render_answer(events, self._screen, explain=options.explain)
        self._page, self._listed = None, self._last.listing
        self._session_id = self._last.session_id or self._session_id
        self._screen.line()
        return self._last.status == "complete"

    def _ask_again(self) -> bool:
        if not self._question:
            self._screen.note("There is no question to ask again.")
            return False
        return self._ask(self._question)

    def _suggest(self, number: str) -> bool | None:
        """What goes on from a list, else what the base has to begin with."""
        found = follow_ups(self._last.plan, self._last.listing)
        if not found:
            base = self._base()
            found = [text for each in self._client.knowledge_bases() if each.name == base for text in each.questions]
        if number:
            chosen = [text for n, text in enumerate(found, 1) if str(n) == number]
            if chosen:
                self._screen.note(chosen[0])
                return self._ask(chosen[0])
            self._screen.note(f"There is no suggestion {number}. /suggest lists them.")
            return False
        self._screen.notes("\n".join(f"{n}  {text}" for n, text in enumerate(found, 1)) or "There are no suggestions.")
        return None

    def _base(self) -> str:
        """The knowledge base that this conversation asks."""
        if self._last.knowledge_base:
            return self._last.knowledge_base
        session = self._client.change_session(self._session_id) if self._session_id else None
        return (session and session.knowledge_base) or self._new_base or DEFAULT_KNOWLEDGE_BASE

    def _list_documents(self, words: str) -> None:
        """The same words again show the next page."""
        base = self._base()
        offset = self._shown[2] if self._shown and self._shown[:2] == (base, words) else None
        try:
            search, filters = words_and_filters(words)
        except click.BadParameter as error:
            self._screen.note(error.message)
            return
        page = self._client.list_documents(base, search or None, offset=offset or 0, filters=filters)
        self._shown = (base, words, page.next_offset)
        again = f"“/documents{f' {words}' if words else ''}” shows the next page"
        render_documents(page, offset or 0, self._screen, again)

    def _list_more(self) -> None:
        listed = self._listed
        if listed is None or listed.next_offset is None:
            self._screen.note("There are no more rows to show.")
            return
        self._listed = self._client.list_more(listed.request_id, listed.next_offset)
        render_listing(self._listed, self._screen, MORE_ROWS)

    def _open(self, named: str) -> None:
        """The same again shows the next page."""
        place = self._place(named)
        if place is None:
            self._screen.note(f"The last answer has no passage {named} to open." if named else "Say which: /open 1")
            return
        again = self._page is not None and self._opened == place and self._page.page < self._page.pages
        following = self._page.page + 1 if self._page and again else None
        self._page = self._client.open_document(*place, following)
        self._opened = place
        render_page(self._page, self._screen, more=f"“/open {named}” shows the next page")

    def _place(self, named: str) -> tuple[str, str, str | None] | None:
        """Base, id and passage of what a number of a passage, or else an id of a document, names."""
        source = next((each for each in self._last.sources if str(each.n) == named and not each.withheld), None)
        if source:
            return self._last.sources_from or DEFAULT_KNOWLEDGE_BASE, source.document_id, source.passage
        return (self._base(), named, None) if named and not named.isdecimal() else None

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

    def _choose_base(self, name: str) -> bool | None:
        if name not in [each.name for each in self._client.knowledge_bases()]:
            self._screen.note(f"There is no knowledge base “{name}” for you. /bases lists yours.")
            return False
        self._new_base = name
        self._start_new()
        return None

    def _show_history(self, words: str) -> None:
        if words:
            render_history(searched(self._client, words), self._screen, NOT_FOUND)
        else:
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

    def _export(self, file: str) -> bool | None:
        conversation = exported(self._client, self._session(), self._screen)
        text = f"{to_json(conversation)}\n" if file.endswith(".json") else clean(markdown_of(conversation))
        if not file:
            self._screen.chunk(text)
            self._screen.end_line()
            return None
        try:
            with Path(file).expanduser().open("x", encoding="utf-8") as out:
                out.write(text)
        except OSError as error:
            self._screen.note(f"{file} was not written: {error.strerror or error}.")
            return False
        self._screen.note(f"Written to {file}.")
        return None

    def _pin(self, *, pinned: bool) -> None:
        self._client.change_session(self._session(), pinned=pinned)
        self._screen.note("Pinned." if pinned else "Not pinned any more.")

    def _share(self) -> None:
        """Without the address of a page the id is shown, which `cicada sessions read` takes too."""
        page = page_address(self._options)
        share_id = self._client.share_session(self._session())
        self._screen.line(link_to(share_id, page) or share_id)
        self._screen.note("Whoever of your tenant has this reads the conversation. “/unshare” ends it.")

    def _unshare(self) -> None:
        self._client.unshare_session(self._session())
        self._screen.note("Not shared any more.")

    def _delete(self) -> None:
        self._client.delete_session(self._session())
        self._start_new()
        self._screen.note("The one before is deleted.")

    def _start_new(self) -> None:
        self._session_id = None
        self._rated = None
        self._last = Answer()
        self._question = ""
        self._page = self._listed = self._shown = None
        self._screen.note("A new conversation.")
