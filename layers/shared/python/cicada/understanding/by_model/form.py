"""The form of a plan that a language model fills in, and the plan that its reply is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
)

from cicada.documents.catalogue import EVERY, TITLE, Aggregate, Operation, Sort
from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Scalar, Subject
from cicada.documents.periods import PERIODS, by_period
from cicada.errors import PlanRefusedError
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.languages.terms import LANGUAGES
from cicada.understanding.plan import BY_MODEL, MOST_GROUPED_BY, Intent, Plan, PlanRequest, Shape, contradiction

_LEFT_OUT = ("$defs", "title", "default")
_VALUES_AT_MOST = 20
_CHARACTERS_AT_MOST = 200
_ME = "me"
_QUERY_CHARACTERS = 2_000
_CONCEPTS = 8
_SUBJECTS = 4
_AGGREGATES = 6
_FIELDS = 10
_OPERATIONS = get_args(Operation)
_OF_FIELDS = ("sort", "aggregates", "group", "fields")


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its definitions in place. A property that may be null is one that may be left out."""
    return _plain(schema, schema.get("$defs", {}))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        named = definitions[schema["$ref"].removeprefix("#/$defs/")]
        return _plain({**named, **{name: value for name, value in schema.items() if name != "$ref"}}, definitions)
    if "anyOf" in schema:
        [kept] = [each for each in schema["anyOf"] if each != {"type": "null"}]
        return _plain({**kept, **{name: value for name, value in schema.items() if name != "anyOf"}}, definitions)
    plain = {name: value for name, value in schema.items() if name not in _LEFT_OUT}
    if "properties" in plain:
        # Here a name is a property's, and may be any word.
        plain["properties"] = {name: _plain(each, definitions) for name, each in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    return plain


class Strict(BaseModel):
    """What a model writes: an unknown name is refused, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _is_date(text: str) -> str:
    if len(text) != len("2026-01-31"):
        raise ValueError("is no date; write it as 2026-01-31")
    date.fromisoformat(text)
    return text


IsoDate = Annotated[str, AfterValidator(_is_date), Field(json_schema_extra={"format": "date"})]
Text = Annotated[str, Field(min_length=1, max_length=_CHARACTERS_AT_MOST)]


class DateFilter(Strict):
    since: IsoDate | None = Field(None, description="on this day or later")
    after: IsoDate | None = None
    until: IsoDate | None = Field(None, description="on this day or earlier")
    before: IsoDate | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        yield from _range(Range(field, self.since, self.after, self.until, self.before))
        yield from _exists(field, self.exists)


class NumberFilter(Strict):
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        yield from _range(Range(field, self.at_least, self.above, self.at_most, self.below))
        yield from _exists(field, self.exists)


class BooleanFilter(Strict):
    equals: bool | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        if self.equals is not None:
            yield AnyOf(field, frozenset([self.equals]))
        yield from _exists(field, self.exists)


class ValuesFilter(Strict):
    """`any_of` and `none_of` are lists of the field's values; each field has a subclass with its own."""

    any_of: list[Any] = Field(default_factory=list)
    none_of: list[Any] = Field(default_factory=list)
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        wanted, unwanted = frozenset[Scalar](self.any_of), frozenset[Scalar](self.none_of)
        if wanted & unwanted:
            raise ValueError(f"{field} has the same value in any_of and none_of")
        if wanted:
            yield AnyOf(field, wanted)
        if unwanted:
            yield NoneOf(field, unwanted)
        yield from _exists(field, self.exists)


FieldFilter = DateFilter | NumberFilter | BooleanFilter | ValuesFilter
_BY_TYPE: Mapping[FieldType, type[FieldFilter]] = {
    FieldType.DATE: DateFilter,
    FieldType.NUMBER: NumberFilter,
    FieldType.BOOLEAN: BooleanFilter,
}


def filter_form(field: SchemaField) -> type[FieldFilter]:
    """The form of the field's filter. Reading it needs the context `{"asker": …}`: who "me" is in fields of persons."""
    if field.type in _BY_TYPE:
        return _BY_TYPE[field.type]
    values: Any = (Annotated[list[_value(field)], Field(max_length=_VALUES_AT_MOST)], Field(default_factory=list))  # type: ignore[misc]
    return create_model(f"{field.name}_filter", __base__=ValuesFilter, any_of=values, none_of=values)


def one_of(values: tuple[str, ...]) -> Any:
    """The type of a text that is one of these."""
    return Literal[values]


def described(field: SchemaField) -> str:
    """What the field is called, for the model."""
    names = ", ".join(dict.fromkeys(name for name in (field.display, *field.words) if name))
    synonyms = "; ".join(f"{value}: {', '.join(words)}" for value, words in field.synonyms.items() if words)
    me = 'write "me" for the user' if _is_person(field) else ""
    return ". ".join(part for part in (names, f"Values and words for them: {synonyms}" if synonyms else "", me) if part)


def _value(field: SchemaField) -> Any:
    """The type of the field's values. A synonym is taken for its value, as letters of any case are."""
    # Of a closed field of persons "me" is a further choice; reading replaces it.
    choices = (*field.values, _ME) if _is_person(field) and field.values else field.values
    shown: Any = one_of(choices) if choices else Text
    checks = [BeforeValidator(_canonical(field)), *([AfterValidator(_named)] if _is_person(field) else [])]
    return Annotated[shown, *checks]


def _canonical(field: SchemaField) -> Callable[[object, ValidationInfo], object]:
    known = {each.casefold(): value for value in field.values for each in (value, *field.synonyms.get(value, ()))}

    def read(value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        said = value.strip()
        if said.casefold() == _ME and _is_person(field):
            said = info.context["asker"] or _ME if info.context else _ME
        return known.get(said.casefold(), said)

    return read


def _named(value: str) -> str:
    if value == _ME:
        raise ValueError("names the user, whose name is not known")
    return value


def _is_person(field: SchemaField) -> bool:
    return field.is_owner or field.type is FieldType.PERSON


def _exists(field: str, wanted: bool | None) -> Iterator[Condition]:
    if wanted is not None:
        yield Exists(field, wanted)


def _range(bounds: Range) -> Iterator[Condition]:
    lower = [each for each in (bounds.least, bounds.above) if each is not None]
    upper = [each for each in (bounds.most, bounds.below) if each is not None]
    if any(low > high for low in lower for high in upper):  # type: ignore[operator]
        raise ValueError(f"{bounds.field} has a range that ends before it begins")
    if lower or upper:
        yield bounds


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
        **_group_form(fields, request.schema),
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


def _group_form(fields: tuple[str, ...], schema: Schema) -> dict[str, Any]:
    """Documents without fields have no groups."""
    said = "the numbers for each value of these, or for each period of a date; alone: which values there are"
    dates = [each.name for each in schema.fields.values() if each.type is FieldType.DATE]
    groups = (*fields, *(by_period(name, period) for name in dates for period in PERIODS))
    named: Any = Annotated[list[one_of(groups)], Field(max_length=MOST_GROUPED_BY)] if fields else None  # type: ignore[misc]
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
