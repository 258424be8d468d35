"""How people name the fields of a schema, and which fields have a special part: type, owner, dates."""

from __future__ import annotations

import re

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.deterministic.english import English, phrase
from cicada.planning.deterministic.inflection import plurals

_TYPE_NAMES = frozenset({"type", "kind", "category", "class", "genre"})


def name_parts(name: str) -> tuple[str, ...]:
    """The words of a field's name: `doc_type` and `docType` have two."""
    return tuple(part.lower() for part in re.findall(r"[A-Z]?[^\W_A-Z]+|[A-Z]+", name))


def type_field(schema: Schema, words: English) -> str | None:
    """The keyword field named like a type, or else the one whose values are mostly nouns for documents."""
    keywords = {name: each for name, each in schema.fields.items() if each.type is FieldType.KEYWORD}
    named = [name for name in keywords if not _TYPE_NAMES.isdisjoint(name_parts(name))]
    shares = {name: _share_of_genres(each, words) for name, each in keywords.items()}
    best = max(named or shares, key=lambda name: shares[name], default=None)
    return best if best is not None and (named or shares[best] >= 0.5) else None


def _share_of_genres(each: SchemaField, words: English) -> float:
    genres = words.phrases["genres"]
    hits = sum(any(phrase(value)[-length:] in genres for length in (1, 2)) for value in each.values)
    return hits / len(each.values) if each.values else 0.0


def owner_field(schema: Schema) -> str | None:
    """The field that "my" means: the one marked so, or the first person field that is named like an owner."""
    persons = [name for name, each in schema.fields.items() if each.type is FieldType.PERSON]
    marked = [name for name in persons if schema.fields[name].is_owner]
    named = [name for name in persons if not {"owner", "author"}.isdisjoint(name_parts(name))]
    return next(iter(marked or named or persons), None)


def field_words_of(schema: Schema, words: English) -> dict[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    owner = owner_field(schema)
    for name, each in schema.fields.items():
        if each.type is FieldType.BOOLEAN:
            continue
        own = {name_parts(name), *own_names(name, each)}
        own |= _shared_nouns(each, words)
        aliases = words.grouped["field_aliases"]
        parts = (*name_parts(name), "owner") if name == owner else name_parts(name)
        for part in parts:
            own |= aliases.get(part, frozenset()) | aliases.get(f"{part}s", frozenset())
        for form in own - {()}:
            for variant in (form, *((*form[:-1], plural) for plural in plurals(form[-1]))):
                found.setdefault(variant, set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


def _shared_nouns(each: SchemaField, words: English) -> set[tuple[str, ...]]:
    """The general noun that values end with, such as "Fire Department"."""
    nouns = words.words["group_nouns"]
    last = {phrase(value)[-1:] for value in each.values if len(phrase(value)) > 1}
    return {form for form in last if form and form[0] in nouns}


def date_cues_of(schema: Schema, words: English) -> dict[tuple[str, ...], frozenset[str]]:
    """The verbs and nouns that say which date is meant, from the words of the fields' names."""
    found: dict[tuple[str, ...], set[str]] = {}
    for name, each in schema.fields.items():
        if each.type is not FieldType.DATE:
            continue
        parts = {*name_parts(name), *name_parts(each.display), *(word for text in each.words for word in phrase(text))}
        own = {phrase(text) for text in each.words} | {name_parts(name), phrase(each.display)}
        for stem, cues in words.grouped["date_cues"].items():
            if any(part.startswith(stem) for part in parts):
                own |= cues
        for form in own - {(), ("date",)}:
            found.setdefault(form, set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


def own_names(name: str, each: SchemaField) -> set[tuple[str, ...]]:
    """The field's name without "is" and "has", its display name, and its words."""
    plain = tuple(part for part in name_parts(name) if part not in {"is", "has"})
    return {plain, phrase(each.display), *(phrase(text) for text in each.words)} - {()}
