"""A schema as people speak of it: its values, the names of its fields, and what its records are called."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from enum import IntEnum, StrEnum
from itertools import chain

from msgspec import Struct

from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.words import Implied, base_form, lexicon, split_words, word_set

VALUED = frozenset({FieldType.KEYWORD, FieldType.KEYWORDS, FieldType.PERSON})
_ORDERED = (FieldType.NUMBER, FieldType.DATE)
_TITLES = ("mr", "mrs", "ms", "dr", "prof", "herr", "frau")
_UNIT = re.compile(r"\((\w+)[^)]*\)")
# Words of field names that say little of the field: they name it only together with others, or where nothing else does.
_WEAK = word_set("a an has was id name date number code type value")
_GENERIC = word_set("id name date number code no nr amount value type status year time count total flag")
_CUES_OF_FIELDS = word_set("number total count average highest lowest maximum minimum max min most least more best")
_ENDS = word_set("date name code number no nr year type yes")
_FILLERS = word_set("of the a an for de des der du")
_KEPT_ALONE = word_set("id name date number code type value")
_BOOLEAN_WORDS = word_set("is has was yes no or")
_TYPE_FIELD = re.compile(r"(^|_)(type|kind|category|class|art)($|_)")
# Names of times that are early where a thing is old.
EARLY = word_set("birth dob born birthday geboren geburtsdatum year built founded established constructed opened")
_OF_SENTENCES = word_set("what who whom how when where which why no not it is to from at on in of for")
_STEM, _LONG_STEM = 5, 6
SHORTEST_STEM = 4
_SHORTEST_NAME = 3
_LONGEST_NAME = 6
_MOST_CALLED_SO = 2


class Kind(StrEnum):
    VALUE = "value"
    FIELD = "field"
    RECORD = "record"


class Level(IntEnum):
    """How surely a phrase names what it means: by implication, by a word of the same stem, by a part, or as a whole."""

    IMPLIED = 0
    STEM = 1
    PART = 2
    WHOLE = 3


class Meaning(Struct, frozen=True):
    """What a phrase may mean: a value of a field, a field, or a record.

    `polarity`: of a word that implies a field, 1 if its positive form asks for high values and -1 for low ones.
    """

    kind: Kind
    field: str = ""
    value: str = ""
    level: Level = Level.WHOLE
    polarity: int = 0

    def is_opposed(self, other: Meaning) -> bool:
        """Whether one asks for high values where the other asks for low ones, as an age and a year of birth."""
        return self.polarity * other.polarity < 0


Phrase = tuple[str, ...]


class Vocabulary(Struct, frozen=True):
    """A schema compiled for look-up.

    `types`: of the fields. `phrases`: what the base forms of words, joined, may mean. `stems`: fields by the beginning
    of a word of their names; `value_stems`: values of one word so. `letters`: the words of all phrases by their first
    letter, to correct typing errors. `longest`: words of the longest phrase. `date`: the field that a bare period
    means; `number`: that "how much?" means. `open`: fields that take any value. `kind_fields`: those whose values are
    kinds of records: a type, and the table that a row is in. `kinds`: what each field's values are; `words`: the first
    and the last of its name. `months`: those that have days of a field, as `2026-12`, where they are known.
    """

    types: Mapping[str, FieldType]
    phrases: Mapping[str, tuple[Meaning, ...]]
    stems: Mapping[str, tuple[Meaning, ...]]
    value_stems: Mapping[str, tuple[Meaning, ...]]
    letters: Mapping[str, frozenset[str]]
    longest: int
    date: str | None
    open: frozenset[str]
    kind_fields: frozenset[str]
    kinds: Mapping[str, str]
    months: Mapping[str, frozenset[str]]
    words: Mapping[str, tuple[str, ...]]
    number: str | None


def compiled(schema: Schema) -> Vocabulary:
    """The vocabulary of a schema; make it once for each base."""
    phrases: defaultdict[str, dict[tuple[str, str, str], Meaning]] = defaultdict(dict)
    letters: defaultdict[str, set[str]] = defaultdict(set)
    longest = 1
    for words, meaning in _meanings(schema):
        known = phrases["".join(words)]
        key = (meaning.kind, meaning.field, meaning.value)
        if key not in known or known[key].level < meaning.level:
            known[key] = meaning
        longest = max(longest, len(words))
        for word in words:
            letters[word[0]].update([word] if len(word) > 3 else [])
    for word, meaning in (*_implied(schema), *_asked_by_pronouns(schema)):
        phrases[word].setdefault((Kind.FIELD, meaning.field, ""), meaning)
    of_type = next((name for name, each in schema.fields.items() if _names_kinds(name, each)), TABLE)
    return Vocabulary(
        types={name: each.type for name, each in schema.fields.items()},
        phrases={key: tuple(known.values()) for key, known in phrases.items()},
        stems=_stems(schema),
        value_stems=_value_stems(schema),
        letters={letter: frozenset(words) for letter, words in letters.items()},
        longest=longest,
        date=_date(schema),
        open=frozenset(
            name
            for name, each in schema.fields.items()
            if each.type in VALUED and (each.inferred or not each.values) and name != TABLE
        ),
        kind_fields=frozenset({of_type, TABLE} & schema.fields.keys()),
        kinds={name: field_kind(name, each.type) for name, each in schema.fields.items()},
        months={name: each.months for name, each in schema.fields.items() if each.months},
        words={name: _ends_of(name) for name in schema.fields},
        number=_number(schema),
    )


def _ends_of(name: str) -> tuple[str, ...]:
    words = [word for word in split_words(name) if word not in _FILLERS] or [name]
    return tuple(dict.fromkeys((words[0], words[-1])))


def _number(schema: Schema) -> str | None:
    """The first number of money, or else the first that is no year."""
    numbers = [name for name, each in schema.fields.items() if each.type is FieldType.NUMBER]
    of_no_year = [name for name in numbers if "year" not in split_words(name)]
    return next(chain(filter(is_of_money, numbers), of_no_year), None)


def is_of_money(name: str) -> bool:
    """Whether a field is called so that its numbers are sums of money."""
    return not lexicon().money.isdisjoint(split_words(name))


def _asked_by_pronouns(schema: Schema) -> Iterator[tuple[str, Meaning]]:
    """The fields that "who" and "where" ask for: those called so, else persons or names, and places."""
    kinds = {name: field_kind(name, each.type) for name, each in schema.fields.items()}
    persons = [name for name, kind in kinds.items() if kind == "person"]
    typed = [name for name in persons if schema.fields[name].type is FieldType.PERSON]
    names = [name for name, kind in kinds.items() if kind == "name"]
    asked = {
        "who": list(dict.fromkeys((*typed, *persons, *names))),
        "where": [n for n, k in kinds.items() if k == "place"],
    }
    for pronoun, fields in asked.items():
        called = [name for name in schema.fields if split_words(name) == [pronoun]]
        fields = called or fields
        for word in lexicon().pronouns[pronoun]:
            yield from ((word, Meaning(Kind.FIELD, name, level=Level.IMPLIED)) for name in fields)


def field_kind(name: str, type: FieldType) -> str:
    """What the field's values are: a number, date or boolean, a person, code, name, place or language, or other."""
    if type in (FieldType.NUMBER, FieldType.DATE, FieldType.BOOLEAN):
        return type.value
    words, kinds = set(name.lower().replace("_", " ").split()), lexicon().kinds
    is_code = bool(words & kinds["code"])
    if not is_code and (type is FieldType.PERSON or words & kinds["person"] or name.endswith("_by")):
        return "person"
    if is_code or name.endswith("code"):
        return "code"
    return next((kind for kind in ("name", "place", "language") if words & kinds[kind]), "other")


