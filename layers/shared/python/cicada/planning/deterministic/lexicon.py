"""The words of a schema: its values as people write them, and the names of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.deterministic.english import English, english, phrase
from cicada.planning.deterministic.inflection import corrected, plurals
from cicada.planning.tokens import Token

_TYPE_NAMES = frozenset({"type", "kind", "category", "class", "genre"})
_VALUED = frozenset({FieldType.KEYWORD, FieldType.KEYWORDS, FieldType.PERSON})
_TITLES = ("mr", "mrs", "ms", "dr", "prof")
# First names and surnames that are words of English: names only with a capital letter.
_COMMON_WORDS = frozenset(
    [
        "will",
        "mark",
        "may",
        "grace",
        "bill",
        "rose",
        "hope",
        "faith",
        "dean",
        "frank",
        "art",
        "chase",
        "drew",
        "grant",
        "jack",
        "pat",
        "ray",
        "rob",
        "sue",
        "young",
        "long",
        "white",
        "brown",
        "green",
        "black",
        "king",
        "page",
        "price",
        "bush",
        "cook",
        "field",
        "ford",
        "hill",
        "wood",
        "stone",
        "april",
        "june",
        "august",
        "summer",
        "joy",
        "dawn",
        "read",
        "major",
        "gray",
        "grey",
        "sharp",
        "short",
        "small",
        "best",
        "little",
        "day",
        "case",
        "park",
        "lane",
        "lake",
        "rivers",
        "banks",
        "marsh",
        "west",
        "east",
    ]
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that a phrase may mean. `part`: a first name or a surname only."""

    field: str
    value: str
    plural: bool = False
    part: bool = False


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """Tokens from `start` to `end` (not included) that name a value. `corrected`: they were mistyped."""

    start: int
    end: int
    readings: tuple[Reading, ...]
    corrected: bool = False

    def of(self, name: str) -> Reading | None:
        return next((reading for reading in self.readings if reading.field == name), None)

    @property
    def fields(self) -> frozenset[str]:
        return frozenset(reading.field for reading in self.readings)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A schema compiled for look-up. `types`: the field whose values are nouns for documents, or None.

    `field_words`: for a phrase, the fields that it names. `date_cues`: for a phrase such as "took effect", date fields.
    """

    schema: Schema
    values: Mapping[str, tuple[Reading, ...]]
    vocabulary: Mapping[str, tuple[str, ...]]
    field_words: Mapping[tuple[str, ...], frozenset[str]]
    date_cues: Mapping[tuple[str, ...], frozenset[str]]
    types: str | None
    owner: str | None
    longest: int = field(default=1)

    def type_of(self, name: str) -> FieldType:
        return self.schema.fields[name].type

    def named(self, kind: FieldType) -> tuple[str, ...]:
        """The names of the fields of this type."""
        return tuple(name for name, each in self.schema.fields.items() if each.type is kind)

    @property
    def date(self) -> str | None:
        """The date field that a bare period means."""
        if self.schema.date:
            return self.schema.date
        dates = self.named(FieldType.DATE)
        return dates[0] if dates else None

    def spans(self, tokens: Sequence[Token]) -> list[ValueSpan]:
        """The values that the message names, the longest first at each place, in order."""
        words = [self._spelled(token) for token in tokens]
        found: list[ValueSpan] = []
        at = 0
        while at < len(tokens):
            span = self._span(tokens, words, at)
            if span:
                found.append(span)
            at = span.end if span else at + 1
        return found

    def _spelled(self, token: Token) -> str:
        if token.text in self.vocabulary.get(token.text[0], ()) or english().is_known(token.text):
            return token.text
        return corrected(token.text, self.vocabulary.get(token.text[0], ())) or token.text

    def _span(self, tokens: Sequence[Token], words: list[str], at: int) -> ValueSpan | None:
        for end in range(min(len(tokens), at + self.longest), at, -1):
            readings = self.values.get("".join(words[at:end]), ())
            following = tokens[end].text if end < len(tokens) else ""
            kept = tuple(reading for reading in readings if _may_be_meant(reading, tokens[at:end], following))
            if kept:
                return ValueSpan(at, end, kept, any(tokens[i].text != words[i] for i in range(at, end)))
        return None


def compiled(schema: Schema) -> Lexicon:
    """The lexicon of a schema."""
    words = english()
    values: dict[str, list[Reading]] = {}
    vocabulary: dict[str, set[str]] = {}
    longest = 1
    for form, reading in _forms(schema):
        readings = values.setdefault("".join(form), [])
        if all((known.field, known.value) != (reading.field, reading.value) for known in readings):
            readings.append(reading)
        longest = max(longest, 2 * len(form))
        for word in form:
            vocabulary.setdefault(word[0], set()).add(word)
    return Lexicon(
        schema=schema,
        values={key: _unambiguous(readings) for key, readings in values.items() if _unambiguous(readings)},
        vocabulary={letter: tuple(sorted(found)) for letter, found in vocabulary.items()},
        field_words=_field_words(schema, words),
        date_cues=_date_cues(schema, words),
        types=_type_field(schema, words),
        owner=_owner_field(schema),
        longest=min(longest, 12),
    )


def name_parts(name: str) -> tuple[str, ...]:
    """The words of a field's name: `doc_type` and `docType` have two."""
    return tuple(part.lower() for part in re.findall(r"[A-Z]?[^\W_A-Z]+|[A-Z]+", name))


