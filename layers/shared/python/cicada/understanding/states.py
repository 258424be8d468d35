"""Words for the state of rows where a table has others for it: "not finished" where rows are *done* or *waiting*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cicada.knowledge_bases.schema import Schema
from cicada.understanding.debts import SURE_OF_ROWS
from cicada.understanding.facts import Mention, MentionKind
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.understood import Understood
from cicada.understanding.words import split_words

_OVER = frozenset(split_words("done finished completed complete closed resolved concluded settled fixed repaired"))
_GIVEN_UP = frozenset(split_words("cancelled canceled withdrawn rejected abandoned"))
_OPEN = frozenset(split_words("open pending unresolved outstanding unfinished incomplete underway ongoing"))
_FREE = frozenset(split_words("free vacant available empty unoccupied unlet"))
_TAKEN = frozenset(split_words("taken occupied rented assigned"))
_STATES = _OVER | _OPEN | _FREE | _TAKEN
_OCCUPANT = frozenset(split_words("holder tenant occupant occupier lessee renter resident keeper"))
_IDLE = frozenset(split_words("yet still already now currently moment present"))
_DENIED = re.compile(r"(?:\b(?:not|never)|n['’]?t)\W+(?:\w+\W+)?$", re.IGNORECASE)


def with_states(found: Understood, mentions: Sequence[Mention], schema: Schema) -> Understood:
    """What was understood, with conditions for words that are no values of the table, but say what its values do."""
    meaning = found.meaning
    for each in mentions:
        words = {*split_words(each.text)} if each.kind in (MentionKind.WORD, MentionKind.NAME) else set[str]()
        if not words or not words <= _STATES:
            continue
        stated = _stated(words, _is_denied(each.text, found.message), meaning, schema)
        if stated is not None:
            left = [phrase for phrase in meaning.unknown if not (words | _IDLE).issuperset(split_words(phrase))]
            meaning = replace(stated, unknown=tuple(left))
    if meaning is found.meaning:
        return found
    return replace(found, meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))


def _is_denied(text: str, message: str) -> bool:
    return _DENIED.search(message[: message.lower().find(text.lower())]) is not None


def _stated(words: set[str], is_denied: bool, meaning: Meaning, schema: Schema) -> Meaning | None:
    """The meaning with the state that the words tell; None if they tell none, or the table has none like it."""
    if words <= _FREE or words <= _TAKEN:
        column = _only(name for name in schema.fields if not _OCCUPANT.isdisjoint(split_words(name)))
        return meaning.bounding(column, Bounds(present=(words <= _TAKEN) != is_denied)) if column else None
    if not (words <= _OVER or words <= _OPEN):
        return None
    column = _only(name for name in schema.fields if _values(name, _OVER, schema))
    if not column or column in meaning.restricted:
        return None
    is_over = (words <= _OVER) != is_denied
    for value in _values(column, _OVER if is_over else _OVER | _GIVEN_UP, schema):
        meaning = meaning.adding(column, value, negated=not is_over)
    return meaning


def _values(name: str, words: frozenset[str], schema: Schema) -> list[str]:
    """The values of the field that are such words."""
    return [each for each in schema.fields[name].values if each and words.issuperset(split_words(each))]


def _only(names: Iterable[str]) -> str:
    """The name, if there is one alone."""
    found = list(names)
    return found[0] if len(found) == 1 else ""
