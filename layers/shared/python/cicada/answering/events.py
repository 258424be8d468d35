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

_EXCERPT_LENGTH = 600
_SOURCES_PER_EVENT = 10
# JSON escapes make up to six bytes of one, so a fifth of the frame always fits.
_CHUNK_LENGTH_BYTES = FRAME_LIMIT_BYTES // 6 - 64


def events_of(parts: Iterable[AnswerPart]) -> Iterator[AnyEventBody]:
    """The events for parts that arrived together: adjacent text becomes one chunk, long events become several.

    `Finished` yields nothing: only who delivered the answer can say that it is complete.
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
        sources = tuple(_source(number, ranked) for number, ranked in enumerate(part.passages, start=1))
        for start in range(0, len(sources), _SOURCES_PER_EVENT):
            yield SourcesFound(sources=sources[start : start + _SOURCES_PER_EVENT])


def _chunks(text: str) -> Iterator[Chunk]:
    while text:
        piece = text.encode()[:_CHUNK_LENGTH_BYTES].decode(errors="ignore")
        yield Chunk(content=piece)
        text = text[len(piece) :]


def _source(number: int, ranked: RankedPassage) -> Source:
    passage = ranked.passage
    return Source(
        n=number,
        document_id=passage.document.document_id,
        title=passage.title,
        locator=_locator(passage.locator),
        excerpt=passage.text[:_EXCERPT_LENGTH],
        relevance=None if ranked.relevance is None else round(ranked.relevance, 4),
    )


def _locator(locator: Locator) -> SourceLocator:
    if isinstance(locator, ScriptLocator):
        return SourceLocator(
            episode=locator.episode_name,
            chapter=f"{locator.chapter_id} {locator.chapter_title}".strip(),
            messages=(locator.first_message, locator.last_message),
            speakers=locator.speakers,
        )
    return SourceLocator(section=locator.path)