def _date(schema: Schema) -> str | None:
    dates = (name for name, each in schema.fields.items() if each.type is FieldType.DATE)
    return schema.date or next(dates, None)


def _names_kinds(name: str, field: SchemaField) -> bool:
    return field.type is FieldType.KEYWORD and _TYPE_FIELD.search(name) is not None


def _meanings(schema: Schema) -> Iterator[tuple[Phrase, Meaning]]:
    """All phrases with their meanings; none of them is empty."""
    for name in (*schema.items, *lexicon().records):
        words = tuple(split_words(name))
        if words:
            yield words, Meaning(Kind.RECORD)
        if len(words) > 1:
            yield words[-1:], Meaning(Kind.RECORD, level=Level.PART)
    tables = schema.fields[TABLE].values if TABLE in schema.fields else ()
    own = {word for name in (*schema.fields, *tables) for word in split_words(name)}
    for name, field in schema.fields.items():
        # Of "Value (EUR a year)" the unit is "EUR": "how often a year?" does not ask for it.
        others = (*field.words, *([_UNIT.sub(r"\1", field.display)] if field.display else ()))
        for words, level in _field_names(name, others):
            # A column called "what" or "no" is not asked for by this word in a sentence.
            if words and not _OF_SENTENCES.issuperset(words):
                yield words, Meaning(Kind.FIELD, name, level=level)
        for words, value, level in _values(name, field):
            # The "Vet" of "Vet Clinic" in a table of vet visits names no clinic.
            is_sure = level is Level.WHOLE or field.type is FieldType.BOOLEAN
            if words and (is_sure or not own.issuperset(words)):
                yield words, Meaning(Kind.VALUE, name, value, level)


