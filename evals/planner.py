"""How well messages are planned: plans compared with labelled queries, part by part."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypedDict

from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.heads import packaged_heads
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.plan import Shape
from evals.lines import DatasetError
from evals.planner_files import (
    LabelledConversation,
    LabelledQuery,
    PlannerSchema,
    labelled_meaning,
    load_conversations,
    load_queries,
    load_schemas,
    stated,
)
from evals.planner_ways import Asked, Planned, RulesWay, Way

Filters = Mapping[str, str]
"""Conditions by field, each as a text that is equal for equal conditions."""
PARTS = ("strategy", "filters", "aggregates", "group", "sort", "limit")
"""The parts of a plan that together are the whole; `fields` are columns, and judged apart."""
_FROM_FIELDS = (Shape.METADATA_ONLY, Shape.HYBRID)


@dataclass(frozen=True, slots=True)
class PlanJudgement:
    """Expected and planned parts of a query. `right`: for each part that the query states whether it is as planned.

    `seconds`: how long the plan took.
    """

    query: str
    shape: Shape
    filters: Filters
    planned_filters: Filters
    right: Mapping[str, bool]
    planned: Planned | None = None
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        return all(hit for part, hit in self.right.items() if part != "fields")


class ShapeScore(TypedDict):
    n: int
    strategy_accuracy: float
    filters_exact: float


class FieldScore(TypedDict):
    n: int
    precision: float
    recall: float
    f1: float


class Confident(TypedDict):
    """Plans that need no second opinion: from which confidence on, the share that has it, and how many are right."""

    threshold: float
    coverage: float
    accuracy: float


class Seconds(TypedDict):
    median: float
    p90: float


class Tokens(TypedDict):
    """All that the model read and wrote, plans that were refused included."""

    read: int
    written: int


class _Course(TypedDict):
    planned_by: dict[str, int]
    failures: dict[str, int]
    seconds: Seconds
    tokens: Tokens
    dollars: float


class PlannerReport(_Course):
    """Shares lie between 0 and 1. A filter is one field's whole condition; `filters_f1` counts all of them.

    `whole`: strategy, filters, aggregates, group, sort and limit are right. `fields_exact`: the columns asked for.
    `planned_by`: how many plans each planner made, by the names of the steps in an answer's path; `failures`: of the
    model, by their codes. `seconds`: for one plan. `dollars`: for all tokens, 0 where no prices are known.
    """

    n: int
    strategy_accuracy: float
    filters_exact: float
    filters_f1: float
    aggregates_exact: float
    group_exact: float
    sort_exact: float
    fields_exact: float
    whole: float
    confident: Confident
    by_strategy: dict[str, ShapeScore]
    by_field: dict[str, FieldScore]


def judged(
    conversations: Sequence[LabelledConversation],
    schemas: Mapping[str, PlannerSchema],
    *,
    later: bool,
    way: Way | None = None,
    clock: Callable[[], float] = perf_counter,
) -> list[PlanJudgement]:
    """Plan each query and keep what is compared; with `later` the turns from the second on.

    A later turn is planned after the right plans of those before it. `way`: by the rules, if there is none.
    """
    way = way or RulesWay()
    found = []
    for conversation in conversations:
        for number, query in enumerate(conversation.turns):
            schema = _schema_of(query, schemas)
            if bool(number) == later:
                base = query.table if query.table in schemas else ""
                began = clock()
                planned = way.plan(Asked(query, base, schema, conversation.turns[:number]))
                found.append(_judged(query, schema, planned, clock() - began))
    return found


def _schema_of(query: LabelledQuery, schemas: Mapping[str, PlannerSchema]) -> PlannerSchema:
    found = schemas.get(query.table) or schemas.get("")
    if found is None:
        raise DatasetError(f"The query “{query.query}” is of “{query.table}”, and no schema has this name.")
    return found


def _judged(query: LabelledQuery, schema: PlannerSchema, planned: Planned, seconds: float) -> PlanJudgement:
    meaning = planned.meaning if planned.shape in _FROM_FIELDS else Meaning()
    wanted = {name: _canonical(stated(value), schema, name) for name, value in query.filters.items()}
    filters = {name: _canonical(value, schema, name) for name, value in _filters(meaning).items()}
    right = {"strategy": planned.shape is query.strategy, "filters": filters == wanted, **_parts(query, meaning)}
    return PlanJudgement(query.query, query.strategy, wanted, filters, right, planned, seconds)


def _parts(query: LabelledQuery, meaning: Meaning) -> dict[str, bool]:
    """The parts beside strategy and filters, of a query that states any of them."""
    if query.aggregates is None:
        return {}
    wanted = labelled_meaning(query)
    return {
        "aggregates": set(meaning.aggregates) == set(wanted.aggregates),
        "group": set(meaning.group) == set(wanted.group),
        "sort": meaning.order == wanted.order,
        "limit": meaning.limit == wanted.limit,
        "fields": set(meaning.fields) == set(wanted.fields),
    }


def _filters(meaning: Meaning) -> dict[str, Any]:
    found: dict[str, Any] = {name: {"not": list(values)} for name, values in meaning.unwanted.items()}
    for name, bounds in meaning.bounds.items():
        found.setdefault(name, _stated_bounds(bounds))
    return found | {name: list(values) for name, values in meaning.wanted.items()}


def _stated_bounds(bounds: Bounds) -> Any:
    if bounds.present is not None:
        return {"set": True} if bounds.present else None
    said = {"gt": bounds.gt, "gte": bounds.gte, "lt": bounds.lt, "lte": bounds.lte, "contains": bounds.contains}
    return {name: value for name, value in said.items() if value is not None}


def _canonical(value: Any, schema: PlannerSchema, name: str) -> str:
    """A text that is equal for equal conditions. Of a field with a closed list, "not draft" is all other values."""
    field = schema.schema.fields.get(name)
    if isinstance(value, Mapping) and "not" in value and field and field.values:
        unwanted = {_plain(each) for each in _list(value["not"])}
        others = [each for each in field.values if _plain(each) not in unwanted]
        value = others or value
    if isinstance(value, Mapping) and "not" in value:
        value = {**value, "not": _list(value["not"])}
    if isinstance(value, Mapping) and "all" in value:
        value = value["all"]
    if isinstance(value, Mapping):
        value = _half_open(value) if field and field.type is FieldType.DATE else value
        return json.dumps({key: _plain_any(each) for key, each in sorted(value.items())})
    return "not set" if value is None else json.dumps(sorted(_plain(each) for each in _list(value)))


def _half_open(bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Bounds of days that begin on a day and end before one: "until 31 May" is "before 1 June"."""
    following = {"gt": "gte", "lte": "lt"}
    return {following.get(key, key): _day_after(value) if key in following else value for key, value in bounds.items()}


