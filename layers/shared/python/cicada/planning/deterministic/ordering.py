"""The order that a message asks of a list: "by value descending", "newest first", "with the highest fee"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from cicada.documents.catalogue import TITLE, Sort
from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.directions import Direction, direction, directions_after, directions_before
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.field_names import name_parts
from cicada.planning.deterministic.sentence import Sentence

_SORTING = word_set("sort sorts sorted sorting order ordered ordering rank ranked ranking arrange arranged arranging")
_COUNTING = word_set(
    "count counts tally breakdown break broken grouped group split distribution distributed statistics"
)
_ALPHABETICAL = word_set("alphabetical alphabetically alphabetic")
_CHRONOLOGICAL = word_set("chronological chronologically")
_ARTICLES = word_set("the its their a")
_BEFORE_SUPERLATIVE = word_set("with have has having is are by whose , :")
_SOONEST = word_set("soonest earliest latest first")
_IN_ORDER = (FieldType.NUMBER, FieldType.DATE)


class Ordering(Struct, frozen=True):
    """`used`: the positions of the words that say it. `superlative`: the first of the order are asked for, not all."""

    sort: Sort | None = None
    used: frozenset[int] = frozenset()
    superlative: bool = False


class _Key(Struct, frozen=True):
    """A name of what is sorted by, from `start` to `end`."""

    field: str
    start: int
    end: int


def ordering(sentence: Sentence, found: Constraints) -> Ordering:
    """The order by a field that is named, else that of the titles or of the base's own date."""
    named = next(_by_field(sentence, found), None) or next(_superlatives(sentence, found), None)
    return named or _unnamed(sentence)


def _by_field(sentence: Sentence, found: Constraints) -> Iterator[Ordering]:
    """By value descending, in order of value, sorted by owner, by date; value descending."""
    for at in range(len(sentence)):
        if sentence.word(at) == "by" or (sentence.word(at - 1), sentence.word(at)) == ("order", "of"):
            yield from _behind(sentence, found, at)
        elif (key := _key(sentence, found, at)) and (key.field == TITLE or _is_ordered(sentence, key.field)):
            after = directions_after(sentence, key.end)
            if after and (after[0].is_of_values or after[0].leads):
                yield _ordering(sentence, key, after, key.start)


def _behind(sentence: Sentence, found: Constraints, at: int) -> Iterator[Ordering]:
    """The order behind "by" or "order of" at this position."""
    start = sentence.skip(at + 1, _ARTICLES)
    ahead = direction(sentence, start)
    first = sentence.skip(ahead.end, _ARTICLES) if ahead else start
    before = directions_before(sentence, at)
    sorting = _sorting(sentence, at)
    asked = sentence.word(at) == "of" or sorting is not None
    key = _key(sentence, found, first, cues=asked or ahead is not None)
    if key is None:
        return
    ways = [*before, *([ahead] if ahead else []), *directions_after(sentence, key.end)]
    if asked or _is_order(sentence, key, ways):
        yield _ordering(sentence, key, ways, at if sorting is None else sorting)


def _is_order(sentence: Sentence, key: _Key, ways: list[Direction]) -> bool:
    """Whether "by" names an order: else it asks for a count, as "contracts by department" does."""
    if _counts([sentence.word(at) for at in range(len(sentence)) if not key.start <= at < key.end]):
        return False
    if any(way.is_of_values for way in ways) or _is_ordered(sentence, key.field):
        return True
    return key.field == TITLE and sentence.ends_clause(key.end)


def _counts(words: list[str]) -> bool:
    pairs = set(pairwise(words))
    return not _COUNTING.isdisjoint(words) or not pairs.isdisjoint({("how", "many"), ("number", "of")})


def _superlatives(sentence: Sentence, found: Constraints) -> Iterator[Ordering]:
    """With the highest fee, whose fee is highest, expiring soonest."""
    for at in range(len(sentence)):
        way = direction(sentence, at)
        if way is not None and (key := _key(sentence, found, way.end, cues=True)) and _is_ordered(sentence, key.field):
            leads = sentence.word(key.end) == "first"
            if leads or _opens(sentence, at):
                yield _ordering(sentence, key, [way], at, superlative=not leads)
        elif (key := _key(sentence, found, at, cues=True)) and _is_ordered(sentence, key.field):
            yield from _predicate(sentence, key)


