"""What is said of a listing: how many match, what was found, what was asked of the rows, and which columns it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cicada.answering.figures import name_of
from cicada.documents.aggregates import values_of
from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, DocumentRow
from cicada.documents.model import TABLE, Condition
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.knowledge_bases.values import MAX_FIELDS, MAX_NAME, MAX_VALUE, are_years, described, shown_value
from cicada.permissions import Permitted
from cicada.text import one_line
from cicada.understanding.plan import Plan

DOUBT = "I am not sure what you are asking for; this is how I read it."
"""What an answer from fields begins with where the plan is a guess."""
# The first row of an ascending and of a descending order.
_ENDS = {"number": ("Lowest", "Highest"), "date": ("Earliest", "Latest"), "text": ("First", "Last")}
# What `SchemaField.tables` has for documents that are no rows.
_NO_TABLE = ""


def in_words(conditions: Sequence[Condition], schema: Schema) -> str:
    """The conditions; empty if there are none."""
    return "; ".join(described(condition, schema) for condition in conditions)


def matching(total: int, conditions: str, unit: str, unknown: Sequence[str] = ()) -> str:
    """How many there are. `unknown`: the names of what was asked for too and could not be used."""
    number = {0: f"No {unit} matches", 1: f"1 {unit} matches"}.get(total, f"{total:,} {unit}s match")
    said = f"{number} ({conditions})." if conditions else f"{number}."
    return f"{said} {_left_out(unknown)}" if unknown else said


def _left_out(names: Sequence[str]) -> str:
    """Says that the numbers and rows are of more than was asked for."""
    quoted = " and ".join(f"“{one_line(name)[:MAX_VALUE]}”" for name in names)
    return f"I left out {quoted}, which I could not use as a condition."


def found_about(plan: Plan, total: int, rows: int, conditions: str) -> str:
    """What was found about a subject; a number of it is no number of all that there is. `rows`: of tables, if any."""
    subject = f"about “{one_line(plan.search_value)[:MAX_VALUE]}”"
    if rows:
        said = f"{_counted(rows, 'row')} {subject} in {_counted(total, 'table')}"
    else:
        said = f"{_counted(total, 'document')} {subject}"
    order = ", best first" if total > 1 and not plan.sort else ""
    met = f" ({conditions})" if conditions else ""
    counts = DOCUMENTS in plan.aggregates
    return (
        f"I found {said}{met}{order}.{' This counts what the search found, which need not be all.' if counts else ''}"
    )


def _counted(number: int, unit: str) -> str:
    return {0: f"no {unit}", 1: f"1 {unit}"}.get(number, f"{number:,} {unit}s")


def fields_of(
    plan: Plan, conditions: Sequence[Condition], rows: Permitted[DocumentRow], schema: Schema
) -> dict[str, str]:
    """The fields that were asked for, then those of the order and the filters and those that the schema shows.

    All but the fields that were asked for are left out where no document has them. Of rows every column is shown: they
    have no text but these, and their titles say the table. A list has the first `MAX_FIELDS` of them, because a frame
    has no room for a row with all that a base may have.
    """
    are_rows = any(TABLE in row.metadata for row in rows)
    named = [*plan.fields, *([plan.sort.field] if plan.sort else []), *(each.field for each in conditions)]
    shown = [field.name for field in schema.fields.values() if field.shown or are_rows]
    if are_rows:  # The columns of the table come before what the documents of the base have in common.
        shown.sort(key=lambda name: _NO_TABLE in schema.fields[name].tables)
    known = [
        name
        for name in dict.fromkeys([*named, *shown])
        if name not in (TITLE, EVERY, TABLE) and (name in plan.fields or any(name in row.metadata for row in rows))
    ]
    return {name: name_of(name, schema) for name in known}


def not_shown(names: Sequence[str]) -> list[str]:
    """Says which columns the list leaves out; of many the first ones."""
    if not names:
        return []
    said = ", ".join(one_line(name)[:MAX_NAME] for name in names[:MAX_FIELDS])
    others = f" and {len(names) - MAX_FIELDS} others" if len(names) > MAX_FIELDS else ""
    is_one = len(names) == 1
    are = "1 more column is" if is_one else f"{len(names)} more columns are"
    return [f"{are} not shown: {said}{others}; name {'it' if is_one else 'one'} to see it."]


def cannot_choose(plan: Plan, rows: Permitted[DocumentRow]) -> bool:
    """Whether the first documents of an order are asked for, and none has a value to sort by."""
    sort = plan.sort
    return bool(sort and plan.limit and not plan.group and rows and not any(values_of(row, sort.field) for row in rows))


def about_rows(plan: Plan, rows: Permitted[DocumentRow], schema: Schema) -> Iterator[str]:
    """What was asked of documents and can be told of them in a sentence, or why it cannot."""
    if not rows:
        return
    first, sort = rows.items[0], plan.sort if plan.sort and not plan.sort.of else None
    if sort and not plan.offset and not values_of(first, sort.field):
        yield f"None of them has a value of {name_of(sort.field, schema)}, so they cannot be compared by it."
    elif sort and plan.limit == 1 and sort.field != TITLE:
        value = values_of(first, sort.field)[0]
        words = _ENDS["number" if not isinstance(value, str) else "date" if _is_date(sort.field, schema) else "text"]
        years = are_years(sort.field, [row.metadata.get(sort.field) for row in rows])
        said = shown_value(value, sort.field, years)[:MAX_VALUE]
        titles = "; ".join(map(_title, rows.items))
        yield f"{words[sort.descending]} {name_of(sort.field, schema)}: {said} ({titles})."
    if cannot_choose(plan, rows):
        return
    fields = [field for field in plan.fields if field != TITLE and not (sort and sort.field == field)]
    if len(rows) == 1 and fields:
        said = ", ".join(_field(first, field, schema) for field in fields)
        yield f"{_title(first)}: {said}."
        return
    for field in fields:
        if not any(field in row.metadata for row in rows):
            yield f"None of them has a value of {name_of(field, schema)}."


def _field(row: DocumentRow, field: str, schema: Schema) -> str:
    name = name_of(field, schema)
    return f"{name} {shown_value(row.metadata[field], field)[:MAX_VALUE]}" if field in row.metadata else f"no {name}"


def _title(row: DocumentRow) -> str:
    return (row.title or row.document.document_id)[:MAX_VALUE]


def _is_date(field: str, schema: Schema) -> bool:
    return field in schema.fields and schema.fields[field].type is FieldType.DATE