def _day_after(day: Any) -> Any:
    try:
        return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    except (TypeError, ValueError, OverflowError):
        return day


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain_any(value: Any) -> Any:
    return sorted(map(_plain, value)) if isinstance(value, list) else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return str(float(value))
    except (TypeError, ValueError):
        return str(value).lower()


def evaluate_planner(rows: Sequence[PlanJudgement]) -> PlannerReport:
    """Accuracy of strategies, shares of queries whose parts are all right, and F1 of single filters."""
    fields = sorted({name for row in rows for name in (*row.filters, *row.planned_filters)})
    shapes = {shape: [row for row in rows if row.shape is shape] for shape in Shape}
    return PlannerReport(
        n=len(rows),
        strategy_accuracy=_part(rows, "strategy"),
        filters_exact=_part(rows, "filters"),
        filters_f1=_f1(rows, fields),
        aggregates_exact=_part(rows, "aggregates"),
        group_exact=_part(rows, "group"),
        sort_exact=_part(rows, "sort"),
        fields_exact=_part(rows, "fields"),
        whole=_share(row.whole for row in rows),
        confident=_confident(rows, packaged_heads().sure),
        by_strategy={
            shape.value: ShapeScore(
                n=len(inside), strategy_accuracy=_part(inside, "strategy"), filters_exact=_part(inside, "filters")
            )
            for shape, inside in shapes.items()
        },
        by_field={name: _field_score(rows, name) for name in fields},
        **_course(rows),
    )


def _course(rows: Sequence[PlanJudgement]) -> _Course:
    """Who planned, how long it took, and what the model read and wrote."""
    planned = [row.planned for row in rows if row.planned]
    seconds = sorted(row.seconds for row in rows)
    return _Course(
        planned_by=dict(Counter(each.by for each in planned)),
        failures=dict(Counter(each.failure for each in planned if each.failure)),
        seconds=Seconds(median=median(seconds), p90=seconds[math.ceil(0.9 * len(seconds)) - 1]),
        tokens=Tokens(read=sum(each.tokens[0] for each in planned), written=sum(each.tokens[1] for each in planned)),
        dollars=0.0,
    )


