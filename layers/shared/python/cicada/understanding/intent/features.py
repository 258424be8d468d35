"""The features of a message, as hashes: of its words, characters, concepts, frame, clauses and stems.

The frame is the message with names, numbers and rare words masked, so that "put Vera's limp on her card" and "put
Otto's scar on his card" look alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations, filterfalse, pairwise
from zlib import crc32

from cicada.understanding.intent.clauses import MASK, joined, of_clauses
from cicada.understanding.intent.concepts import Lexicon, Step
from cicada.understanding.intent.reading import Reading, is_ideograph, read

_LONGEST_CHARACTER_GRAM = 4
_LONGEST_FRAME_GRAM = 5
_PAIRED_WORDS = 14
_STEM = 6
_WORD = re.compile(r"\w+")
_LENGTHS = (15, 30, 60, 100, 160)
_NAME, _NUMBER, _IDEOGRAPHS, _RARE = (crc32(name.encode()) for name in ("name", "number", "ideographs", "rare"))
_ENDINGS = tuple((ending, crc32(f"rare-{ending}".encode())) for ending in ("ing", "ed", "ly", "s"))
_START, _END = 1, 2


def features(message: str, lexicon: Lexicon, frequent: frozenset[str]) -> tuple[set[int], ...]:
    """The hashes by group: words, characters, concepts, frame, first and last clause, all clauses, stems."""
    reading = read(message)
    hashes = [crc32(word.lower().encode()) for word in reading.words]
    placed = lexicon.placed(reading.unquoted, reading.is_ideographic)
    ends, clauses = of_clauses(reading.unquoted, placed, frequent)
    return (
        set(_of_words(hashes)),
        set(_of_characters(reading.text)),
        set(_of_concepts([step for _, step in placed], reading)),
        set(_of_frame(_frame(reading.words, hashes, frequent))),
        set(ends),
        set(clauses),
        set(_of_stems(reading.text)),
    )


def _of_words(hashes: Sequence[int]) -> list[int]:
    line = [_START, *hashes, _END]
    pairs = [joined(left, right) for left, right in pairwise(line)]
    around = [joined(left, right + 3) for left, right in zip(line, line[2:], strict=False)]
    triples = [joined(pair, right) for pair, right in zip(pairs, line[2:], strict=False)]
    places = [joined(11, line[1]), joined(12, line[-2]), joined(13, line[min(2, len(line) - 1)]), joined(14, pairs[0])]
    return [*hashes, *pairs, *around, *triples, *places]


def _of_characters(text: str) -> list[int]:
    """All runs of one to four characters; the ends of the text count as characters."""
    line = [_START, *map(ord, text), _END]
    grams = line
    found = [joined(21, one) for one in line]
    for length in range(1, _LONGEST_CHARACTER_GRAM):
        grams = [(gram * 0x01000193 ^ one * 0x9E3779B1) & MASK for gram, one in zip(grams, line[length:], strict=False)]
        found += grams
    return found


def _of_stems(text: str) -> list[int]:
    """Words without accents and endings, single, in pairs and around another; ideographs are no words."""
    plain = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", text)))
    words = [word for word in _WORD.findall(plain) if not is_ideograph(word[0])]
    line = [_START, *(crc32(word[:_STEM].encode()) for word in words), _END]
    pairs = [joined(left, right) for left, right in pairwise(line)]
    return [*line, *pairs, *(joined(left, right + 3) for left, right in zip(line, line[2:], strict=False))]


def _of_concepts(steps: Sequence[Step], reading: Reading) -> list[int]:
    codes = [*_in_order(steps), *_of_presence(steps, reading), *_of_shape(reading)]
    return [code * 0x9E3779B1 & MASK for code in codes]


def _in_order(steps: Sequence[Step]) -> list[int]:
    """Codes of neighbouring concepts, of which comes before which, and of the first and the last."""
    codes = [31 << 24 | a << 8 | b for one, two in pairwise(steps) for a in one for b in two]
    codes += [
        32 << 24 | a << 16 | b << 8 | c
        for one, two, three in zip(steps, steps[1:], steps[2:], strict=False)
        for a in one
        for b in two
        for c in three
    ]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, step in enumerate(steps):
        for concept in step:
            first.setdefault(concept, place)
            last[concept] = place
    codes += [33 << 24 | a << 8 | b for a in first for b in last if a != b and first[a] < last[b]]
    ends = (steps[:1], steps[1:2], steps[-1:])
    return codes + [34 + which << 24 | a for which, end in enumerate(ends) for step in end for a in step]


def _of_presence(steps: Sequence[Step], reading: Reading) -> list[int]:
    """Codes of which concepts there are, in pairs, in a question or none, in a short or a long message."""
    have = sorted({concept for step in steps for concept in step})
    asks = 41 if "?" in reading.text else 42
    length = 43 + min(3, len(reading.text) // 50)
    codes = [40 << 24 | a for a in have] + [asks << 24 | a for a in have] + [length << 24 | a for a in have]
    codes += [47 << 24 | a << 8 | b for a, b in combinations(have, 2)]
    codes += [asks + 7 << 24 | a for step in steps[:1] for a in step]
    return codes or [50 << 24]


def _of_shape(reading: Reading) -> list[int]:
    text = reading.text
    last = text[-1:] if text[-1:] in "?!.:" else ""
    length = sum(len(text) >= bound for bound in _LENGTHS)
    facts = (ord(last) if last else 0, length, '"' in text, ":" in text, "?" in text, text[:1] >= "\u3040")
    return [60 + which << 24 | int(fact) for which, fact in enumerate(facts)]


def _frame(words: Iterable[str], hashes: Iterable[int], frequent: frozenset[str]) -> list[int]:
    """Frequent words and marks as they are; the others by their kind, a run of one kind as one."""
    frame = [_START]
    for word, own in zip(words, hashes, strict=True):
        kind = own if word.lower() in frequent or not word[0].isalnum() else _kind(word)
        if kind == own or kind != frame[-1]:
            frame.append(kind)
    frame.append(_END)
    return frame


def _kind(word: str) -> int:
    if word[0].isdigit():
        return _NUMBER
    if is_ideograph(word[0]):
        return _IDEOGRAPHS
    if word[0].isupper():
        return _NAME
    return next((kind for ending, kind in _ENDINGS if word.endswith(ending)), _RARE)


def _of_frame(frame: Sequence[int]) -> list[int]:
    grams = list(frame)
    found: list[int] = []
    for length in range(1, _LONGEST_FRAME_GRAM):
        grams = [joined(gram, one + 5) for gram, one in zip(grams, frame[length:], strict=False)]
        found += grams
        found += [joined(71, grams[0])] if grams else []
    for gap in (2, 3):
        found += [joined(left, right + 70 + gap) for left, right in zip(frame, frame[gap:], strict=False)]
    known = sorted(set(frame))[:_PAIRED_WORDS]
    return found + [joined(left, right + 79) for left, right in combinations(known, 2)]
