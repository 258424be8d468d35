"""Metadata as terms of one keyword field, and conditions on them.

An index's mapping is fixed at its creation, so one field holds the values of all metadata fields. A term is the field's
name as JSON, a letter for the kind of value, and the value in a form whose order as text is the value's own order. A
range of values is then a range of terms.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from cicada.documents.filter import AnyOf, Condition, NoneOf, Range, Scalar
from cicada.documents.model import MetadataValue

PASSAGE_FACETS = "facets"
ROW_FACETS = "row_facets"
# Stands among the facets of every document's row. No facet equals it: they begin with a quotation mark.
IS_ROW = "*"
_SIGN = 1 << 63
_ALL = (1 << 64) - 1


def content_term(content_hash: str) -> str:
    """The term of a document's bytes among the facets of its row. No facet equals it."""
    return f"={content_hash}"


def facets(metadata: Mapping[str, MetadataValue]) -> list[str]:
    """One term for each value of each field."""
    return [
        facet(name, value)
        for name, values in metadata.items()
        for value in (values if isinstance(values, tuple) else (values,))
    ]


def facet(name: str, value: Scalar) -> str:
    """The term of a field's value. The name is in quotes, so no other name's terms begin like it."""
    return f"{_name(name)}{_sortable(value)}"


def value_of(facet: str) -> Scalar:
    """The value in a term that `facet` made."""
    _, end = json.JSONDecoder().raw_decode(facet)
    kind, text = facet[end], facet[end + 1 :]
    if kind == "s":
        return text
    if kind == "b":
        return text == "1"
    bits = int(text, 16)
    (number,) = struct.unpack(">d", struct.pack(">Q", bits ^ (_SIGN if bits & _SIGN else _ALL)))
    return float(number)


def condition_body(condition: Condition, facets: str) -> dict[str, Any]:
    """The condition as a query without score on the terms of the field `facets`."""
    if isinstance(condition, AnyOf):
        return _terms(condition, facets)
    if isinstance(condition, NoneOf):
        return {"bool": {"must_not": [_terms(condition, facets)]}}
    if isinstance(condition, Range):
        return {"range": {facets: _bounds(condition)}}
    present = {"prefix": {facets: _name(condition.field)}}
    return present if condition.present else {"bool": {"must_not": [present]}}


def values_body(field: str, most: int) -> dict[str, Any]:
    """An aggregation: the terms of one field of the rows, most frequent first."""
    # Lucene's expressions take every character but letters, digits and spaces literally after a backslash.
    pattern = "".join(each if each.isalnum() or each == " " else f"\\{each}" for each in _name(field))
    return {"terms": {"field": ROW_FACETS, "include": f"{pattern}.*", "size": most}}


def _terms(condition: AnyOf | NoneOf, facets: str) -> dict[str, Any]:
    return {"terms": {facets: sorted(facet(condition.field, value) for value in condition.values)}}


def _bounds(condition: Range) -> dict[str, str]:
    """The terms of the range. Where a bound is missing, the first or last possible term of the other bound's kind."""
    given = {"gte": condition.least, "gt": condition.above, "lte": condition.most, "lt": condition.below}
    bounds = {name: facet(condition.field, value) for name, value in given.items() if value is not None}
    kind = "s" if any(isinstance(value, str) for value in given.values()) else "n"
    if condition.least is None and condition.above is None:
        bounds["gte"] = f"{_name(condition.field)}{kind}"
    if condition.most is None and condition.below is None:
        bounds["lt"] = f"{_name(condition.field)}{chr(ord(kind) + 1)}"
    return bounds


def _name(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _sortable(value: Scalar) -> str:
    if isinstance(value, bool):
        return f"b{value:d}"
    if isinstance(value, str):
        return f"s{value}"
    # The bits of a double sort as its value does once the sign bit is flipped, or for a negative one all bits.
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))
    return f"n{bits ^ (_ALL if bits & _SIGN else _SIGN):016x}"