def _opens(sentence: Sentence, at: int) -> bool:
    while sentence.word(at - 1) in _ARTICLES:
        at -= 1
    return at == 0 or sentence.word(at - 1) in _BEFORE_SUPERLATIVE


def _predicate(sentence: Sentence, key: _Key) -> Iterator[Ordering]:
    behind = sentence.skip(key.end, {"is", "are"})
    way = direction(sentence, sentence.skip(behind, _ARTICLES))
    if behind > key.end and way:
        yield _ordering(sentence, key, [way], key.start, superlative=True)
    elif behind == key.end and sentence.word(behind) in _SOONEST and behind not in sentence.taken:
        last = sentence.word(behind) == "latest"
        leads = sentence.word(behind + 1) == "first"
        used = frozenset(range(key.start, behind + 1 + leads))
        yield Ordering(Sort(key.field, descending=last), used, superlative=not leads)


def _unnamed(sentence: Sentence) -> Ordering:
    """By the titles, or by the base's own date."""
    words = sentence.words()
    ways = [way for at in range(len(sentence)) if (way := direction(sentence, at))]
    down = any(way.descending for way in ways)
    if not _ALPHABETICAL.isdisjoint(words) or any(way.is_of_letters for way in ways):
        return Ordering(Sort(TITLE, descending=down), _used_by(ways))
    date = sentence.lexicon.date
    if date is None:
        return Ordering()
    if not _CHRONOLOGICAL.isdisjoint(words):
        return Ordering(Sort(date, descending=down))
    dated = [way for way in ways if way.is_of_dates]
    return Ordering(Sort(date, descending=dated[0].descending), superlative=True) if dated else Ordering()


def _used_by(ways: list[Direction]) -> frozenset[int]:
    return frozenset(at for way in ways for at in range(way.start, way.end))


def _ordering(
    sentence: Sentence, key: _Key, ways: list[Direction], start: int, *, superlative: bool = False
) -> Ordering:
    fitting = [way for way in ways if not way.is_of_dates or _kind(sentence, key.field) is FieldType.DATE]
    used = frozenset(range(start, key.end)) | _used_by(ways)
    top = "top" in sentence.words() and _kind(sentence, key.field) is FieldType.NUMBER
    return Ordering(Sort(key.field, descending=fitting[0].descending if fitting else top), used, superlative)


def _key(sentence: Sentence, found: Constraints, at: int, *, cues: bool = False) -> _Key | None:
    """The field that is named here. `cues`: words such as "expiry" name their date too."""
    if at >= len(sentence) or at in found.used or at in sentence.taken:
        return None
    end, fields = sentence.field_word(at)
    if end == at and cues:
        end, fields = sentence.date_cue(at)
    if end == at:
        end, fields = at + 1, _by_part(sentence, sentence.word(at))
    if fields:
        return _Key(min(fields, key=lambda name: (not _is_ordered(sentence, name), name)), at, end)
    if sentence.word(at) in {"title", "titles", "name"}:
        return _Key(TITLE, at, at + 1)
    date = sentence.lexicon.date
    return _Key(date, at, at + 1) if date and sentence.word(at) == "date" else None


def _by_part(sentence: Sentence, word: str) -> frozenset[str]:
    """The only number or date with this word in its name: "value" of `value_eur`."""
    ordered = [name for name in sentence.lexicon.schema.fields if _is_ordered(sentence, name)]
    named = [name for name in ordered if word in name_parts(name) and word != "date"]
    return frozenset(named) if len(named) == 1 else frozenset()


def _is_ordered(sentence: Sentence, name: str) -> bool:
    """Whether the field is a number or a date: its values are put in order, and nobody counts documents by them."""
    return _kind(sentence, name) in _IN_ORDER


def _kind(sentence: Sentence, name: str) -> FieldType | None:
    known = sentence.lexicon.schema.fields.get(name)
    return known.type if known else None


def _sorting(sentence: Sentence, by: int) -> int | None:
    """The position of "sort" before this "by", with nothing but documents and grammar between; None without it."""
    at = by - 1
    while at >= 0:
        if sentence.word(at) in _SORTING and at not in sentence.taken:
            return at
        grammar = sentence.is_in(at, "function", "determiners", "document_nouns", "weak_document_nouns", "pronouns")
        if not grammar and at not in sentence.taken and direction(sentence, at) is None:
            return None
        at -= 1
    return None
