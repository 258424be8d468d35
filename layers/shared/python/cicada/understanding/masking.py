"""A message with its facts masked by their types, so that another domain's words do not matter."""

from __future__ import annotations

from collections.abc import Collection
from zlib import crc32

from msgspec import Struct

from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.facts import Facts, Mention, MentionKind
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import lexicon

MASK32 = 0xFFFFFFFF
_codes: dict[str, int] = {}
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
        is_cue = mention.kind is MentionKind.WORD or symbol.startswith("Adj")
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
    """The word if it is known, else a mask of its ending."""
    if word in known:
        return word
    if word[0].isdigit():
        return "#"
    return "~" + next((ending for ending in _RARE_ENDINGS if word.endswith(ending)), "")


def _symbol(mention: Mention, vocabulary: Vocabulary) -> str:
    if mention.kind is MentionKind.VALUE:
        return _value_symbol(mention, vocabulary)
    if mention.kind is MentionKind.FIELD:
        meaning = mention.meanings[0]
        type_ = vocabulary.types[meaning.field].value
        if meaning.level is Level.IMPLIED:
            return f"Adj{type_}"
        return ("F" if meaning.level >= Level.PART else "S") + type_
    if mention.kind is MentionKind.DATE:
        return "Dated" if mention.days and mention.days.duration else "Date"
    return _SYMBOLS[mention.kind]


def _value_symbol(mention: Mention, vocabulary: Vocabulary) -> str:
    fields = mention.fields(Kind.VALUE)
    if vocabulary.kind_field in fields:
        return "Vtype"
    types = sorted({vocabulary.types[each] for each in fields})
    if types == [FieldType.BOOLEAN]:
        return "Vboolean"
    is_field_too = any(each.kind is Kind.FIELD for each in mention.meanings)
    return ("Vf" if is_field_too else "V") + types[0].value
