"""The ways in which the evaluation plans a query: by the rules, by a model, or as a stage does in mode `auto`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time
from typing import Protocol

from cicada.dialogue import Turn
from cicada.documents.model import AnyOf, Condition, Contains, Exists, NoneOf, Range
from cicada.errors import CicadaError, ConfigurationError, DependencyError, PlanRefusedError
from cicada.observability.telemetry import Telemetry, recording
from cicada.understanding.from_understood import SHAPES
from cicada.understanding.heads import packaged_heads
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.plan import BY_RULES, Intent, Plan, Planner, PlanRequest, Shape
from cicada.understanding.planners import MODEL_FAILED, PlannerMode
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.understood import Understood
from evals.planner_files import LabelledQuery, PlannerSchema, labelled_meaning

_LETTERS = {shape: letter for letter, shape in SHAPES.items()}


class ModelUnreachableError(CicadaError):
    """The planning model did not answer its first call."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query to the documents of a schema. `earlier`: the turns before it, with their labels."""

    query: LabelledQuery
    base: str
    schema: PlannerSchema
    earlier: Sequence[LabelledQuery] = ()

    @property
    def asker(self) -> str:
        return self.schema.asker if self.query.asker is None else self.query.asker


@dataclass(frozen=True, slots=True)
class Planned:
    """`confidence`: that of the rules where they decided, else 0. `failure`: why there is no plan of the model.

    `tokens`: read and written by the model.
    """

    shape: Shape
    meaning: Meaning
    confidence: float = 0.0
    by: str = BY_RULES
    failure: str = ""
    tokens: tuple[int, int] = (0, 0)


class Way(Protocol):
    """Plans a query after the right plans of those before it."""

    def plan(self, asked: Asked) -> Planned: ...


@dataclass(frozen=True, slots=True)
class RulesWay:
    """Plans by the rules. A reader is made for each schema, and kept."""

    readers: dict[str, SchemaReader] = field(default_factory=dict)

    def plan(self, asked: Asked) -> Planned:
        reader = self.readers.get(asked.base) or SchemaReader.of(asked.schema.schema)
        self.readers[asked.base] = reader
        before = [
            Understood(each.query, labelled_meaning(each), _LETTERS[each.strategy], 1.0) for each in asked.earlier
        ]
        now = asked.query.now or asked.schema.now
        found = reader.next(asked.query.query, before[-1] if before else None, now, asked.asker)
        return Planned(SHAPES[found.strategy], found.meaning, found.confidence)


@dataclass(slots=True)
class ModelWay:
    """Plans by a model, and by the rules where it fails; in mode `auto` by the rules alone where they are sure.

    Raises `ModelUnreachableError` if the model does not answer its first call.
    """

    model: Planner
    mode: PlannerMode
    rules: RulesWay = field(default_factory=RulesWay)
    _has_answered: bool = False

    def plan(self, asked: Asked) -> Planned:
        if self.mode is PlannerMode.AUTO:
            by_rules = self.rules.plan(asked)
            if by_rules.confidence >= packaged_heads().sure:
                return by_rules
        telemetry = Telemetry()
        try:
            with recording(telemetry):
                plan = self.model.plan(_request(asked))
        except (DependencyError, ConfigurationError, PlanRefusedError) as error:
            return replace(self._without(error, asked), tokens=telemetry.tokens)
        self._has_answered = True
        return Planned(plan.shape, meaning_of(plan), by=plan.by, tokens=telemetry.tokens)

    def _without(self, error: CicadaError, asked: Asked) -> Planned:
        """The rules' plan after a failure of the model."""
        if isinstance(error, PlanRefusedError):
            self._has_answered = True
        elif not self._has_answered:
            raise ModelUnreachableError(f"The planning model did not answer: {error}") from error
        failure = error.kind if isinstance(error, PlanRefusedError) else error.code
        return replace(self.rules.plan(asked), confidence=0.0, by=MODEL_FAILED, failure=failure)


def _request(asked: Asked) -> PlanRequest:
    """What a stage's planner would get. The answers of the earlier turns are not in the file."""
    return PlanRequest(
        asked.query.query,
        asked.base,
        datetime.combine(asked.query.now or asked.schema.now, time(12), UTC),
        turns=tuple(Turn(each.query, "") for each in asked.earlier),
        messages=tuple(each.query for each in asked.earlier),
        schema=asked.schema.schema,
        asker=asked.asker,
        intents=(Intent.SCRIPT_QUERY, Intent.GENERAL),
    )


def meaning_of(plan: Plan) -> Meaning:
    """What the plan states about documents."""
    found = Meaning(aggregates=plan.aggregates, group=plan.group, fields=plan.fields, order=plan.sort, limit=plan.limit)
    for condition in plan.filters:
        found = _with_condition(found, condition)
    return found


def _with_condition(found: Meaning, condition: Condition) -> Meaning:
    match condition:
        case AnyOf() | NoneOf():
            for value in sorted(condition.values, key=str):
                found = found.adding(condition.field, value, negated=isinstance(condition, NoneOf))
            return found
        case Range():
            bounds = Bounds(gt=condition.above, gte=condition.least, lt=condition.below, lte=condition.most)
        case Exists():
            bounds = Bounds(present=condition.present)
        case Contains():
            bounds = Bounds(contains=condition.text)
    return found.bounding(condition.field, bounds)
