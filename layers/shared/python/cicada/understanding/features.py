"""A message with its facts masked by their types, and what the heads see of it: hashed features."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import combinations, pairwise
from zlib import crc32

from msgspec import Struct

from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.facts import Facts, Mention, MentionKind
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import base_form, lexicon

MASK32 = 0xFFFFFFFF
_codes: dict[str, int] = {}
_IZE = re.compile(r"iz(e[sd]?|ing|ations?)$")
_RARE_ENDINGS = ("s", "ing", "ed")
_MOST_RARE = 5
_PADDING = 4
_SYMBOLS = {
    MentionKind.RECORD: "Item",
    MentionKind.NUMBER: "Num",
    MentionKind.NAME: "Name",
    MentionKind.ASKER: "Me",
    MentionKind.DOCUMENT: "Doc",
}


def code(word: str) -> int:
    """A number for a word or symbol, the same in every process."""
    found = _codes.get(word)
    if found is None:
        found = crc32(word.encode("utf-8", "surrogatepass"))
        if len(_codes) < 20_000:
            _codes[word] = found
    return found


START, END, NONE = code("^"), code("$"), code("-")


class Line(Struct, frozen=True):
    """A masked message. `symbols`: a word of its own for each word that many know, and masks for all others.

    `places`: where each mention stands among the symbols. `codes`: of the symbols, with four beyond either end.
    `cues`: the code of each symbol's cue, or 0. `masks`: which symbols are masks. `rare`, `asks`: codes of how many
    words are unknown, and of whether it ends with a question mark.
    """

    symbols: tuple[str, ...]
    places: tuple[int, ...]
    codes: tuple[int, ...]
    cues: tuple[int, ...]
    masks: tuple[bool, ...]
    rare: int
    asks: int

    def __len__(self) -> int:
        return len(self.symbols)

    def code(self, at: int) -> int:
        """The code of the symbol at this place, which may lie up to four places outside."""
        return self.codes[at + _PADDING]

    @property
    def rare_words(self) -> int:
        return sum(symbol[0] == "~" for symbol in self.symbols)


def masked(facts: Facts, vocabulary: Vocabulary, known: Collection[str]) -> Line:
    """The line of a message. `known`: words that the heads have learnt from several bases."""
    symbols: list[str] = []
    cues: list[int] = []
    places: list[int] = []
    at = 0
    for mention in (*facts.mentions, None):
        start = mention.start if mention else len(facts.tokens)
        for token in facts.tokens[at:start]:
            symbols.append(token.text)
            cues.append(_cue(token.text))
        if mention is None:
            break
        places.append(len(symbols))
        text = facts.tokens[mention.start].text
        symbol = _word(text, known) if mention.kind is MentionKind.WORD else _symbol(mention, vocabulary)
        symbols.append(symbol)
        is_cue = mention.kind is MentionKind.WORD or symbol.startswith("Adj") or symbol == mention.text.lower()
        cues.append(_cue(text) if is_cue else 0)
        at = mention.end
    return line_of(tuple(symbols), tuple(places), tuple(cues))


def line_of(symbols: tuple[str, ...], places: tuple[int, ...], cues: tuple[int, ...]) -> Line:
    """The line of these symbols. `places`: of the mentions among them; `cues`: the code of each symbol's cue, or 0."""
    rare = sum(symbol[0] == "~" for symbol in symbols)
    return Line(
        symbols=symbols,
        places=places,
        codes=(*[START] * _PADDING, *map(code, symbols), *[END] * _PADDING),
        cues=cues,
        masks=tuple(symbol[0].isupper() for symbol in symbols),
        rare=code(f"n{min(rare, _MOST_RARE)}"),
        asks=code(str(symbols[-1] == "?")) if symbols else 0,
    )


def _cue(word: str) -> int:
    found = lexicon().cues.get(word)
    return code(found) if found else 0


