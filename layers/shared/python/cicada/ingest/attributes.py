"""The attributes of a sidecar, in Amazon Bedrock's two forms: a plain value, or one that names its type.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttributeValue.html
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cicada.errors import DocumentRejectedError
from cicada.ingest.markup import is_whole, plain_line

# The kind of a rejection because of the sidecar: the indexed version may have been meant for other readers.
REJECTED = "sidecar"

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
    """`text` is for filters, `shown` for display; `embedded`: the attribute is searched together with the text.

    The schema of the knowledge base types it later.

    A text is unchanged. A whole number becomes its digits, also if written 7.0 or 7e0; any other number the fewest
    digits that read back as the same double. Booleans are `true` or `false`. A list's `text` are its texts, in their
    order.
    """

    text: str | tuple[str, ...]
    shown: str
    embedded: bool = False


def _one_line(name: str) -> str:
    if name != plain_line(name):
        raise ValueError("is not in one line")
    return name


# Bedrock's limit: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttribute.html
AttributeName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]


def attribute(name: str, value: object) -> Attribute:
    """The attribute of this name. `DocumentRejectedError` if its value is of neither form."""
    if not isinstance(value, dict):
        return Attribute(*_texts(name, value))
    try:
        read = _Attribute.model_validate(value)
    except ValidationError as error:
        raise _refused_form(name, error) from None
    return Attribute(*_texts(name, read.value.content), embedded=read.include)


def _refused_form(name: str, error: ValidationError) -> DocumentRejectedError:
    found = error.errors(include_url=False)
    if any(each["loc"][0] != "value" or (len(each["loc"]) == 1 and each["type"] in _NO_VALUE) for each in found):
        return refused(f"has an attribute '{name[:40]}' that is not of the form value, includeForEmbedding")
    return refused(
        f"has an attribute '{name[:40]}' whose value is none of type STRING, NUMBER, BOOLEAN or STRING_LIST with "
        "its stringValue, numberValue, booleanValue or stringListValue"
    )


def _texts(name: str, value: object) -> tuple[str | tuple[str, ...], str]:
    """The value for filters and for display."""
    if isinstance(value, list) and value and all(isinstance(each, str) and is_whole(each) for each in value):
        return tuple(value), ", ".join(value)
    if isinstance(value, str) and is_whole(value):
        return value, value
    if isinstance(value, bool):
        return str(value).lower(), str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        number = str(int(value)) if value == int(value) else repr(value)
        return number, number
    raise refused(
        f"has an attribute '{name[:40]}' that is no text, number, boolean or list of texts; write it as one of these"
    )


def refused(what: str) -> DocumentRejectedError:
    """The error for a document whose sidecar has, is or must be `what`."""
    return DocumentRejectedError(
        f"The sidecar {what}. The document stays out, for who may read it is unknown.", REJECTED
    )
