"""The features of a message, as hashes: of its words, characters, concepts, frame, clauses and stems.

The frame is the message with names, numbers and rare words masked, so that "put Vera's limp on her card" and "put
Otto's scar on his card" look alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, filterfalse, pairwise
from typing import TypeAlias
from zlib import crc32

from msgspec import Struct

from cicada.understanding.intent.reading import Reading, is_ideograph, read, words_of

MASK = (1 << 32) - 1
_END_OF_CLAUSE = re.compile(r"(?<=[.!?;:…。！？,，、])\s*|\s[-–—]+\s")
_MOST_COUNTED = 3
_FIRST, _LAST, _CLAUSES = (crc32(name.encode()) for name in ("first", "last", "number"))
_RARE_WORD = 7

_Hashes: TypeAlias = list[int]


_WHOLE_WORD = re.compile(r"[^\W_]+")
# Most words begin like none of the lexicon, which these many characters show.
_HEAD = 3

Step: TypeAlias = tuple[int, ...]
Placed: TypeAlias = tuple[int, Step]
_Entries: TypeAlias = Mapping[str, tuple[int, ...]]


class Lexicon(Struct, frozen=True):
    """Concepts: words of nine languages for the same thing, so that what is learnt in one serves in the others.

    A concept decides nothing: the examples give it its weight. Here are the numbers of the concepts of whole words and
    phrases, of the beginnings of words, and of character strings.

    The last serve languages that do not separate words. `heads`: the first characters of the words and beginnings.
    """

    whole: _Entries
    beginnings: _Entries
    strings: _Entries
    heads: frozenset[str]
    longest_word: int
    longest_string: int

    def steps(self, text: str, is_ideographic: bool) -> list[Step]:
        """The concepts in the order of the text; several that begin at one place are one step."""
        return [step for _, step in self.placed(text, is_ideographic)]

    def placed(self, text: str, is_ideographic: bool) -> list[Placed]:
        """The steps, each with the place in the text where it begins."""
        found = [*self._in_words(text)]
        if is_ideographic:
            found += self._in_strings(text)
            found.sort()
        return found

    def _in_words(self, text: str) -> Iterator[Placed]:
        spans = [match.span() for match in _WHOLE_WORD.finditer(text) if not is_ideograph(match.group()[0])]
        ends = {end for _, end in spans}
        for start, _ in spans:
            concepts = self._at_word(text, start, ends)
            if concepts:
                yield start, tuple(sorted(concepts))

    def _at_word(self, text: str, start: int, ends: set[int]) -> set[int]:
        found: set[int] = set()
        longest = self.longest_word if text[start : start + _HEAD] in self.heads else _HEAD - 1
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            piece = text[start:end]
            if piece in self.beginnings:
                found.update(self.beginnings[piece])
            if piece in self.whole and (end in ends or not piece[-1].isalnum()):
                found.update(self.whole[piece])
        return found

    def _in_strings(self, text: str) -> Iterator[Placed]:
        strings, longest = self.strings, self.longest_string
        for start in range(len(text)):
            found: set[int] = set()
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                piece = text[start:end]
                if piece in strings:
                    found.update(strings[piece])
            if found:
                yield start, tuple(sorted(found))


def lexicon(concepts: Iterable[Mapping[str, Iterable[str]]]) -> Lexicon:
    """`concepts`: for each, its words by language. A word that ends with `*` stands for all that begin like it."""
    whole: dict[str, tuple[int, ...]] = {}
    beginnings: dict[str, tuple[int, ...]] = {}
    strings: dict[str, tuple[int, ...]] = {}
    for number, by_language in enumerate(concepts, start=1):
        for words in by_language.values():
            for word in words:
                entries = strings if is_ideograph(word[0]) else beginnings if word.endswith("*") else whole
                key = word.rstrip("*")
                entries[key] = tuple(sorted({*entries.get(key, ()), number}))
    heads = frozenset(word[:_HEAD] for word in (*whole, *beginnings))
    return Lexicon(whole, beginnings, strings, heads, _longest(whole, beginnings), _longest(strings))


def _longest(*entries: _Entries) -> int:
    return max((len(word) for each in entries for word in each), default=0)


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
    number = joined(_CLAUSES, min(_MOST_COUNTED, len(spans)))
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
        own if word in frequent or not word[0].isalnum() else _RARE_WORD
        for word, own in zip(words, hashes, strict=True)
    ]
    kept = {*frame} - {_RARE_WORD}
    shared = [*_of_clause_concepts(steps, int("?" in clause)), *_of_beginning(hashes, frame)]
    pairs = [joined(13, joined(one, two)) for one, two in combinations(sorted(kept)[:_PAIRED_WORDS], 2)]
    return shared, [joined(12, one) for one in kept], pairs


def _of_clause_concepts(steps: Sequence[Step], asks: int) -> _Hashes:
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