def _word(word: str, known: Collection[str]) -> str:
    """The word if it is known as written or in its British spelling, else a mask of its ending."""
    for spelt in (word, _IZE.sub(r"is\1", word)):
        if spelt in known:
            return spelt
    if word[0].isdigit():
        return "#"
    return "~" + next((ending for ending in _RARE_ENDINGS if word.endswith(ending)), "")


def _symbol(mention: Mention, vocabulary: Vocabulary) -> str:
    if mention.kind is MentionKind.VALUE:
        return _value_symbol(mention, vocabulary)
    if mention.kind is MentionKind.FIELD:
        meaning = mention.meanings[0]
        type_ = FieldType.NUMBER if meaning.field in lexicon().ordered else vocabulary.types[meaning.field]
        if meaning.level is Level.IMPLIED:
            return mention.text.lower() if base_form(mention.text) in _pronouns() else f"Adj{type_.value}"
        return ("F" if meaning.level >= Level.PART else "S") + type_.value
    if mention.kind is MentionKind.DATE:
        return "Dated" if mention.days and mention.days.duration else "Date"
    return _SYMBOLS[mention.kind]


@cache
def _pronouns() -> frozenset[str]:
    return frozenset(word for words in lexicon().pronouns.values() for word in words)


def _value_symbol(mention: Mention, vocabulary: Vocabulary) -> str:
    fields = mention.fields(Kind.VALUE)
    if not vocabulary.kind_fields.isdisjoint(fields):
        return "Vtype"
    types = sorted({vocabulary.types[each] for each in fields})
    if types == [FieldType.BOOLEAN]:
        return "Vboolean"
    is_field_too = any(each.kind is Kind.FIELD for each in mention.meanings)
    return ("Vf" if is_field_too else "V") + types[0].value


Features = list[int]

_ANY_CONDITION = code("V*")
_CUE_WINDOW = 12
_WORD_WINDOW = 10
_NEGATION_LEFT, _NEGATION_RIGHT = 6, 5
_MOST_PAIRED = 26
_NAME_WINDOW = 4
_WORDS = (MentionKind.WORD, MentionKind.NAME)


def one(tag: int, a: int) -> int:
    return ((tag * 0x9E3779B1) ^ (a * 0x85EBCA6B) ^ (a >> 7)) & MASK32


def two(tag: int, a: int, b: int) -> int:
    return one(tag, (a * 0x01000193 ^ b * 0xC2B2AE35 ^ (b >> 9)) & MASK32)


def three(tag: int, a: int, b: int, c: int) -> int:
    return two(tag, (a * 0x01000193 ^ b * 0xC2B2AE35 ^ (b >> 9)) & MASK32, c)


class Before(Struct, frozen=True):
    """The roles that were read before a mention: of the mention right before, and the last that says something."""

    role: str = "^"
    telling: str = "^"


def mention_features(line: Line, at: int, mention: Mention, before: Before) -> Features:
    """What tells the role of a mention. `at`: its place among the symbols."""
    own = line.code(at)
    if mention.kind in _WORDS:
        return [*_near(line, at, own, before), *_around(line, at, own), *_of_word(line, at, mention)]
    found: Features = []
    if mention.meanings:
        meaning = mention.meanings[0]
        found.append(two(120, own, meaning.level))
        own = one(121, own ^ (meaning.polarity & 3)) if meaning.polarity else own
    if mention.corrected:
        found.append(one(122, own))
    found += _near(line, at, own, before)
    found += _by_cues(line, at, own)
    found += _around(line, at, own)
    left, right = line.codes[4 + max(0, at - _WORD_WINDOW) : 4 + at], line.codes[5 + at : 5 + at + _WORD_WINDOW]
    found += [two(130, word, own) for word in set(left)]
    found += [two(131, word, own) for word in {*right[: max(0, len(line) - at - 1)]}]
    symbol = line.symbols[at]
    return [
        *found,
        two(132, own, min(line.symbols[:at].count(symbol), 3)),
        two(133, own, min(line.symbols.count(symbol), 3)),
    ]