def dollars(report: PlannerReport, price_in: float, price_out: float) -> float:
    """What the tokens cost, by the prices of a million of each."""
    return (report["tokens"]["read"] * price_in + report["tokens"]["written"] * price_out) / 1_000_000


def _confident(rows: Sequence[PlanJudgement], threshold: float) -> Confident:
    sure = [row for row in rows if row.planned and row.planned.confidence >= threshold]
    return Confident(
        threshold=threshold, coverage=len(sure) / len(rows) if rows else 0.0, accuracy=_share(row.whole for row in sure)
    )


def run(file: Path, schema: Path, *, conversations: bool = False, way: Way | None = None) -> PlannerReport:
    """Score a way of planning, or else the rules, on a file. Raises DatasetError, ModelUnreachableError."""
    rows = load_conversations(file) if conversations else load_queries(file)
    return evaluate_planner(judged(rows, load_schemas(schema), later=conversations, way=way))


def to_json(report: PlannerReport) -> str:
    return json.dumps(report, indent=2)


def render(report: PlannerReport) -> str:
    """The report as plain text."""
    sure = report["confident"]
    lines = [
        f"{report['n']} queries, strategy {report['strategy_accuracy']:.3f}, filters exact"
        f" {report['filters_exact']:.3f}, F1 {report['filters_f1']:.3f}",
        f"aggregates {report['aggregates_exact']:.3f}, group {report['group_exact']:.3f}, sort"
        f" {report['sort_exact']:.3f}, fields {report['fields_exact']:.3f}, whole {report['whole']:.3f}",
        f"decided alone (confidence {sure['threshold']:.2f}): {sure['coverage']:.3f}, of these whole"
        f" {sure['accuracy']:.3f}",
        *_course_lines(report),
        "",
        f"{'strategy':20} {'n':>4}  right  filters",
    ]
    for name, shape in report["by_strategy"].items():
        lines.append(f"{name:20} {shape['n']:4}  {shape['strategy_accuracy']:.3f}    {shape['filters_exact']:.3f}")
    lines += ["", f"{'field':20} {'n':>4}  precision  recall     F1"]
    for name, field in report["by_field"].items():
        lines.append(
            f"{name:20} {field['n']:4}      {field['precision']:.3f}   {field['recall']:.3f}  {field['f1']:.3f}"
        )
    return "\n".join(lines)


def _course_lines(report: PlannerReport) -> Iterator[str]:
    seconds, tokens, count = report["seconds"], report["tokens"], report["n"]
    planned = ", ".join(f"{number} by {name}" for name, number in sorted(report["planned_by"].items()))
    yield f"planned {planned}; a plan takes {seconds['median']:.3f} s (median), {seconds['p90']:.3f} s (p90)"
    if report["failures"]:
        failed = ", ".join(f"{number} {code}" for code, number in sorted(report["failures"].items()))
        yield f"failures of the model: {failed}"
    if tokens["read"]:
        price = f", ${report['dollars']:.4f}" if report["dollars"] else ""
        yield (
            f"tokens: {tokens['read']} read, {tokens['written']} written{price}; a query"
            f" {tokens['read'] // count} and {tokens['written'] // count}"
        )


def _part(rows: Sequence[PlanJudgement], part: str) -> float:
    """The share of the queries that state the part which have it right."""
    return _share(row.right[part] for row in rows if part in row.right)


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0


def _f1(rows: Sequence[PlanJudgement], fields: Sequence[str]) -> float:
    counts = [_field_counts(rows, name) for name in fields]
    hits = sum(hit for hit, _, _ in counts)
    total = sum(planned + wanted for _, planned, wanted in counts)
    return 2 * hits / total if total else 1.0


def _field_counts(rows: Sequence[PlanJudgement], name: str) -> tuple[int, int, int]:
    """How often the field is right, planned, and wanted."""
    hits = sum(name in row.filters and row.filters[name] == row.planned_filters.get(name) for row in rows)
    return hits, sum(name in row.planned_filters for row in rows), sum(name in row.filters for row in rows)


def _field_score(rows: Sequence[PlanJudgement], name: str) -> FieldScore:
    hits, planned, wanted = _field_counts(rows, name)
    return FieldScore(
        n=wanted,
        precision=hits / planned if planned else 0.0,
        recall=hits / wanted if wanted else 0.0,
        f1=2 * hits / (planned + wanted) if planned + wanted else 0.0,
    )
