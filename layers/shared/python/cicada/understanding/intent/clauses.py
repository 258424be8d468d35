"""What the models of intents see of a message's clauses, each by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias
from zlib import crc32

from cicada.understanding.intent.concepts import Placed, Step
from cicada.understanding.intent.reading import words_of

MASK = (1 << 32) - 1
_END_OF_CLAUSE = re.compile(r"(?<=[.!?;:…。！？,，、])\s*|\s[-–—]+\s")
_MOST_COUNTED = 3
_PAIRED_WORDS = 14
_FIRST, _LAST, _NUMBER = (crc32(name.encode()) for name in ("first", "last", "number"))
_RARE = 7

_Hashes: TypeAlias = list[int]


def joined(left: int, right: int) -> int:
    """The hash of two hashes in this order."""
    return (left * 0x9E3779B1 ^ right * 0x85EBCA6B + 0x27D4EB2F) & MASK


def of_clauses(text: str, steps: Sequence[Placed], frequent: frozenset[str]) -> tuple[_Hashes, _Hashes]:
    """The hashes of the first and the last clause, and those of all clauses, wherever they are.

    `steps`: the concepts of the text with their places.
    """
    spans = _spans(text)
    found = [
        _of_clause(text[start:end], [step for place, step in steps if start <= place < end], frequent)
        for start, end in spans
    ]
    first = [joined(_FIRST, one) for one in (*found[0][0], *found[0][1])]
    last = [joined(_LAST, one) for one in (*found[-1][0], *found[-1][1])]
    number = joined(_NUMBER, min(_MOST_COUNTED, len(spans)))
    return [number, *first, *last], [one for shared, _, pairs in found for one in (*shared, *pairs)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the clauses with a letter or a digit are; all of a text that has none."""
    ends = [match.span() for match in _END_OF_CLAUSE.finditer(text)]
    pieces = zip((0, *(end for _, end in ends)), (*(start for start, _ in ends), len(text)), strict=True)
    return [(start, end) for start, end in pieces if any(map(str.isalnum, text[start:end]))] or [(0, len(text))]


def _of_clause(clause: str, steps: Sequence[Step], frequent: frozenset[str]) -> tuple[_Hashes, _Hashes, _Hashes]:
    """The features of its concepts and its beginning, of its frequent words, and of pairs of these."""
    words = words_of(clause)
    hashes = [crc32(word.encode()) for word in words]
    frame = [
        own if word in frequent or not word[0].isalnum() else _RARE for word, own in zip(words, hashes, strict=True)
    ]
    kept = {*frame} - {_RARE}
    shared = [*_of_concepts(steps, int("?" in clause)), *_of_beginning(hashes, frame)]
    pairs = [joined(13, joined(one, two)) for one, two in combinations(sorted(kept)[:_PAIRED_WORDS], 2)]
    return shared, [joined(12, one) for one in kept], pairs


def _of_concepts(steps: Sequence[Step], asks: int) -> _Hashes:
    """Which concepts there are, in a question or none, and in pairs; the first, and the first two."""
    have = sorted({concept for step in steps for concept in step})
    found = [joined(1, asks), *(joined(3 + asks, concept) for concept in have)]
    found += [joined(5, joined(one, two)) for one, two in combinations(have, 2)]
    found += [joined(6, concept) for step in steps[:1] for concept in step]
    return found + [joined(7, joined(a, b)) for second in steps[1:2] for a in steps[0] for b in second]


def _of_beginning(hashes: Sequence[int], frame: Sequence[int]) -> _Hashes:
    """The first words as they are, and with the rare ones masked."""
    found = [joined(8, one) for one in hashes[:1]]
    if len(hashes) > 1:
        found += [joined(9, joined(*hashes[:2])), joined(10, joined(*frame[:2]))]
    return found + ([joined(11, joined(joined(*frame[:2]), frame[2]))] if len(hashes) > 2 else [])