def _may_be_meant(reading: Reading, tokens: Sequence[Token], following: str) -> bool:
    """Whether a name that is also a word is written as a name: Grace, IT."""
    if reading.part and tokens[0].text in _COMMON_WORDS:
        return (tokens[-1].is_capitalised and tokens[0].start > 0) or following in {
            "'s",
            "write",
            "own",
            "sign",
            "draft",
        }
    if len(tokens) == 1 and english().is_function(tokens[0].text):
        return tokens[0].raw.isupper()
    return True


def _unambiguous(readings: list[Reading]) -> tuple[Reading, ...]:
    """A first name or a surname that two persons share means none of them."""
    parts = [reading for reading in readings if reading.part]
    if len({reading.value for reading in parts}) > 1:
        return tuple(reading for reading in readings if not reading.part)
    return tuple(readings)


def _forms(schema: Schema) -> Iterator[tuple[tuple[str, ...], Reading]]:
    for name, each in schema.fields.items():
        if each.type is FieldType.BOOLEAN:
            for form in _own_names(name, each):
                yield form, Reading(name, "true")
        if each.type not in _VALUED:
            continue
        for value in each.values:
            for text in (value, *each.synonyms.get(value, ())):
                yield from _value_forms(name, value, text, is_person=each.type is FieldType.PERSON)
            if each.type is FieldType.PERSON:
                yield from _person_forms(name, value)


def _value_forms(name: str, value: str, text: str, *, is_person: bool) -> Iterator[tuple[tuple[str, ...], Reading]]:
    form = phrase(text)
    if not form:
        return
    for variant in _variants(form):
        yield variant, Reading(name, value)
        if not is_person:
            for plural in plurals(variant[-1]) if len("".join(variant)) > 2 or not text.islower() else ():
                yield (*variant[:-1], plural), Reading(name, value, plural=True)


def _variants(form: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Also without "and" and without punctuation, and with "&" for "and"."""
    variants = {form, tuple(word for word in form if word[0].isalnum())}
    if len(form) > 2:
        variants.add(tuple(word for word in form if word not in {"and", "&"}))
        variants.add(tuple("&" if word == "and" else word for word in form))
        variants.add(tuple("and" if word == "&" else word for word in form))
    return {variant for variant in variants if variant}


def _person_forms(name: str, value: str) -> Iterator[tuple[tuple[str, ...], Reading]]:
    """Surname, first name; M. Lopez; each name alone."""
    words = [form for part in value.split() if (form := phrase(part)) and form[0] not in _TITLES]
    if len(words) < 2:
        return
    first, last = words[0], words[-1]
    full, part = Reading(name, value), Reading(name, value, part=True)
    yield (*last, ",", *first), full
    yield (*first, *last), full
    yield (first[0][0], ".", *last), full
    yield (first[0][0], *last), full
    yield first, part
    yield last, part
    for title in _TITLES:
        yield (title, *last), full
        yield (title, ".", *last), full


def _type_field(schema: Schema, words: English) -> str | None:
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


def _owner_field(schema: Schema) -> str | None:
    """The field that "my" means: the one marked so, or the first person field that is named like an owner."""
    persons = [name for name, each in schema.fields.items() if each.type is FieldType.PERSON]
    marked = [name for name in persons if schema.fields[name].is_owner]
    named = [name for name in persons if not {"owner", "author"}.isdisjoint(name_parts(name))]
    return next(iter(marked or named or persons), None)


def _field_words(schema: Schema, words: English) -> dict[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    owner = _owner_field(schema)
    for name, each in schema.fields.items():
        if each.type is FieldType.BOOLEAN:
            continue
        own = {name_parts(name), *_own_names(name, each)}
        own |= _shared_nouns(each, words)
        aliases = words.grouped["field_aliases"]
        parts = (*name_parts(name), "owner") if name == owner else name_parts(name)
        for part in parts:
            own |= aliases.get(part, frozenset()) | aliases.get(f"{part}s", frozenset())
        for form in own - {()}:
            for variant in (form, *((*form[:-1], plural) for plural in plurals(form[-1]))):
                found.setdefault(variant, set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


def _own_names(name: str, each: SchemaField) -> set[tuple[str, ...]]:
    """The field's name without "is" and "has", its display name, and its words."""
    plain = tuple(part for part in name_parts(name) if part not in {"is", "has"})
    return {plain, phrase(each.display), *(phrase(text) for text in each.words)} - {()}


def _shared_nouns(each: SchemaField, words: English) -> set[tuple[str, ...]]:
    """The general noun that values end with, such as "Fire Department"."""
    nouns = words.words["group_nouns"]
    last = {phrase(value)[-1:] for value in each.values if len(phrase(value)) > 1}
    return {form for form in last if form and form[0] in nouns}


def _date_cues(schema: Schema, words: English) -> dict[tuple[str, ...], frozenset[str]]:
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