def _field_names(name: str, others: tuple[str, ...]) -> Iterator[tuple[Phrase, Level]]:
    for text in (name, *others):
        words = tuple(split_words(text))
        yield words, Level.WHOLE
        if len(words) > 1:
            yield from _parts(words)


def _parts(words: Phrase) -> Iterator[tuple[Phrase, Level]]:
    """What is said for a name of several words: "filed" for "filed_on", "release year" for "song_release_year"."""
    yield tuple(word for word in words if word not in _FILLERS), Level.WHOLE
    if words[-1] == "id":
        yield ("id",), Level.PART
        yield words[:-1], Level.IMPLIED
        return
    if words[-1] in {"on", "at", "by", "in", "to"}:
        yield words[:-1], Level.PART if words[-1] == "by" else Level.WHOLE
    if words[0] in {"is", "has", "was"}:
        yield words[1:], Level.WHOLE
    if words[-1] in _ENDS:
        yield words[:-1], Level.PART
    weak = lexicon().function | _WEAK
    for size in range(len(words) - 1, 0, -1):
        for at in range(len(words) - size + 1):
            part = words[at : at + size]
            is_weak = all(word in weak for word in part) and not (size == 1 and part[0] in _KEPT_ALONE)
            if not is_weak and not (size == 1 and part[0] in _CUES_OF_FIELDS):
                yield part, Level.PART


def _values(name: str, field: SchemaField) -> Iterator[tuple[Phrase, str, Level]]:
    if field.type is FieldType.BOOLEAN:
        yield from _boolean(name, field)
    if field.type not in VALUED:
        return
    # More than two are rather what the values have in common.
    begun = Counter(each for value in field.values for each in _short_names(value))
    for value in field.values:
        yield from ((each, value, Level.PART) for each in _short_names(value) if begun[each] <= _MOST_CALLED_SO)
        for text in lexicon().also_called.get(value.casefold(), ()):
            yield tuple(split_words(text)), value, Level.PART
        for text in (value, *field.synonyms.get(value, ())):
            words = tuple(split_words(text))
            yield words, value, Level.WHOLE
            if field.type is not FieldType.PERSON and len(words) > 1:
                yield tuple(word for word in words if word not in {"and", "und", "et", "y"}), value, Level.WHOLE
        title = "".join(value.split()[:1]).lower().rstrip(".")
        if field.type is FieldType.PERSON or title in _TITLES:
            yield from ((words, value, level) for words, level in _person(value))


def _short_names(value: str) -> Iterator[Phrase]:
    """What a name of several words is called for short: "Harbour" for "Harbour Books Ltd", "Penhale" for "Col Penhale".

    These are its first word, its first two, and of two the last; of three the last two: "room A" of "Cat room A".
    """
    words = value.replace(",", " ").split()
    if len(words) == 3 and len(words[1]) >= SHORTEST_STEM:
        yield tuple(split_words(" ".join(words[1:])))
    if not 2 <= len(words) <= _LONGEST_NAME or not all(each[:1].isupper() for each in words[:2]):
        return
    short = [words[:1], *([words[1:]] if len(words) == 2 else [words[:2]])]
    least = _SHORTEST_NAME if len(words) == 2 and "".join(words).isalpha() else _STEM
    telling = (each for each in short if len(each[0]) >= least and not _is_plain(each[0].lower()))
    yield from (tuple(split_words(" ".join(each))) for each in telling)


