"""Render answers, sources and history on a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cicada_client.answer import Answer
from cicada_client.document import DocumentBlock, DocumentPage, DocumentsPage, DocumentSummary
from cicada_client.events import Accepted, Cancelled, Chunk, Event, Failed, Reset, Source, Status
from cicada_client.history import HistoryPage, Session, Turn
from cicada_client.listing import Group, ListedDocument, Listing
from cicada_client.plan import Plan
from cicada_client.shared import SharedPage
from cli.screen import Screen
from cli.user.client import DEFAULT_KNOWLEDGE_BASE

_STAGES = {
    "planning": "Reading the question",
    "searching": "Searching",
    "ranking": "Ranking what was found",
    "answering": "Answering",
    "agent": "Asking the agent",
}
_REASONS = {
    "number": "a number or date that they lack",
    "name": "a name that they lack",
    "negation": "a negation turned round",
    "words": "too little of it stands there",
    "no_passage": "it cites none that there is",
}
_NONE = "–"
_NOT_COMPUTED = "cannot be computed"
_MARK = "» "
MORE_ROWS = "“/more” shows the next rows"


def _in_chat(answer: Answer) -> str:
    """What a search has found is read on by asking, and other lists by a command, which is no turn."""
    return MORE_ROWS if answer.listing and answer.listing.can_go_on else "“more” shows the next page"


def render_answer(
    events: Iterator[Event], screen: Screen, *, explain: bool = False, next_page: Callable[[Answer], str] = _in_chat
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
    _render_unsupported(answer, screen)
    screen.sources(answer.cited)
    _render_remarks(answer, screen, explain=explain)
    return answer


def _render_unsupported(answer: Answer, screen: Screen) -> None:
    for each in answer.unsupported:
        sentence = " ".join(answer.text[each.start : each.end].split())
        screen.note(f"Not supported by the passages ({_REASONS.get(each.reason, each.reason)}): {sentence}")


def _render_remarks(answer: Answer, screen: Screen, *, explain: bool) -> None:
    if base := _other_base(answer):
        screen.note(f"Knowledge base: {base}")
    if explain and (line := _explanation(answer)):
        screen.note(line)


def _explanation(answer: Answer) -> str:
    """Strategy, how sure the plan is, filters, number of documents and the steps taken; empty if nothing is known."""
    steps = " → ".join(answer.path)
    unit = "row" if any(step.startswith("rows:") for step in answer.path) else "document"
    return " · ".join(filter(None, [*(_plan_parts(answer.plan, unit) if answer.plan else ()), steps]))


def _other_base(answer: Answer) -> str:
    """The knowledge base that was asked, if it is not the default one."""
    name = (answer.plan and answer.plan.knowledge_base) or answer.knowledge_base or ""
    return "" if name == DEFAULT_KNOWLEDGE_BASE else name


def _plan_parts(plan: Plan, unit: str) -> Iterator[str]:
    # `MetadataOnly` is read as "Metadata only".
    yield re.sub(r"(?<=[a-z])([A-Z])", lambda found: f" {found.group().lower()}", plan.strategy)
    yield "" if plan.confidence is None else f"{plan.confidence * 100:.0f} % sure"
    yield "; ".join(plan.filters)
    if plan.documents is not None:
        yield f"1 {unit}" if plan.documents == 1 else f"{plan.documents:,} {unit}s"
    if plan.withheld:
        yield f"{plan.withheld:,} withheld"


def render_listing(listing: Listing, screen: Screen, next_page: str) -> None:
    """Numbers, then groups, then documents. `next_page` says how the next page is asked for, where there is one."""
    _render_numbers(listing, screen)
    if listing.documents:
        columns = listing.column_names
        if any(document.excerpt for document in listing.documents):
            _render_matches(listing, screen)
        else:
            screen.table([("Title", *columns), *(_document_row(document, columns) for document in listing.documents)])
        screen.note(f"{_extent(listing)}{f' · {next_page}' if listing.next_offset is not None else ''}")


def render_documents(page: DocumentsPage, offset: int, screen: Screen, next_page: str) -> None:
    """A page of the documents of a base, from number `offset` on, with the ids by which they are opened."""
    if not page.documents:
        screen.note("There are no such documents.")
        return
    columns = tuple(dict.fromkeys(name for each in page.documents for name in each.fields))
    rows = [(each.document_id, each.title, *(each.fields.get(name, "") for name in columns)) for each in page.documents]
    if any(each.standing for each in page.documents):
        columns = (*columns, "In force")
        rows = [(*row, _in_force(each)) for row, each in zip(rows, page.documents, strict=True)]
    screen.table([("Id", "Title", *columns), *rows])
    extent = f"{offset + 1}–{offset + len(rows)} of {page.total:,}"
    screen.note(f"{extent}{f' · {next_page}' if page.next_offset is not None else ''}")


def _in_force(document: DocumentSummary) -> str:
    """Whether it is, and if not the id of the version that is."""
    said = {"inForce": "yes", "notYet": "not yet", "noLonger": "no longer"}.get(document.standing, "")
    current = next((each.document_id for each in document.versions if each.standing == "inForce"), "")
    return f"{said}: {current} is" if current and document.standing != "inForce" else said


def _render_matches(listing: Listing, screen: Screen) -> None:
    """Documents about a subject: each with its number, its fields, and below them what matched and its best passage."""
    for number, document in enumerate(listing.documents, start=listing.offset + 1):
        title, *values = _document_row(document, listing.column_names)
        said = ", ".join(filter(None, values))
        screen.line(f"{number}. {title}{f' ({said})' if said else ''}")
        if document.excerpt:
            screen.line(f"→ {document.reason}: {document.excerpt}")


def _render_numbers(listing: Listing, screen: Screen) -> None:
    """The numbers in a table, and the groups in another; how many documents there are is in the sentence."""
    asked = [at for at, each in enumerate(listing.aggregates) if each.field is not None]
    if asked:
        figures = [listing.aggregates[at] for at in asked]
        screen.table([("Number", "Value"), *((each.name, each.figure.value or _NOT_COMPUTED) for each in figures)])
        screen.line()
    if not listing.groups:
        return
    names = [listing.aggregates[at].name for at in asked]
    rows = [
        (*(value or _NONE for value in group.values), f"{group.documents:,}", *_figures(group, asked))
        for group in listing.groups
    ]
    screen.table([(*(listing.grouped_by or ("Value",)), "Count", *names), *rows])
    named = sum(None not in group.values for group in listing.groups)
    if named < listing.group_count:
        screen.note(f"The first {named:,} of {listing.group_count:,}")
    screen.line()


def _figures(group: Group, asked: list[int]) -> list[str]:
    return [(group.figures[at].value or _NONE) if at < len(group.figures) else "" for at in asked]


def _document_row(document: ListedDocument, columns: tuple[str, ...]) -> list[str]:
    return [document.title or document.document_id, *(document.fields.get(name, "") for name in columns)]


def _extent(listing: Listing) -> str:
    """Which of the documents these are, such as `21–40 of 57`."""
    first, last = listing.offset + 1, listing.offset + len(listing.documents)
    return f"{first}–{last} of {listing.total:,}" if first < last else f"{first} of {listing.total:,}"


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
    """Render each source with its whole text."""
    if not sources:
        screen.note("There are no sources.")
    screen.sources(sources, lambda source: source.pieces)


def render_page(page: DocumentPage, screen: Screen, *, more: str = "") -> None:
    """Render a page of a document: headings where they change, and the text, whose marked lines begin with `»`.

    `more` says how the next page is asked for.
    """
    screen.note(f"{page.title or page.document_id} · page {page.page:,} of {page.pages:,}")
    above: tuple[str, ...] = ()
    for block in page.blocks:
        place = (block.locator.chapter,) if block.locator.chapter else block.locator.section
        if place != above:
            screen.line()
            screen.note(" › ".join(place))
        above = place
        for line in _marked_lines(block):
            screen.line(line)
    if more and page.page < page.pages:
        screen.note(more)


def _marked_lines(block: DocumentBlock) -> Iterator[str]:
    first, last = block.marked or (0, 0)
    start = 0
    for line in block.text.split("\n"):
        end = start + len(line)
        yield f"{_MARK}{line}" if start < last and end > first else line
        start = end + 1


def render_outline(page: DocumentPage, screen: Screen) -> None:
    """Render the headings or scenes of a document with their pages."""
    if not page.outline:
        screen.note("The document has no outline.")
        return
    screen.table([("Page", "Heading"), *((f"{each.page:,}", each.heading) for each in page.outline)])


def render_history(page: HistoryPage, screen: Screen, nothing: str = "There is nothing yet.") -> None:
    """Render a page, oldest first, or say that there is nothing."""
    if not page.sessions and not page.turns:
        screen.note(nothing)
    for session in reversed(page.sessions):
        _render_session(session, screen)
    for turn in reversed(page.turns):
        _render_turn(turn, screen)


def _render_session(session: Session, screen: Screen) -> None:
    base = f"[{session.knowledge_base}]  " if session.knowledge_base else ""
    marks = f"{'(pinned)  ' if session.pinned else ''}{'(shared)  ' if session.shared else ''}"
    screen.line(f"{session.last_at[:16].replace('T', ' ')}  {session.session_id}  {marks}{base}{session.title}")
    for asked in reversed(session.asked):
        screen.marked_line(f"→ {asked.created_at[:16].replace('T', ' ')} ", asked.pieces)


def _render_turn(turn: Turn, screen: Screen) -> None:
    screen.note(f"{turn.created_at[:16].replace('T', ' ')}  {turn.message}")
    screen.chunk(turn.answer or f"({turn.status})")
    screen.chunk(" …" if turn.truncated else "")
    screen.end_line()
    if turn.withheld:
        screen.note(withheld_note(turn.withheld))


def render_shared(page: SharedPage, screen: Screen) -> None:
    """Render a conversation that somebody shares, oldest first, with the sources that each answer cites."""
    screen.note(f"{page.title} · shared by {page.owner}")
    for turn in reversed(page.turns):
        screen.line()
        screen.note(f"{turn.created_at[:16].replace('T', ' ')}  {turn.message}")
        screen.chunk(turn.answer or f"({turn.status})")
        screen.end_line()
        for document in turn.documents:
            screen.line(f"- {document.title or document.document_id}")
        screen.sources(Answer(text=turn.answer, sources=turn.sources).cited)
        if turn.truncated:
            screen.note("Something of this turn is left out, because it is too long.")


def withheld_note(documents: int) -> str:
    """A note that you can no longer see some documents of an answer."""
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
