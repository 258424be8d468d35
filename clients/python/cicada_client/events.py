"""The events of a request as values, and how they are read from frames.

A frame is a JSON object. Its shape is checked: a frame that does not have the form of an event is not one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cicada_client.forms import (
    counts,
    objects,
    pair_of_counts,
    pieces_of,
    spans_of,
    text,
    text_by_name,
    text_or_none,
    texts,
)
from cicada_client.listing import Listing, read_listing
from cicada_client.plan import Plan, read_plan

Frame = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a source is: in a script by episode, chapter, messages and speakers; otherwise by its section path."""

    episode: str | None = None
    chapter: str | None = None
    messages: tuple[int, int] | None = None
    speakers: tuple[str, ...] = ()
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that the answer was made from. `relevance` is 0 to 1, or None where no text was ranked.

    `fields`: what the knowledge base shows of the document's metadata, such as `{"Status": "retired"}`,
    or None. `withheld`: the document was removed since, or the user may not read it any more; `excerpt` says so.
    `spans`: from where to where the answer rests on the excerpt, in order and apart; known when the answer is complete.
    `passage`: its place, for `Client.open_document`; None if the server does not say.
    """

    n: int
    document_id: str
    title: str
    locator: Locator
    excerpt: str
    relevance: float | None
    fields: Mapping[str, str] | None = None
    withheld: bool = False
    passage: str | None = None
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The excerpt in pieces, each with whether the answer rests on it."""
        return pieces_of(self.excerpt, self.spans)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The server has stored the question; from here on nothing of it is lost.

    `knowledge_base` is the one that is asked; None if the server does not say.
    """

    request_id: str
    seq: int
    session_id: str
    knowledge_base: str | None = None
    type: Literal["accepted"] = "accepted"


@dataclass(frozen=True, slots=True)
class Status:
    """The current activity: `planning`, `searching`, `ranking`, `answering` or `agent`."""

    request_id: str
    seq: int
    stage: str
    detail: str | None
    type: Literal["status"] = "status"


@dataclass(frozen=True, slots=True)
class Sources:
    """Passages that the answer is made from; a source with a number seen before replaces that one.

    `knowledge_base` is the one that they are from; None if the server does not say.
    """

    request_id: str
    seq: int
    sources: tuple[Source, ...]
    knowledge_base: str | None = None
    type: Literal["sources"] = "sources"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The next piece of the answer's text."""

    request_id: str
    seq: int
    content: str
    type: Literal["chunk"] = "chunk"


@dataclass(frozen=True, slots=True)
class Reset:
    """Discard the text, the sources and the listing so far: the answer is being generated again."""

    request_id: str
    seq: int
    reason: str
    type: Literal["reset"] = "reset"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence that the passages do not carry: the text from `start` to `end`. `reason`: a word of the protocol."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Complete:
    """The answer is whole. `usage` counts tokens, `timings` are milliseconds, `confidence` is 0 to 1.

    `plan`: how the question was understood and answered; None from an older server. `checked`: how many sentences were
    held against their passages; None if the answer is not written from passages. `unsupported`: which of them fail.
    `stopped`: why the model ended early, a word of the protocol; empty for a normal end.
    """

    request_id: str
    seq: int
    usage: Mapping[str, int]
    timings: Mapping[str, int]
    path: tuple[str, ...]
    confidence: float | None
    plan: Plan | None = None
    checked: int | None = None
    unsupported: tuple[Unsupported, ...] = ()
    stopped: str = ""
    type: Literal["complete"] = "complete"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Generation was stopped as asked; the text so far stays."""

    request_id: str
    seq: int
    type: Literal["cancelled"] = "cancelled"


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer could not be finished. `error` is a sentence for a person."""

    request_id: str
    seq: int
    error: str
    code: str
    retryable: bool
    type: Literal["error"] = "error"


Event = Accepted | Status | Sources | Listing | Chunk | Reset | Complete | Cancelled | Failed
FINAL_TYPES = frozenset({"complete", "cancelled", "error"})

_USAGE = ("inputTokens", "outputTokens")
# The fields without which an event of a known type cannot be used.
_REQUIRED: Mapping[str, Mapping[str, type]] = {
    "accepted": {"sessionId": str},
    "status": {"stage": str},
    "sources": {"sources": list},
    "listing": {"total": int, "documents": list},
    "chunk": {"content": str},
    "reset": {},
    "complete": {},
    "cancelled": {},
    "error": {"error": str, "code": str},
}


