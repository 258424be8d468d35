"""Divides a document's passages into sections: by headings, or by the chapters of a script."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from cicada.documents.model import Passage, ScriptLocator
from cicada.ingest.prose.characters import clip

MAX_SECTIONS = 200
MAX_HEADING = 100


class Span(Struct, frozen=True):
    """Passages `first` to `last`, both inclusive, under the headings `path`, outermost first."""

    path: tuple[str, ...]
    first: int
    last: int


def spans_of(passages: Sequence[Passage], most: int = MAX_SECTIONS) -> tuple[Span, ...]:
    """Consecutive spans of all passages: of the deepest headings of which there are at most `most`.

    If even the outermost headings are too many, neighbours are joined under the first one's heading.
    """
    places = _places(passages)
    spans: list[Span] = []
    for depth in range(max(map(len, places), default=0), 0, -1):
        spans = _at(places, depth)
        if len(spans) <= most:
            return tuple(spans)
    return tuple(_joined(spans or _at(places, 1), most))


def heading_of(span: Span, passage: Passage) -> str:
    """The heading as a card shows it; `passage` is one of the span. Text above all headings has the title."""
    return clip(" · ".join(span.path) or passage.title, MAX_HEADING)


def _places(passages: Sequence[Passage]) -> list[tuple[str, ...]]:
    """The headings above each passage, without one that stands above all of them: it is the document's title."""
    paths = [_path(passage) for passage in passages]
    if any(len(path) > 1 for path in paths) and len({path[:1] for path in paths}) == 1:
        return [path[1:] for path in paths]
    return [() if path == (passage.title,) else path for path, passage in zip(paths, passages, strict=True)]


def _path(passage: Passage) -> tuple[str, ...]:
    """A chapter of a script is a heading; in another language it is another one."""
    if isinstance(passage.locator, ScriptLocator):
        return (f"{passage.locator.chapter_id} {passage.locator.chapter_title}".strip(),)
    return passage.locator.path


def _at(places: Sequence[tuple[str, ...]], depth: int) -> list[Span]:
    spans = []
    for path, numbers in groupby(range(len(places)), key=lambda number: places[number][:depth]):
        first, *others = numbers
        spans.append(Span(path, first, others[-1] if others else first))
    return spans


def _joined(spans: Sequence[Span], most: int) -> list[Span]:
    step = -(-len(spans) // most)
    groups = (spans[start : start + step] for start in range(0, len(spans), step)) if spans else ()
    return [Span(group[0].path, group[0].first, group[-1].last) for group in groups]
