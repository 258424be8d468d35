"""How well the deterministic planner plans: shapes and filters compared with labelled queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from cicada.documents.model import AnyOf, Condition, Exists, NoneOf
from cicada.planning.deterministic.planner import DeterministicPlanner
from cicada.planning.plan import Plan, Shape
from evals.planner_files import LabelledQuery, PlannerSchema, load_queries, load_schema

Filters = Mapping[str, str]
"""Conditions by field, each as a text that is equal for equal conditions."""


@dataclass(frozen=True, slots=True)
class PlanJudgement:
    """Expected and planned shape and filters of a query."""

    query: str
    shape: Shape
    planned_shape: Shape
    filters: Filters
    planned_filters: Filters
    confidence: float = 1.0


class ShapeScore(TypedDict):
    n: int
    strategy_accuracy: float
    filters_exact: float


class FieldScore(TypedDict):
    n: int
    precision: float
    recall: float
    f1: float


class PlannerReport(TypedDict):
    """Shares lie between 0 and 1. A filter is one field's whole condition; `filters_f1` counts all of them."""

    n: int
    strategy_accuracy: float
    filters_exact: float
    filters_f1: float
    by_strategy: dict[str, ShapeScore]
    by_field: dict[str, FieldScore]


def judged(queries: Sequence[LabelledQuery], schema: PlannerSchema) -> list[PlanJudgement]:
    """Plan each query and keep what is compared."""
    planner = DeterministicPlanner.of(schema.schema)
    found = []
    for query in queries:
        asker = schema.asker if query.asker is None else query.asker
        plan = planner.plan(query.query, query.now or schema.now, asker)
        found.append(_judgement(query, plan, schema))
    return found


def evaluate_planner(rows: Sequence[PlanJudgement]) -> PlannerReport:
    """Accuracy of shapes, share of queries whose filters are all right, and F1 of single filters."""
    fields = sorted({name for row in rows for name in (*row.filters, *row.planned_filters)})
    shapes = {shape: [row for row in rows if row.shape is shape] for shape in Shape}
    return PlannerReport(
        n=len(rows),
        strategy_accuracy=_share(row.shape is row.planned_shape for row in rows),
        filters_exact=_share(row.filters == row.planned_filters for row in rows),
        filters_f1=_f1(rows, fields),
        by_strategy={
            shape.value: ShapeScore(
                n=len(inside),
                strategy_accuracy=_share(row.planned_shape is shape for row in inside),
                filters_exact=_share(row.filters == row.planned_filters for row in inside),
            )
            for shape, inside in shapes.items()
        },
        by_field={name: _field_score(rows, name) for name in fields},
    )


def run(file: Path, schema: Path) -> PlannerReport:
    """Score the deterministic planner on a file. Raises PlannerDatasetError."""
    return evaluate_planner(judged(load_queries(file), load_schema(schema)))


def to_json(report: PlannerReport) -> str:
    return json.dumps(report, indent=2)


def render(report: PlannerReport) -> str:
    """The report as plain text."""
    lines = [
        f"{report['n']} queries, strategy {report['strategy_accuracy']:.3f}, filters exact"
        f" {report['filters_exact']:.3f}, F1 {report['filters_f1']:.3f}",
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


def _judgement(query: LabelledQuery, plan: Plan, schema: PlannerSchema) -> PlanJudgement:
    wanted = {name: _stated(value) for name, value in query.filters.items()}
    planned = {condition.field: _planned(condition, schema) for condition in plan.filters}
    return PlanJudgement(query.query, query.strategy, plan.shape, wanted, planned, plan.confidence)


def _stated(value: Any) -> str:
    """A filter of the file: one value, several, a range, or null for a field that is not set."""
    if isinstance(value, Mapping):
        return _range(value)
    if value is None:
        return "not set"
    values = value if isinstance(value, list) else [value]
    return _values(values)


def _planned(condition: Condition, schema: PlannerSchema) -> str:
    """A planned condition. Of a field with a closed list, "not draft" is all the other values."""
    if isinstance(condition, AnyOf):
        return _values(condition.values)
    if isinstance(condition, NoneOf):
        return _values(set(schema.schema.fields[condition.field].values) - condition.values)
    if isinstance(condition, Exists):
        return "set" if condition.present else "not set"
    bounds = {"gte": condition.least, "gt": condition.above, "lte": condition.most, "lt": condition.below}
    return _range({name: bound for name, bound in bounds.items() if bound is not None})


def _values(values: Iterable[Any]) -> str:
    return json.dumps(sorted(str(value).lower() for value in values))


def _range(bounds: Mapping[str, Any]) -> str:
    kept = {name: float(bound) if isinstance(bound, int | float) else str(bound) for name, bound in bounds.items()}
    return json.dumps(dict(sorted(kept.items())))


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