def _is_plain(word: str) -> bool:
    """Whether a word says something else than a name: "old batches" are not those of Old Raven."""
    return word in lexicon().cues or word in lexicon().implied


def _boolean(name: str, field: SchemaField) -> Iterator[tuple[Phrase, str, Level]]:
    """A boolean is spoken of by its name: "paid", "unpaid", "not on display"."""
    for text in (name, *field.words):
        words = tuple(word for word in split_words(text) if word not in _BOOLEAN_WORDS)
        yield words, "true", Level.WHOLE
        for word in words:
            if len(word) > 3 and word not in lexicon().function and word not in _GENERIC:
                yield (word,), "true", Level.PART
                yield (f"un{word}",), "false", Level.PART
    for value, synonyms in field.synonyms.items():
        yield from ((tuple(split_words(text)), value.lower(), Level.WHOLE) for text in synonyms)


def _person(name: str) -> Iterator[tuple[Phrase, Level]]:
    """Surname and first name, an initial or a title before the surname, each name alone."""
    words = [word for word in split_words(name) if word not in _TITLES]
    if len(words) < 2:
        return
    first, last = words[0], words[-1]
    yield (last, first), Level.WHOLE
    yield (first[0], last), Level.WHOLE
    yield from (((title, last), Level.WHOLE) for title in _TITLES)
    yield (first,), Level.PART
    yield (last,), Level.PART


def _implied(schema: Schema) -> Iterator[tuple[str, Meaning]]:
    """The fields that each word of the lexicon implies, those first that are likelier to be meant."""
    for word, implied in lexicon().implied.items():
        yield from ((word, each) for each in _fields_of(implied, schema))


def _fields_of(implied: Implied, schema: Schema) -> Iterator[Meaning]:
    """The fields of a word; of a word for ages, early days are high."""
    early = -implied.polarity if "age" in implied.fields else implied.polarity
    fields = sorted(schema.fields.items(), key=lambda each: each[0] != schema.date)
    for noun in implied.fields:
        for name, field in fields:
            if noun == "@date":
                if field.type is FieldType.DATE:
                    yield Meaning(Kind.FIELD, name, level=Level.IMPLIED, polarity=early)
            elif base_form(noun) in _all_words(name, field) and (not implied.polarity or _is_ordered(noun, field)):
                polarity = early if noun in EARLY else implied.polarity
                level = Level.IMPLIED if polarity else Level.PART
                yield Meaning(Kind.FIELD, name, level=level, polarity=polarity)


def _is_ordered(noun: str, field: SchemaField) -> bool:
    """Whether the values have an order; ages and years have one though they may be texts."""
    return field.type in _ORDERED or (field.type is FieldType.KEYWORD and noun in ("age", "year"))


def _all_words(name: str, field: SchemaField) -> list[str]:
    return [word for text in (name, *field.words) for word in split_words(text)]


def _stems(schema: Schema) -> dict[str, tuple[Meaning, ...]]:
    """Fields by the first letters of the telling words of their names: "expir" for "expires_on"."""
    found: defaultdict[str, list[Meaning]] = defaultdict(list)
    for name, field in schema.fields.items():
        for word in dict.fromkeys(_all_words(name, field)):
            if len(word) >= _STEM and word not in _GENERIC and word not in lexicon().function:
                lengths = (_STEM,) if len(word) <= _LONG_STEM else (_LONG_STEM, _STEM)
                for length in lengths:
                    found[word[:length]].append(Meaning(Kind.FIELD, name, level=Level.STEM))
    return {stem: tuple(meanings) for stem, meanings in found.items()}


def _value_stems(schema: Schema) -> dict[str, tuple[Meaning, ...]]:
    """Values of one word by their first letters: "plumb" for "plumbing", "elec" for "electrical"."""
    found: defaultdict[str, list[Meaning]] = defaultdict(list)
    for name, field in schema.fields.items():
        for value in field.values if field.type in (FieldType.KEYWORD, FieldType.KEYWORDS) else ():
            words = split_words(value)
            if len(words) == 1 and len(words[0]) >= SHORTEST_STEM and words[0].isalpha():
                found[words[0][:SHORTEST_STEM]].append(Meaning(Kind.VALUE, name, value, Level.STEM))
    return {stem: tuple(meanings) for stem, meanings in found.items()}
