"""The words of a schema: its values as people write them, and the names of its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.planning.deterministic.english import english, word_set
from cicada.planning.deterministic.inflection import corrected
from cicada.understanding.tokens import Token

VALUED = frozenset({FieldType.KEYWORD, FieldType.KEYWORDS, FieldType.PERSON})


# First names and surnames that are words of English: names only with a capital letter.
_COMMON_WORDS = word_set("""
    will mark may grace bill rose hope faith dean frank art chase drew grant jack pat ray rob sue young long white
    brown green black king page price bush cook field ford hill wood stone april june august summer joy dawn read
    major gray grey sharp short small best little day case park lane lake rivers banks marsh west east
""")


class Reading(Struct, frozen=True):
    """One value that a phrase may mean. `part`: a first name or a surname only."""

    field: str
    value: str
    plural: bool = False
    part: bool = False


class ValueSpan(Struct, frozen=True):
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


class Lexicon(Struct, frozen=True):
    """A schema compiled for look-up. `types`: the field whose values are nouns for documents, or None.

    `field_words`: for a phrase, the fields that it names. `date_cues`: for a phrase such as "took effect", date fields.
    `first_words`: with which a phrase of either begins.
    """

    schema: Schema
    values: Mapping[str, tuple[Reading, ...]]
    vocabulary: Mapping[str, tuple[str, ...]]
    field_words: Mapping[tuple[str, ...], frozenset[str]]
    date_cues: Mapping[tuple[str, ...], frozenset[str]]
    types: str | None
    owner: str | None
    first_words: frozenset[str]
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
