"""Parts of an answer as events of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from cicada.answering.model import AnswerPart, Cited, Finished, Progress, Text
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    AnyEventBody,
    Chunk,
    Complete,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    Usage,
)
from cicada.documents.model import Locator, ScriptLocator
from cicada.retrieval.model import RankedPassage

# About three lines of text: each answer stores and posts its excerpts.
_EXCERPT_LENGTH = 300
_NAME_LENGTH = 120
_NAMES = 20
# Room for content in a frame.
_ROOM_BYTES = FRAME_LIMIT_BYTES - 256
# JSON escapes turn one byte into up to six, so this much text always fits.
_CHUNK_LENGTH_BYTES = _ROOM_BYTES // 6


def events_of(parts: Iterable[AnswerPart]) -> Iterator[AnyEventBody]:
    """The events for parts that arrived together: adjacent text becomes one chunk, long events are split.

    `Finished` yields nothing: the processor sends `complete` after delivery.
    """
    text: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            text.append(part.content)
            continue
        yield from _chunks("".join(text))
        text.clear()
        yield from _others(part)
    yield from _chunks("".join(text))


def complete(finished: Finished, timings: dict[str, int]) -> Complete:
    """The last event of an answer. `timings` in milliseconds."""
    usage = Usage(input_tokens=finished.input_tokens, output_tokens=finished.output_tokens)
    return Complete(usage=usage, timings=timings, path=finished.path, confidence=finished.confidence)


def _others(part: AnswerPart) -> Iterator[AnyEventBody]:
    if isinstance(part, Progress):
        yield StatusChanged(stage=cast(Any, part.stage), detail=part.detail)
    elif isinstance(part, Cited):
        yield from _sources(_source(number, ranked) for number, ranked in enumerate(part.passages, start=1))


def _sources(sources: Iterable[Source]) -> Iterator[SourcesFound]:
    held: list[Source] = []
    room = _ROOM_BYTES
    for source in sources:
        size = len(source.model_dump_json(by_alias=True).encode()) + len(",")
        if held and size > room:
            yield SourcesFound(sources=tuple(held))
            held, room = [], _ROOM_BYTES
        held.append(source)
        room -= size
    if held:
        yield SourcesFound(sources=tuple(held))


def _chunks(text: str) -> Iterator[Chunk]:
    # A model may write half of a surrogate pair, which UTF-8 cannot encode.
    data = text.encode("utf-8", "replace")
    while data:
        piece = data[:_CHUNK_LENGTH_BYTES].decode(errors="ignore")
        yield Chunk(content=piece)
        data = data[len(piece.encode()) :]


def _source(number: int, ranked: RankedPassage) -> Source:
    passage = ranked.passage
    return Source(
        n=number,
        document_id=passage.document.document_id,
        title=passage.title[:_NAME_LENGTH],
        locator=_locator(passage.locator),
        excerpt=passage.text[:_EXCERPT_LENGTH],
        relevance=None if ranked.relevance is None else round(ranked.relevance, 4),
    )


def _locator(locator: Locator) -> SourceLocator:
    if isinstance(locator, ScriptLocator):
        return SourceLocator(
            episode=locator.episode_name[:_NAME_LENGTH],
            chapter=f"{locator.chapter_id} {locator.chapter_title}".strip()[:_NAME_LENGTH],
            messages=(locator.first_message, locator.last_message),
            speakers=_names(locator.speakers),
        )
    return SourceLocator(section=_names(locator.path))


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name[:_NAME_LENGTH] for name in names[:_NAMES])
