"""The plan as a model writes it: the input of the plan tool, with the base's own fields and values.

One pydantic model is both the tool's JSON Schema and the reader of its input, so the model is shown what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, Field, ValidationError, create_model

from cicada.documents.catalogue import EVERY, TITLE, Aggregate, Operation, Sort
from cicada.documents.model import Condition, Subject
from cicada.errors import PlanRefusedError
from cicada.knowledge_bases.schema import Schema
from cicada.languages.terms import LANGUAGES
from cicada.understanding.by_model.filters import Strict, described, filter_form, one_of
from cicada.understanding.by_model.json_schema import plain_schema
from cicada.understanding.consistency import contradiction
from cicada.understanding.model import Intent
from cicada.understanding.plan import BY_MODEL, Plan, Shape
from cicada.understanding.planner import PlanRequest

_QUERY_CHARACTERS = 2_000
_CONCEPTS = 8
_SUBJECTS = 4
_AGGREGATES = 6
_GROUPED_BY = 2
_FIELDS = 10
_OPERATIONS = get_args(Operation)
_OF_FIELDS = ("sort", "aggregates", "group", "fields")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


_Query = Annotated[str, Field(max_length=_QUERY_CHARACTERS)]
_Name = Annotated[str, Field(max_length=200)]


class _Subject(Strict):
    document: _Name = Field("", description="the document's name, as the message has it")
    section: _Name = Field("", description="the part, such as chapter 3 or 3.4; empty for the whole document")


class PlanForm:
    """The form of the plans of one base for users who may ask these bases and have these intents."""

    def __init__(self, request: PlanRequest) -> None:
        self._base = request.knowledge_base
        self._schema = request.schema
        self._model = _plan_model(request)

    def json_schema(self) -> dict[str, Any]:
        """The input schema of the plan tool."""
        return plain_schema(self._model.model_json_schema())

    def read(self, value: object, asker: str = "") -> Plan:
        """The plan; "me" in it is `asker`. Raises `PlanRefusedError`; its sentence quotes no value."""
        try:
            plan = self._plan(self._model.model_validate(value, context={"asker": asker}))
        except ValidationError as error:
            raise _refusal(error) from None
        except ValueError as error:
            raise PlanRefusedError(f"The plan contradicts itself: {error}.", "contradiction") from None
        self._check_base(plan)
        if said := contradiction(plan, self._schema):
            raise PlanRefusedError(f"The plan {said}.", "contradiction")
        return plan

    def _plan(self, read: Any) -> Plan:
        return Plan(
            intent=Intent(read.intent),
            shape=Shape(read.strategy),
            query=read.query.strip(),
            search_value=read.search_value.strip(),
            knowledge_base=read.knowledge_base or self._base,
            filters=tuple(_conditions(read.filters)),
            sort=Sort(read.sort.field, read.sort.descending, read.sort.of) if read.sort else None,
            aggregates=tuple(dict.fromkeys(Aggregate(each.op, each.field) for each in read.aggregates)),
            group=tuple(getattr(read, "group", ())),
            fields=tuple(dict.fromkeys(read.fields)),
            limit=read.limit,
            key_concepts=tuple(read.key_concepts),
            subjects=tuple(Subject(each.document.strip(), each.section.strip()) for each in read.subjects),
            language=read.language,
            by=BY_MODEL,
            wants_documents=read.documents,
            clarification=read.clarification.strip(),
        )

    def _check_base(self, plan: Plan) -> None:
        """Fields are those of the base that is asked, so a plan for another one cannot use them."""
        if plan.knowledge_base != self._base and _uses_fields(plan):
            raise PlanRefusedError("The plan is for another base and uses fields of this one.", "contradiction")


def _plan_model(request: PlanRequest) -> Any:
    """The model of a plan with the fields and values of the request's schema."""
    fields = tuple(request.schema.fields)
    bases = tuple(dict.fromkeys([request.knowledge_base, *request.bases]))
    asked, named = _aggregate_model(fields), one_of((*fields, TITLE))
    return create_model(
        "Plan",
        __base__=Strict,
        intent=(one_of(tuple(map(str, request.intents))), ...),
        strategy=(one_of(tuple(map(str, Shape))), ...),
        query=(
            Annotated[_Query, AfterValidator(_not_blank)],
            Field(description="the message as a question of its own"),
        ),
        search_value=(_Query, Field("", description="what to search the texts for, without what the filters say")),
        knowledge_base=(one_of(bases) | None, None),
        filters=(_filters_model(request.schema) | None, None),
        sort=(_sort_model(fields) | None, None),
        aggregates=(
            Annotated[list[asked], Field(max_length=_AGGREGATES)],  # type: ignore[valid-type]
            Field(default_factory=list, description="numbers that are asked for; count of * for how many documents"),
        ),
        **_group_form(fields),
        fields=(
            Annotated[list[named], Field(max_length=_FIELDS)],  # type: ignore[valid-type]
            Field(default_factory=list, description="fields whose values are asked for, document by document"),
        ),
        limit=(Annotated[int, Field(ge=1, le=1000)] | None, None),
        key_concepts=(Annotated[list[str], Field(max_length=_CONCEPTS)], Field(default_factory=list)),
        subjects=(
            Annotated[list[_Subject], Field(max_length=_SUBJECTS)],
            Field(default_factory=list, description="what is read as a whole: for a summary one, for a comparison two"),
        ),
        documents=(
            bool,
            Field(False, description="the documents about search_value are asked for, and not what they say about it"),
        ),
        language=(one_of(tuple(LANGUAGES)), Field("en", description="of the message")),
        clarification=(_Query, Field("", description="with NeedsClarification: the question to the user")),
    )


