"""Render answers, sources and history on a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cicada_client.answer import Answer
from cicada_client.events import Accepted, Cancelled, Chunk, Event, Failed, Reset, Source, Status
from cicada_client.history import HistoryPage, Session, Turn
from cli.screen import Screen
from cli.user.explanation import explanation, other_base
from cli.user.listing import render_listing

_STAGES = {
    "planning": "Reading the question",
    "searching": "Searching",
    "ranking": "Ranking what was found",
    "answering": "Answering",
    "agent": "Asking the agent",
}


def _in_chat(_answer: Answer) -> str:
    return "“more” shows the next page"


def render_answer(
    events: Iterator[Event],
    screen: Screen,
    *,
    explain: bool = False,
    next_page: Callable[[Answer], str] = _in_chat,
) -> Answer:
    """Render each event as it arrives, then the listing and the sources that the text cites. Returns the whole answer.

    `explain`: also how it came about. `next_page` says how the next page of a listing is asked for.
    """
    answer = Answer()
    screen.status("Asking …")
    try:
        for event in events:
            answer = answer.then(event)
            _render_event(event, screen)
    finally:
        screen.end_line()
    if answer.listing:
        render_listing(answer.listing, screen, next_page(answer))
    screen.sources(answer.cited)
    _render_remarks(answer, screen, explain=explain)
    return answer


def _render_remarks(answer: Answer, screen: Screen, *, explain: bool) -> None:
    if base := other_base(answer):
        screen.note(f"Knowledge base: {base}")
    if explain and (line := explanation(answer)):
        screen.note(line)


def collect(events: Iterator[Event], screen: Screen) -> Answer:
    """The whole answer, without rendering it."""
    answer = Answer()
    try:
        for event in events:
            answer = answer.then(event)
    finally:
        screen.end_line()
    return answer


def render_excerpts(sources: tuple[Source, ...], screen: Screen) -> None:
    """Render each source with its text."""
    if not sources:
        screen.note("There are no sources.")
    for source in sources:
        screen.sources((source,))
        screen.line(f"    {source.excerpt}")


def render_history(page: HistoryPage, screen: Screen) -> None:
    """Render a page, oldest first."""
    if not page.sessions and not page.turns:
        screen.note("There is nothing yet.")
    for session in reversed(page.sessions):
        _render_session(session, screen)
    for turn in reversed(page.turns):
        _render_turn(turn, screen)


def _render_session(session: Session, screen: Screen) -> None:
    base = f"[{session.knowledge_base}]  " if session.knowledge_base else ""
    screen.line(f"{session.last_at[:16].replace('T', ' ')}  {session.session_id}  {base}{session.title}")


def _render_turn(turn: Turn, screen: Screen) -> None:
    screen.note(f"{turn.created_at[:16].replace('T', ' ')}  {turn.message}")
    screen.chunk(turn.answer or f"({turn.status})")
    screen.chunk(" …" if turn.truncated else "")
    screen.end_line()
    if turn.withheld:
        screen.note(withheld_note(turn.withheld))


def withheld_note(documents: int) -> str:
    """That the user can see some documents of an answer no more."""
    if documents == 1:
        return "A document of this answer was removed, or you may not read it any more."
    return f"{documents} documents of this answer were removed, or you may not read them any more."


def _render_event(event: Event, screen: Screen) -> None:
    match event:
        case Accepted(knowledge_base=base):
            screen.status(f"Waiting for an answer from {base} …" if base else "Waiting for an answer …")
        case Status():
            screen.status(" ".join(filter(None, [_STAGES.get(event.stage, event.stage), event.detail, "…"])))
        case Chunk():
            screen.chunk(event.content)
        case Reset():
            screen.note("The answer starts again.")
        case Cancelled():
            screen.note("Cancelled.")
        case Failed():
            screen.note(f"The answer failed: {event.error}")
