"""The events of a request as values, and how they are read from frames.

A frame is a JSON object. Its shape is checked: a frame that does not have the form of an event is not one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
    or None.
    """

    n: int
    document_id: str
    title: str
    locator: Locator
    excerpt: str
    relevance: float | None
    fields: Mapping[str, str] | None = None


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
    """Passages that the answer is made from; a source with a number seen before replaces that one."""

    request_id: str
    seq: int
    sources: tuple[Source, ...]
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
    """Discard the text and the sources so far: the answer is being generated again."""

    request_id: str
    seq: int
    reason: str
    type: Literal["reset"] = "reset"


@dataclass(frozen=True, slots=True)
class Complete:
    """The answer is whole. `usage` counts tokens, `timings` are milliseconds, `confidence` is 0 to 1."""

    request_id: str
    seq: int
    usage: Mapping[str, int]
    timings: Mapping[str, int]
    path: tuple[str, ...]
    confidence: float | None
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


Event = Accepted | Status | Sources | Chunk | Reset | Complete | Cancelled | Failed
FINAL_TYPES = frozenset({"complete", "cancelled", "error"})

# The fields without which an event of a known type cannot be used.
_REQUIRED: Mapping[str, Mapping[str, type]] = {
    "accepted": {"sessionId": str},
    "status": {"stage": str},
    "sources": {"sources": list},
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
    reader = _READERS.get(frame["type"])
    return reader(frame["requestId"], frame["seq"], frame) if reader else None


def _accepted(request_id: str, seq: int, frame: Frame) -> Event:
    return Accepted(request_id, seq, frame["sessionId"], _text_or_none(frame.get("knowledgeBase")))


def _status(request_id: str, seq: int, frame: Frame) -> Event:
    return Status(request_id, seq, frame["stage"], _text_or_none(frame.get("detail")))


def _sources(request_id: str, seq: int, frame: Frame) -> Event:
    return Sources(request_id, seq, tuple(_source(item) for item in frame["sources"] if isinstance(item, dict)))


def _chunk(request_id: str, seq: int, frame: Frame) -> Event:
    return Chunk(request_id, seq, frame["content"])


def _reset(request_id: str, seq: int, frame: Frame) -> Event:
    return Reset(request_id, seq, _text(frame.get("reason")))


def _complete(request_id: str, seq: int, frame: Frame) -> Event:
    confidence = frame.get("confidence")
    return Complete(
        request_id,
        seq,
        usage=_counts(frame.get("usage")),
        timings=_counts(frame.get("timings")),
        path=_texts(frame.get("path")),
        confidence=confidence if isinstance(confidence, (int, float)) else None,
    )


def _cancelled(request_id: str, seq: int, _frame: Frame) -> Event:
    return Cancelled(request_id, seq)


def _failed(request_id: str, seq: int, frame: Frame) -> Event:
    return Failed(request_id, seq, frame["error"], frame["code"], frame.get("retryable") is True)


_READERS: Mapping[str, Callable[[str, int, Frame], Event]] = {
    "accepted": _accepted,
    "status": _status,
    "sources": _sources,
    "chunk": _chunk,
    "reset": _reset,
    "complete": _complete,
    "cancelled": _cancelled,
    "error": _failed,
}


def _source(item: Frame) -> Source:
    number, relevance, locator = item.get("n"), item.get("relevance"), item.get("locator")
    return Source(
        n=number if isinstance(number, int) else 0,
        document_id=_text(item.get("documentId")),
        title=_text(item.get("title")),
        locator=_locator(locator if isinstance(locator, dict) else {}),
        excerpt=_text(item.get("excerpt")),
        relevance=relevance if isinstance(relevance, (int, float)) else None,
        fields=_text_by_name(item.get("fields")),
    )


def _locator(item: Frame) -> Locator:
    messages = item.get("messages")
    pair = isinstance(messages, list) and len(messages) == 2 and all(isinstance(place, int) for place in messages)
    return Locator(
        episode=_text_or_none(item.get("episode")),
        chapter=_text_or_none(item.get("chapter")),
        messages=(messages[0], messages[1]) if pair and messages else None,
        speakers=_texts(item.get("speakers")),
        section=_texts(item.get("section")),
    )


def _text_by_name(value: object) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {str(name): text for name, text in value.items() if isinstance(text, str)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _counts(value: object) -> Mapping[str, int]:
    if not isinstance(value, dict):
        return {}
    return {str(name): count for name, count in value.items() if isinstance(count, int)}