def _filters_model(schema: Schema) -> Any:
    # Aliases, because a field may be named as a method of pydantic's models is.
    forms = {
        f"field_{number}": (
            filter_form(each) | None,
            Field(None, alias=name, description=described(each) or None),
        )
        for number, (name, each) in enumerate(schema.fields.items())
    }
    return create_model("Filters", __base__=Strict, **forms)  # type: ignore[call-overload]


def _sort_model(fields: tuple[str, ...]) -> Any:
    return create_model(
        "Order",
        __base__=Strict,
        field=(one_of((*fields, TITLE, EVERY)), ...),
        descending=(bool, False),
        of=(
            one_of(_OPERATIONS) | None,
            Field(None, description="only with group: groups in the order of this number of the field"),
        ),
    )


def _group_form(fields: tuple[str, ...]) -> dict[str, Any]:
    """Documents without fields have no groups."""
    said = "the numbers for each value of these; alone: which values there are"
    named: Any = Annotated[list[one_of(fields)], Field(max_length=_GROUPED_BY)] if fields else None  # type: ignore[misc]
    return {"group": (named, Field(default_factory=list, description=said))} if fields else {}


def _aggregate_model(fields: tuple[str, ...]) -> Any:
    return create_model(
        "Aggregate", __base__=Strict, op=(one_of(_OPERATIONS), ...), field=(one_of((*fields, EVERY)), EVERY)
    )


def _uses_fields(plan: Plan) -> bool:
    named = {*plan.group, *plan.fields, *(each.field for each in plan.aggregates)}
    return bool(plan.filters or plan.sort or named - {EVERY})


def _conditions(filters: Any) -> Iterator[Condition]:
    if filters is None:
        return
    for name, field in type(filters).model_fields.items():
        found = getattr(filters, name)
        if found is not None:
            yield from found.conditions(field.alias)


def _refusal(error: ValidationError) -> PlanRefusedError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # Names of the form only: what a model wrote may quote the user.
    place = ".".join(str(each) for each in first["loc"][:-1] if not str(each).startswith("field_")) or "plan"
    return PlanRefusedError(f"The plan has no valid form ({first['type']} in {place}).", _kind(first))


def _kind(error: Mapping[str, Any]) -> str:
    if "knowledge_base" in error["loc"]:
        return "unknown_base"
    if error["type"] == "extra_forbidden":
        return "unknown_field"
    if error["type"] == "literal_error":
        return "unknown_field" if error["loc"][-1] != "op" and error["loc"][0] in _OF_FIELDS else "unknown_value"
    return "unreadable"