def negation_features(line: Line, at: int, before: Before) -> Features:
    """What tells whether a condition is negated, whatever it is on."""
    found = [*_near(line, at, _ANY_CONDITION, before), *_by_cues(line, at, _ANY_CONDITION), one(140, line.code(at))]
    found += [one(141, word) for word in set(line.codes[4 + max(0, at - _NEGATION_LEFT) : 4 + at])]
    end = min(5 + at + _NEGATION_RIGHT, 4 + len(line))
    return [*found, *(one(142, word) for word in set(line.codes[5 + at : end]))]


def _near(line: Line, at: int, own: int, before: Before) -> Features:
    """The symbols up to four places away, alone and in runs, with the roles read before."""
    codes, place = line.codes, at + 4
    l4, l3, l2, l1 = codes[place - 4 : place]
    r1, r2, r3, r4 = codes[place + 1 : place + 5]
    role, telling = code(before.role), code(before.telling)
    found = [
        one(1, own),
        two(2, role, own),
        two(3, telling, own),
        three(4, telling, own, l1),
        three(5, role, own, l1),
        three(30, l2, l1, own),
        three(31, l1, own, r1),
        three(32, own, r1, r2),
        three(33, two(0, l3, l2), l1, own),
        three(34, own, r1, two(0, r2, r3)),
        two(35, l2, l1),
        two(36, r1, r2),
        two(37, l1, r1),
        three(38, l3, l2, l1),
        three(39, r1, r2, r3),
        two(40, codes[4], own),
        three(41, codes[4], codes[5], own),
        three(42, codes[4], two(0, codes[5], codes[6]), own),
        two(43, codes[len(line) + 3], own),
        one(44, codes[4]),
        two(45, line.asks, own),
        two(46, line.rare, own),
    ]
    for tag, word in enumerate((l4, l3, l2, l1, r1, r2, r3, r4)):
        found += [one(10 + tag, word), two(20 + tag, word, own)]
    return found


def _by_cues(line: Line, at: int, own: int) -> Features:
    """The cues before and after, near and in order, and those between the mention and the next masks."""
    cues, length = line.cues, len(line)
    found: Features = []
    for distance in (-3, -2, -1, 1, 2, 3):
        if 0 <= at + distance < length and (cue := cues[at + distance]):
            found += [two(50 + distance, cue, own), one(60 + distance, cue)]
    left = [cue for cue in cues[max(0, at - _CUE_WINDOW) : at] if cue]
    right = [cue for cue in cues[at + 1 : at + 1 + _CUE_WINDOW] if cue]
    found += [two(70, cue, own) for cue in set(left)] + [two(71, cue, own) for cue in set(right)]
    last, first = left[-1] if left else START, right[0] if right else END
    found += [two(72, last, own), two(73, first, own), three(74, last, first, own)]
    between, mask = _up_to_mask(line, range(at - 1, -1, -1))
    found += [three(75, own, *_two(between)), three(76, own, between[0] if between else START, mask or START)]
    found += [two(77, own, cue) for cue in set(between)]
    if at and cues[at - 1]:
        found.append(two(78, own, cues[at]))
    if cues[at]:
        found.append(two(79, own, cues[at]))
    return [*found, three(80, own, *_two(_up_to_mask(line, range(at + 1, length))[0]))]


def _up_to_mask(line: Line, places: Iterable[int]) -> tuple[list[int], int]:
    """The cues up to the next mask, and the mask's code; 0 if there is none."""
    found: list[int] = []
    for place in places:
        if line.masks[place]:
            return found, line.code(place)
        if line.cues[place]:
            found.append(line.cues[place])
    return found, 0


def _two(codes: Sequence[int]) -> tuple[int, int]:
    return codes[0] if codes else NONE, codes[1] if len(codes) > 1 else NONE


