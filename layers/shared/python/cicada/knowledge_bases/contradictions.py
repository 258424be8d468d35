"""Finds what contradicts itself in a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from cicada.documents.catalogue import TITLE
from cicada.knowledge_bases.schema import VALUED, FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.values import folded

_TYPES_OF_STANDING: Mapping[str, tuple[FieldType, ...]] = {
    "field": (),
    "replaces": (FieldType.KEYWORD, FieldType.KEYWORDS),
    "number": (FieldType.KEYWORD, FieldType.NUMBER),
    "version": (FieldType.KEYWORD, FieldType.NUMBER),
    "since": (FieldType.DATE,),
    "until": (FieldType.DATE,),
}
# Names that are no metadata: each document has a title and viewers without them.
_RESERVED = (TITLE, "readers")


class Contradiction(Struct, frozen=True):
    """`path`: the key in the file. `reason`: what is wrong, and what to write."""

    path: tuple[str, ...]
    reason: str


def contradictions(schema: Schema) -> Iterator[Contradiction]:
    """Everything in the schema that cannot be meant, in the file's order."""
    for found in schema.fields.values():
        yield from _of_field(found)
    yield from _names(schema.fields.values())
    yield from _owners(schema)
    yield from _order(schema)
    if schema.in_force:
        yield from _in_force(schema.in_force, schema)


def _of_field(found: SchemaField) -> Iterator[Contradiction]:
    place = ("fields", found.name)
    if found.name in _RESERVED:
        yield Contradiction(place, f"'{found.name}' is no metadata: every document has it; remove the field.")
    if found.type not in VALUED:
        for key in ("values", "synonyms"):
            if getattr(found, key):
                yield Contradiction((*place, key), f"a field of type {found.type} has no {key}; remove them.")
    if found.is_owner and found.type is not FieldType.PERSON:
        yield Contradiction((*place, "is_owner"), f"an owner is a person, and the type is {found.type}; use person.")
    yield from _values(found)


def _values(found: SchemaField) -> Iterator[Contradiction]:
    """Each value and each synonym must mean one value."""
    meaning: dict[str, str] = {}
    for value in found.values:
        if folded(value) in meaning:
            yield Contradiction(("fields", found.name, "values"), f"'{value}' stands there twice; keep one.")
        meaning[folded(value)] = value
    for value, words in found.synonyms.items():
        place = ("fields", found.name, "synonyms", value)
        if value not in found.values and not found.inferred:
            yield Contradiction(place, f"'{value}' has synonyms and is none of the values; add it to them.")
        for word in words:
            other = meaning.setdefault(folded(word), value)
            if other != value:
                yield Contradiction(place, f"the synonym '{word}' means both '{other}' and '{value}'; keep one.")


def _names(fields: Iterable[SchemaField]) -> Iterator[Contradiction]:
    """A name or display name must mean one field."""
    owner: dict[str, str] = {}
    for found in fields:
        for key, name in (("", found.name), ("display", found.display)):
            other = owner.setdefault(folded(name), found.name) if name else found.name
            if other != found.name:
                path = ("fields", found.name, key) if key else ("fields", found.name)
                yield Contradiction(path, f"the name '{name}' means the field '{other}' too; use another.")


def _owners(schema: Schema) -> Iterator[Contradiction]:
    owners = [found.name for found in schema.fields.values() if found.is_owner]
    for name in owners[1:]:
        reason = f"'{owners[0]}' is the owner already, and \"my\" can mean one field only; remove one of the two."
        yield Contradiction(("fields", name, "is_owner"), reason)
    if schema.logins and not owners:
        yield Contradiction(("logins",), "no field has is_owner, so logins mean nothing; mark the owner's field.")


def _order(schema: Schema) -> Iterator[Contradiction]:
    known = ", ".join(schema.fields) or "none"
    if schema.sort and schema.sort.field != TITLE and schema.sort.field not in schema.fields:
        yield Contradiction(("sort",), f"there is no field '{schema.sort.field}'; use {TITLE} or one of {known}.")
    if schema.date is None:
        return
    if schema.date not in schema.fields:
        yield Contradiction(("date",), f"there is no field '{schema.date}'; use one of {known}.")
    elif schema.fields[schema.date].type is not FieldType.DATE:
        yield Contradiction(
            ("date",), f"the field '{schema.date}' is of type {schema.fields[schema.date].type}; use a date."
        )


def _in_force(found: StandingRule, schema: Schema) -> Iterator[Contradiction]:
    yield from _named(found, schema)
    if not (found.field or found.replaces or found.version or found.since or found.until):
        reason = "nothing says what is in force; name a field, replaces, version, since or until."
        yield Contradiction(("in_force",), reason)
    field = schema.fields.get(found.field)
    if field is None:
        return
    if field.type is not FieldType.KEYWORD or not field.shown:
        reason = f"the field '{found.field}' must be a keyword that is shown, so that people see which document holds."
        yield Contradiction(("in_force", "field"), reason)
    if not found.values:
        yield Contradiction(("in_force", "values"), "no value means that a document is in force; name one.")
    meaning: dict[str, str] = {}
    for key in ("values", "not_yet", "no_longer"):
        for value in getattr(found, key):
            if value not in field.values:
                reason = f"'{value}' is none of the values of '{found.field}'; use one of {', '.join(field.values)}."
                yield Contradiction(("in_force", key), reason)
            if value in meaning:
                reason = f"'{value}' stands in {meaning[value]} too; a value says one thing, so keep one."
                yield Contradiction(("in_force", key), reason)
            meaning[value] = key


def _named(found: StandingRule, schema: Schema) -> Iterator[Contradiction]:
    """Fields of the rule that the schema lacks, or that are of a type which cannot say it."""
    for key, types in _TYPES_OF_STANDING.items():
        name = getattr(found, key)
        field = schema.fields.get(name)
        if name and field is None:
            known = ", ".join(schema.fields) or "none"
            yield Contradiction(("in_force", key), f"there is no field '{name}'; use one of {known}.")
        elif field and types and field.type not in types:
            reason = f"the field '{name}' is of type {field.type}; use one of type {' or '.join(types)}."
            yield Contradiction(("in_force", key), reason)
    if found.field == "" and (found.values or found.not_yet or found.no_longer):
        yield Contradiction(("in_force",), "it has values and no field that has them; name the field.")