def is_event(frame: Frame, request_id: str) -> bool:
    """Whether a frame is a usable event of the request. One of an unknown type is: its `seq` counts."""
    seq, kind = frame.get("seq"), frame.get("type")
    if frame.get("requestId") != request_id or not isinstance(kind, str):
        return False
    if type(seq) is not int or seq < 1:
        return False
    return all(isinstance(frame.get(name), form) for name, form in _REQUIRED.get(kind, {}).items())


def parse_event(frame: Frame) -> Event | None:
    """The event in a frame for which `is_event` holds; None if its type is not known to this client."""
    parser = _PARSERS.get(frame["type"])
    return parser(frame["requestId"], frame["seq"], frame) if parser else None


def _accepted(request_id: str, seq: int, frame: Frame) -> Event:
    return Accepted(request_id, seq, frame["sessionId"], text_or_none(frame.get("knowledgeBase")))


def _status(request_id: str, seq: int, frame: Frame) -> Event:
    return Status(request_id, seq, frame["stage"], text_or_none(frame.get("detail")))


def _sources(request_id: str, seq: int, frame: Frame) -> Event:
    sources = tuple(read_source(item) for item in frame["sources"] if isinstance(item, dict))
    return Sources(request_id, seq, sources, text_or_none(frame.get("knowledgeBase")))


def _chunk(request_id: str, seq: int, frame: Frame) -> Event:
    return Chunk(request_id, seq, frame["content"])


def _reset(request_id: str, seq: int, frame: Frame) -> Event:
    return Reset(request_id, seq, text(frame.get("reason")))


def _complete(request_id: str, seq: int, frame: Frame) -> Event:
    confidence = frame.get("confidence")
    return Complete(
        request_id,
        seq,
        usage={name: number for name, number in counts(frame.get("usage")).items() if name in _USAGE},
        timings=counts(frame.get("timings")),
        path=texts(frame.get("path")),
        confidence=confidence if isinstance(confidence, (int, float)) else None,
        plan=read_plan(frame.get("plan")),
        checked=counts(frame).get("checked"),
        unsupported=_unsupported(frame.get("unsupported")),
        stopped=text(frame.get("stopped")),
    )


def _unsupported(items: object) -> tuple[Unsupported, ...]:
    """The marks that can be used; others are left out."""
    return tuple(
        Unsupported(found["start"], found["end"], text(each.get("reason")))
        for each in objects(items)
        if (found := counts(each)).keys() >= {"start", "end"}
    )


def _cancelled(request_id: str, seq: int, _frame: Frame) -> Event:
    return Cancelled(request_id, seq)


def _failed(request_id: str, seq: int, frame: Frame) -> Event:
    return Failed(request_id, seq, frame["error"], frame["code"], frame.get("retryable") is True)


_PARSERS: Mapping[str, Callable[[str, int, Frame], Event]] = {
    "accepted": _accepted,
    "status": _status,
    "sources": _sources,
    "listing": read_listing,
    "chunk": _chunk,
    "reset": _reset,
    "complete": _complete,
    "cancelled": _cancelled,
    "error": _failed,
}


def read_source(item: Frame) -> Source:
    """The source in an object of a frame."""
    number, relevance, locator = item.get("n"), item.get("relevance"), item.get("locator")
    excerpt = text(item.get("excerpt"))
    return Source(
        n=number if isinstance(number, int) else 0,
        document_id=text(item.get("documentId")),
        title=text(item.get("title")),
        locator=read_locator(locator if isinstance(locator, dict) else {}),
        excerpt=excerpt,
        relevance=relevance if isinstance(relevance, (int, float)) else None,
        fields=text_by_name(item.get("fields")),
        withheld=item.get("withheld") is True,
        passage=text_or_none(item.get("passage")),
        spans=spans_of(item.get("spans"), len(excerpt)),
    )


def read_locator(item: Frame) -> Locator:
    """The place in a frame; what does not have its form is left out."""
    return Locator(
        episode=text_or_none(item.get("episode")),
        chapter=text_or_none(item.get("chapter")),
        messages=pair_of_counts(item.get("messages")),
        speakers=texts(item.get("speakers")),
        section=texts(item.get("section")),
    )