def _around(line: Line, at: int, own: int) -> Features:
    """The two masks before and the two after."""
    places = [place for place, is_mask in enumerate(line.masks) if is_mask]
    left = [line.code(place) for place in places if place < at][-2:]
    right = [line.code(place) for place in places if place > at][:2]
    l1, l2 = (left[-1] if left else START), (left[0] if len(left) > 1 else START)
    r1, r2 = (right[0] if right else END), (right[1] if len(right) > 1 else END)
    return [two(90, l1, own), two(91, r1, own), three(92, l1, l2, own), three(93, r1, r2, own), three(94, l1, r1, own)]


def _of_word(line: Line, at: int, mention: Mention) -> Features:
    """How a word or name is written, where it stands, and the cues beside it."""
    text = mention.text
    low = text.lower()
    found = [
        two(100, int(text[:1].isupper()), int(at == 0)),
        one(101, code(low[-3:])),
        one(102, code(low[-2:])),
        one(103, min(len(low), 9)),
        one(104, min(at, 6)),
        one(105, min(len(line) - at, 6)),
    ]
    if mention.kind is MentionKind.NAME:
        found += [one(106, len(text.split())), one(107, int(text.isupper())), one(108, int(_has_digit(text)))]
    places = [(distance, at + distance) for distance in (-3, -2, -1, 1, 2) if 0 <= at + distance < len(line)]
    return found + [one(110 + distance, line.cues[place]) for distance, place in places if line.cues[place]]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def message_features(line: Line) -> Features:
    """What tells the strategy, and what is asked for as a whole: runs, pairs, first and last words, order of cues."""
    length = len(line)
    padded = [START, *line.codes[4 : 4 + length], END]
    pairs = [two(2, a, b) for a, b in pairwise(padded)]
    triples = [two(3, pair, word) for pair, word in zip(pairs, padded[2:], strict=False)]
    found = [one(1, word) for word in padded]
    found += [*pairs, *triples, *(two(4, triple, word) for triple, word in zip(triples, padded[3:], strict=False))]
    found += [two(5, a, b) for a, b in zip(padded, padded[2:], strict=False)]
    found += [two(6, a, b) for a, b in zip(padded, padded[3:], strict=False)]
    first = [padded[min(place, length + 1)] for place in (1, 2, 3)]
    last = [padded[max(place, -length - 2)] for place in (-1, -2, -3)]
    found += [one(7, first[0]), two(8, *first[:2]), three(9, *first), three(10, *last)]
    masks = sorted({line.code(at) for at, is_mask in enumerate(line.masks) if is_mask})
    found += [one(11, mask) for mask in masks] + [two(12, a, b) for a, b in combinations(masks, 2)]
    found += [two(13, a, b) for a, b in combinations(sorted(set(padded))[:_MOST_PAIRED], 2)]
    return [*found, one(14, min(length // 3, 8)), one(15, line.rare), *_order(line)]


def _order(line: Line) -> Features:
    """The cues and masks in their order, without what stands between them."""
    kept = [line.cues[at] or (line.code(at) if line.masks[at] else 0) for at in range(len(line))]
    kept = [each for each in kept if each]
    triples = zip(kept, kept[1:], kept[2:], strict=False)
    found = [one(16, each) for each in kept] + [two(17, a, b) for a, b in pairwise(kept)]
    found += [three(18, a, b, c) for a, b, c in triples]
    return found + [two(19, a, b) for a, b in combinations(sorted(set(kept)), 2)]


class Candidate(Struct, frozen=True):
    """A field that a condition may be on, and how near the message names it.

    `kind`: what its values are. `order`: its place among the candidates, of `count`. `is_default`: the schema's date,
    or the first of its kind. `distance`: tokens to the nearest mention of the field, negative before; None without one.
    `between`: the symbols there. `role`: of that mention. `overlap`: words of its name in the message. `is_open`: it
    takes any value. `words`: the first and the last of its name.
    """

    name: str
    kind: str
    order: int
    count: int
    is_default: bool
    distance: int | None
    between: str
    role: str
    overlap: int
    is_open: bool
    words: tuple[str, ...]


def candidate_features(line: Line, at: int, mention: Mention, field: Candidate) -> Features:
    """What tells whether the condition of this mention is on this field."""
    codes, place = line.codes, at + 4
    kind, own, role = code(field.kind), code(mention.kind.value), code(field.role)
    near = code(_distance(field.distance))
    is_far = int(field.distance is None)
    l3, l2, l1, r1 = codes[place - 3], codes[place - 2], codes[place - 1], codes[place + 1]
    found = [
        one(150, kind),
        two(151, near, own),
        three(152, near, kind, own),
        two(153, kind, own),
        two(154, role, near),
        three(155, role, near, own),
        two(156, l1, kind),
        three(157, l2, l1, kind),
        two(158, r1, kind),
        three(159, l1, r1, kind),
        two(160, int(field.is_default), own),
        three(161, int(field.is_default), is_far, own),
        three(162, min(field.order, 4), is_far, kind),
        two(163, min(field.overlap, 2), own),
        three(164, int(field.is_open), kind, own),
        two(165, min(field.count, 4), near),
        three(166, code(field.between), near, own),
        three(167, int(field.is_open), is_far, own),
        *(two(168, word, kind) for word in (l2, l3, codes[4], codes[5])),
    ]
    return [*found, *_of_form(mention, kind, near), *_of_name(line, at, mention, field)]


def _of_name(line: Line, at: int, mention: Mention, field: Candidate) -> Features:
    """The words of the field's name with how the message begins, with the words near, and with when the days are."""
    codes, place, own = line.codes, at + 4, code(mention.kind.value)
    when = code(mention.days.when) if mention.days else 0
    near = {*codes[max(4, place - _NAME_WINDOW) : place], *codes[place + 1 : min(place + 3, 4 + len(line))]}
    found: Features = []
    for word in map(code, set(field.words)):
        if mention.kind is MentionKind.FIELD:
            found.append(two(189, word, code(mention.text.lower())))
        found += [two(180, word, own), three(181, word, codes[place - 1], own), three(182, word, codes[place - 2], own)]
        found += [three(183, word, codes[4], own), three(184, word, codes[place + 1], own)]
        found += [two(185, word, each) for each in near]
        if when:
            found += [two(186, word, when), three(187, word, when, codes[4])]
    return [*found, two(188, when, int(field.is_default))] if when else found


def upcoming_features(line: Line, at: int, before: Before, field_words: Sequence[str]) -> Features:
    """What tells whether days that may be the latest or the next are the next: "on Friday" of a field."""
    found = negation_features(line, at, before)
    for word in map(code, set(field_words)):
        found += [one(190, word), two(191, word, line.code(at - 1)), two(192, word, line.code(0))]
    return found


def _distance(distance: int | None) -> str:
    if distance is None:
        return "no"
    return ("L" if distance < 0 else "R") + str(min(abs(distance), 5))


def _of_form(mention: Mention, kind: int, near: int) -> Features:
    """How the value is written, with the kind of the field."""
    text = mention.text
    if mention.kind in (MentionKind.NAME, MentionKind.DOCUMENT):
        return [
            three(169, kind, len(text.split()), int(text[:1].isupper())),
            two(170, kind, int(_has_digit(text))),
            three(171, kind, int(text.isupper()), min(len(text), 5)),
            two(172, kind, int(mention.kind is MentionKind.DOCUMENT)),
        ]
    if mention.kind is MentionKind.NUMBER:
        return [three(173, kind, int(is_year(mention.number)), near)]
    return []


def is_year(number: float) -> bool:
    """Whether a number may be a year."""
    return 1000 <= number <= 2100 and number == int(number)
