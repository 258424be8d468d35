"""Parts of an answer as events of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from cicada.answering.citations import cut
from cicada.answering.figures import groups_of_years, shown_figure
from cicada.answering.parts import AnswerPart, Cited, Finished, Listed, Match, Numbers, Progress, Span, Text, Used
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    Aggregate,
    AnyEventBody,
    Chunk,
    Complete,
    Figure,
    Group,
    ListedDocument,
    Listing,
    PlanSummary,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    UnsupportedSentence,
    Usage,
)
from cicada.documents import aggregates, catalogue
from cicada.documents.catalogue import EVERY, ROW_IN_TITLE, DocumentRow
from cicada.documents.model import Locator, ScriptLocator, place_name
from cicada.grounding.checking import Checked
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import MAX_FIELDS, MAX_NAME, MAX_VALUE, are_years, shown_fields, shown_value
from cicada.retrieval.model import RankedPassage
from cicada.understanding.plan import BY_MODEL, Plan

F = TypeVar("F", bound=Struct)
T = TypeVar("T")

# A passage that is longer is cut. Ingest makes none of more than 900 characters.
_EXCERPT_BYTES = 4 * 1024
_SPANS = 50
_REASON_LENGTH = 300
_NAME_LENGTH = 120
_NAMES = 20
_QUERY_LENGTH = 500
_GROUPS = 100
_UNSUPPORTED = 100
# Room for content in a frame.
_ROOM_BYTES = FRAME_LIMIT_BYTES - 384
# Room for what stands in a frame beside its documents, and for the filters beside the rest of the last event.
_HALF_BYTES = _ROOM_BYTES // 2
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


def complete(finished: Finished, timings: Mapping[str, int]) -> Complete:
    """The last event of an answer. `timings` in milliseconds."""
    usage = Usage(input_tokens=finished.input_tokens, output_tokens=finished.output_tokens)
    return Complete(
        usage=usage,
        timings=dict(timings),
        path=finished.path,
        confidence=_shown(finished.confidence),
        plan=_plan(finished, finished.plan) if finished.plan else None,
        checked=finished.checked.sentences if finished.checked else None,
        unsupported=_unsupported(finished.checked) if finished.checked else None,
        stopped=cast(Any, finished.stopped.value) if finished.stopped else None,
    )


def _unsupported(checked: Checked) -> tuple[UnsupportedSentence, ...] | None:
    first = checked.unsupported[:_UNSUPPORTED]
    return (
        tuple(UnsupportedSentence(start=each.start, end=each.end, reason=each.reason.value) for each in first) or None
    )


def _shown(value: float | None) -> float | None:
    """A confidence or relevance as users see it: further digits mean nothing, and would tell differences apart."""
    return None if value is None else round(float(value), 2)


def _plan(finished: Finished, plan: Plan) -> PlanSummary:
    filters = _beginning(finished.conditions, _HALF_BYTES, _json_size)
    return PlanSummary(
        strategy=plan.shape.value,
        knowledge_base=plan.knowledge_base,
        query=(plan.search_value or plan.query)[:_QUERY_LENGTH],
        by=plan.by,
        filters=filters,
        documents=finished.matching,
        withheld=finished.withheld,
        confidence=None if plan.by.startswith(BY_MODEL) else _shown(plan.confidence),
        removable=tuple(each for each in finished.removable if each < len(filters)) or None,
    )


def _others(part: AnswerPart) -> Iterator[AnyEventBody]:
    if isinstance(part, Progress):
        yield StatusChanged(stage=cast(Any, part.stage), detail=part.detail)
    elif isinstance(part, Cited):
        yield from _sources(dict(enumerate(part.passages, part.first)), part.schema)
    elif isinstance(part, Used):
        yield from _sources(part.passages, part.schema, part.spans)
    elif isinstance(part, Listed):
        yield from listings(part)


def _sources(
    passages: Mapping[int, RankedPassage], schema: Schema, spans: Mapping[int, Sequence[Span]] = MappingProxyType({})
) -> Iterator[SourcesFound]:
    sources = [_source(number, ranked, schema, spans.get(number, ())) for number, ranked in passages.items()]
    base = next((each.passage.document.base_key.knowledge_base for each in passages.values()), None)
    yield from (SourcesFound(sources=tuple(each), knowledge_base=base) for each in _fitting(sources))


def listings(part: Listed) -> Iterator[Listing]:
    """The events of these rows. Columns and numbers stand in the first one, which there is even without a row."""
    columns = tuple(name[:MAX_NAME] for name in list(part.columns.values())[:MAX_FIELDS]) if part.rows else ()
    of_first = ({"columns": columns} if columns else {}) | _numbers(part.numbers, _HALF_BYTES - _bytes(columns))
    years = {name: are_years(name, [row.metadata.get(name) for row in part.rows]) for name in part.columns}
    documents = [_listed(row, part.columns, years, part.matches.get(row.document)) for row in part.rows]
    base = next((row.document.base_key.knowledge_base for row in part.rows), None)
    room = _ROOM_BYTES - _bytes(of_first)
    for number, each in enumerate(_fitting(documents, room) or [[]]):
        yield Listing(
            total=part.total,
            documents=tuple(each),
            offset=part.offset,
            next_offset=part.next_offset,
            knowledge_base=base,
            **of_first if not number else {},
        )


def _numbers(numbers: Numbers | None, room: int) -> dict[str, Any]:
    """The fields of an event that have the numbers: all aggregates, and as many groups as fit."""
    if numbers is None:
        return {}
    asked = tuple(
        Aggregate(
            op=each.op,
            name=name[:MAX_NAME],
            figure=_figure(figure, each),
            documents=figure.documents,
            field=each.field[:MAX_NAME] if each.field != EVERY else None,
        )
        for each, name, figure in zip(numbers.aggregates, numbers.names, numbers.found.figures, strict=True)
    )
    if not numbers.group:
        return {"aggregates": asked}
    years = groups_of_years(numbers)
    groups = [_group(each, numbers, years) for each in numbers.found.groups[:_GROUPS]]
    return {
        "aggregates": asked,
        "grouped_by": tuple(name[:MAX_NAME] for name in numbers.group),
        "groups": _beginning(groups, room - _bytes(asked), _size),
        "group_count": numbers.found.group_count,
    }


def _group(group: aggregates.Group, numbers: Numbers, years: Sequence[bool]) -> Group:
    figures = zip(numbers.aggregates, group.figures, strict=True)
    values = zip(group.values, years, strict=True)
    return Group(
        values=tuple(None if value is None else shown_value(value, years=each)[:MAX_NAME] for value, each in values),
        documents=group.documents,
        figures=tuple(_figure(figure, each) for each, figure in figures),
    )


def _figure(figure: aggregates.Figure, aggregate: catalogue.Aggregate) -> Figure:
    number = figure.value if isinstance(figure.value, int | float) else None
    said = shown_figure(figure, aggregate)
    return Figure(value=said and said[:MAX_NAME], number=number)


def _bytes(value: object) -> int:
    return len(encode(value))


def _listed(
    row: DocumentRow, columns: Mapping[str, str], years: Mapping[str, bool], match: Match | None
) -> ListedDocument:
    named = [name for name in columns if name in row.metadata][:MAX_FIELDS]
    shown = {columns[name]: shown_value(row.metadata[name], name, years[name]) for name in named}
    return ListedDocument(
        document_id=row.document.document_id,
        title=_cut_title(row.title),
        fields={name[:MAX_NAME]: value[:MAX_VALUE] for name, value in shown.items()},
        relevance=_shown(match.relevance) if match else None,
        excerpt=match.excerpt if match else None,
        reason=match.reason[:_REASON_LENGTH] if match else None,
    )


def _cut_title(title: str) -> str:
    """A long title is cut before the number of the row, by which the row is found again."""
    ending = found[0] if (found := ROW_IN_TITLE.search(title)) else ""
    return f"{title[: _NAME_LENGTH - len(ending)]}{ending}" if len(title) > _NAME_LENGTH else title


def _beginning(items: Sequence[T], room: int, size_of: Callable[[T], int]) -> tuple[T, ...]:
    """The first items, as many as fit."""
    ends = accumulate(map(size_of, items))
    return tuple(item for item, end in zip(items, ends, strict=True) if end <= room)


def _fitting(frames: Sequence[F], first_room: int = _ROOM_BYTES) -> list[list[F]]:
    """The frames in lists that each fit into one event."""
    lists: list[list[F]] = []
    room = 0
    for each in frames:
        size = _size(each)
        if not lists or size > room:
            room = first_room if not lists else _ROOM_BYTES
            lists.append([])
        lists[-1].append(each)
        room -= size
    return lists


def _size(frame: Struct) -> int:
    return len(encode(frame)) + len(",")


def _json_size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) + len(",")


def _chunks(text: str) -> Iterator[Chunk]:
    # A model may write half of a surrogate pair, which UTF-8 cannot encode.
    data = text.encode("utf-8", "replace")
    while data:
        piece = data[:_CHUNK_LENGTH_BYTES].decode(errors="ignore")
        yield Chunk(content=piece)
        data = data[len(piece.encode()) :]


def _source(number: int, ranked: RankedPassage, schema: Schema, spans: Sequence[Span]) -> Source:
    passage = ranked.passage
    source = Source(
        n=number,
        document_id=passage.document.document_id,
        title=passage.title[:_NAME_LENGTH],
        locator=_locator(passage.locator),
        excerpt="",
        relevance=_shown(ranked.relevance),
        fields=shown_fields(schema, passage.metadata) or None,
        passage=place_name(passage),
    )
    # Data of a sidecar may be long and full of characters that JSON escapes.
    room = min(_EXCERPT_BYTES, _ROOM_BYTES - _size(source))
    text, shown = cut(passage.text, spans[:_SPANS], lambda part: _json_size(part) <= room)
    return replace(source, excerpt=text, spans=tuple(shown) or None)


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
