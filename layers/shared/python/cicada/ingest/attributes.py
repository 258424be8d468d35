"""The attributes of a sidecar, in Amazon Bedrock's two forms: a plain value, or one that names its type.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttributeValue.html
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from cicada.errors import DocumentRejected
from cicada.ingest.markup import one_line

# The kind of a refusal for the sidecar's sake: what was indexed before may have been meant for others.
REJECTED = "sidecar"

_VALUE_KEYS = {
    "STRING": "stringValue",
    "NUMBER": "numberValue",
    "BOOLEAN": "booleanValue",
    "STRING_LIST": "stringListValue",
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """`text` is what is filtered by, `shown` what is read; `embedded` if it is searched together with the text.

    A text is kept as it is; a whole number becomes its digits, also where it is written 7.0 or 7e0, and any other
    number the fewest digits that read back as the same double; `true` or `false`; of a list `text` is JSON without
    spaces, in the list's order.
    """

    text: str
    shown: str
    embedded: bool = False


def attribute_name(name: str) -> str:
    """The name, if it is one."""
    # Bedrock's limit: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_MetadataAttribute.html
    if not 1 <= len(name) <= 200 or name != one_line(name) or not _is_whole(name):
        raise refused("has an attribute name that is empty, longer than 200 characters or not plain text")
    return name


def attribute(name: str, value: object) -> Attribute:
    """The attribute of this name. `DocumentRejected` if its value is of neither form."""
    if not isinstance(value, dict):
        return Attribute(*_texts(name, value))
    typed = value.get("value")
    include = value.get("includeForEmbedding", False)
    if not isinstance(typed, dict) or not isinstance(include, bool) or value.keys() - {"value", "includeForEmbedding"}:
        raise refused(f"has an attribute '{name[:40]}' that is not of the form value, includeForEmbedding")
    kind = typed.get("type")
    key = _VALUE_KEYS.get(kind, "") if isinstance(kind, str) else ""
    if not key or typed.keys() != {"type", key} or not _is_of(kind, typed[key]):
        raise refused(
            f"has an attribute '{name[:40]}' whose value is none of type STRING, NUMBER, BOOLEAN or STRING_LIST with "
            "its stringValue, numberValue, booleanValue or stringListValue"
        )
    return Attribute(*_texts(name, typed[key]), embedded=include)


def _is_of(kind: object, value: object) -> bool:
    if kind == "NUMBER":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"STRING": str, "BOOLEAN": bool, "STRING_LIST": list}[str(kind)])


def _texts(name: str, value: object) -> tuple[str, str]:
    """The value as it is filtered by, and as it is read."""
    if isinstance(value, list) and value and all(isinstance(each, str) and _is_whole(each) for each in value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")), ", ".join(value)
    if isinstance(value, str) and _is_whole(value):
        return value, value
    if isinstance(value, bool):
        return str(value).lower(), str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        number = str(int(value)) if value == int(value) else repr(value)
        return number, number
    raise refused(
        f"has an attribute '{name[:40]}' that is no text, number, boolean or list of texts; write it as one of these"
    )


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def refused(what: str) -> DocumentRejected:
    """The refusal of a document whose sidecar has, is or must be `what`."""
    return DocumentRejected(f"The sidecar {what}. The document stays out, for who may read it is unknown.", REJECTED)
