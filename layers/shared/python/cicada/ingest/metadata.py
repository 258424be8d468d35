"""A document's metadata: its values, and the fields that a base wants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct, field
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cicada.documents.model import ROW, TABLE, MetadataValue
from cicada.errors import DocumentRejectedError
from cicada.ingest.markup import is_whole, plain_line
from cicada.ingest.model import Problem
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import Unusable, field_named, typed

# The attributes of a sidecar, in Amazon Bedrock's two forms: a plain value, or one that names its type.
#
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttributeValue.html

# The kind of a rejection because of the sidecar: the indexed version may have been meant for other viewers.
REJECTED = "sidecar"
STAYS_OUT = "The document stays out, for who may read it is unknown."

_NO_VALUE = ("missing", "model_attributes_type")


class StrictModel(BaseModel):
    """A part of a sidecar. A key that it may not have is refused, and no value is converted."""

    # Built at first use: building costs time at a cold start.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class _String(StrictModel):
    type: Literal["STRING"]
    content: str = Field(alias="stringValue")


class _Number(StrictModel):
    type: Literal["NUMBER"]
    content: int | float = Field(alias="numberValue")


class _Boolean(StrictModel):
    type: Literal["BOOLEAN"]
    content: bool = Field(alias="booleanValue")


class _StringList(StrictModel):
    type: Literal["STRING_LIST"]
    content: list[object] = Field(alias="stringListValue")


class _Attribute(StrictModel):
    value: Annotated[_String | _Number | _Boolean | _StringList, Field(discriminator="type")]
    include: bool = Field(False, alias="includeForEmbedding")


class Attribute(Struct, frozen=True):
    """`text` is for filters; `embedded`: the attribute is searched together with the text.

    The schema of the knowledge base types it later.

    A text is unchanged. A whole number becomes its digits, also if written 7.0 or 7e0; any other number the fewest
    digits that read back as the same double. Booleans are `true` or `false`. A list's `text` are its texts, in their
    order.
    """

    text: str | tuple[str, ...]
    embedded: bool = False

    @property
    def shown(self) -> str:
        """The value for display."""
        return self.text if isinstance(self.text, str) else ", ".join(self.text)


def _one_line(name: str) -> str:
    if name != plain_line(name):
        raise ValueError("is not in one line")
    return name


# Bedrock's limit: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttribute.html
AttributeName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]


def attribute(name: str, value: object) -> Attribute:
    """The attribute of this name. `DocumentRejectedError` if its value is of neither form."""
    if not isinstance(value, dict):
        return Attribute(_text(name, value))
    try:
        read = _Attribute.model_validate(value)
    except ValidationError as error:
        raise _refused_form(name, error) from None
    return Attribute(_text(name, read.value.content), read.include)


def _refused_form(name: str, error: ValidationError) -> DocumentRejectedError:
    found = error.errors(include_url=False)
    if any(each["loc"][0] != "value" or (len(each["loc"]) == 1 and each["type"] in _NO_VALUE) for each in found):
        return refused(f"has an attribute '{name[:40]}' that is not of the form value, includeForEmbedding")
    return refused(
        f"has an attribute '{name[:40]}' whose value is none of type STRING, NUMBER, BOOLEAN or STRING_LIST with "
        "its stringValue, numberValue, booleanValue or stringListValue"
    )


def _text(name: str, value: object) -> str | tuple[str, ...]:
    if isinstance(value, list) and value and all(isinstance(each, str) and is_whole(each) for each in value):
        return tuple(value)
    if isinstance(value, str) and is_whole(value):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(int(value)) if value == int(value) else repr(value)
    raise refused(
        f"has an attribute '{name[:40]}' that is no text, number, boolean or list of texts; write it as one of these"
    )


def refused(what: str) -> DocumentRejectedError:
    """The error for a document whose sidecar has, is or must be `what`."""
    return DocumentRejectedError(f"The sidecar {what}. {STAYS_OUT}", REJECTED)


Texts: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Values by the names of their fields, as texts."""


class Declared(Struct, frozen=True):
    """What one source says. `place` names it in a report. `optional`: what the schema does not know is left out."""

    place: str
    values: Texts
    optional: bool = False


class _TypedMetadata(Struct):
    """The metadata typed so far, with what the schema does not know or take."""

    schema: Schema
    metadata: dict[str, MetadataValue] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def take(self, name: str, value: str | tuple[str, ...], source: Declared) -> None:
        if name.casefold() in (ROW, TABLE):
            reason = f"The name '{name}' is kept for the rows of tables. The document goes in without it."
            self.problems.append(Problem(source.place, reason, "metadata"))
            return
        known = field_named(self.schema, name)
        if known and known.name == TABLE:
            known = None  # A column “Table” is a field of its own.
        key = known.name if known else name
        if key in self.seen or (known is None and source.optional):
            return
        self.seen.add(key)
        if known is None or known.inferred:
            self.metadata[key] = value
            self.unknown += [name] if known is None else []
            return
        found = typed(known, value)
        if isinstance(found, Unusable):
            reason = f"{found.reason} The document goes in without it."
            self.problems.append(Problem(source.place, reason, "metadata"))
        else:
            self.metadata[key] = found


def described(schema: Schema, sources: Iterable[Declared]) -> tuple[dict[str, MetadataValue], tuple[Problem, ...]]:
    """The metadata, and what is wrong with them. Of a field that several sources have, the first source counts.

    A field that the schema does not have stays as it is, to be typed by the values of the base's documents; that is
    reported if the schema has fields of its own.
    """
    result = _TypedMetadata(schema)
    for source in sources:
        for name, value in source.values.items():
            result.take(name, value, source)
    if result.unknown and not schema.is_inferred:
        result.problems.append(_unknown(result.unknown, schema))
    return result.metadata, tuple(result.problems)


def _unknown(names: list[str], schema: Schema) -> Problem:
    listed = ", ".join(f"'{name[:40]}'" for name in names)[:400]
    reason = f"The schema does not have {listed}; typed by the values. It has {', '.join(schema.fields)}."
    return Problem("", reason[:1000], "unknown_field")
