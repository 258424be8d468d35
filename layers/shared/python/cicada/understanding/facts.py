"""What a message surely mentions: values, fields, records, numbers, dates, names, numbers of documents, the asker.

All other words are mentions too, of kind `word`, so that each word of a message has one reading.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from enum import StrEnum
from itertools import chain, pairwise, takewhile

from msgspec import Struct
from msgspec.structs import replace

from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.dates import DatePhrase, date_phrases
from cicada.understanding.periods import WEEKDAYS
from cicada.understanding.vocabulary import SHORTEST_STEM, Kind, Level, Meaning, Vocabulary
from cicada.understanding.words import (
    SENTENCE_ENDS,
    Token,
    base_form,
    corrected,
    folded,
    lexicon,
    normal,
    tokens_of,
    word_set,
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*$")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_LEADING, _GROUP = re.compile(r"[1-9]\d{0,2}"), re.compile(r"\d{3}")
_POINTS = re.compile(r"\d{1,3}(\.\d{3})+(,\d+)?")
_WITH_UNIT = re.compile(
    r"(\d+(?:[.,]\d+)?)(k|m|cm|mm|km|kg|g|mg|l|ml|h|min|mins|s|eur|usd|gbp|kw|mw|gb|mb|yo|yrs|sqm|m2|pts|pages|p)$"
)
# "SOP-QA-003", "WI-0123", "ab-12/7", "sop-qa-003.md": letters, digits and hyphens, and the ending of a file.
_DOCUMENT = re.compile(r"(?<!\w)[A-Za-z]{1,8}(?:[-_/][A-Za-z0-9]{1,8}){1,4}(?:\.(?:md|txt|pdf|docx|html|json))?(?!\w)")
_LEAST_DIGITS = 2
_MOST_QUOTED = 10
_FILLERS = word_set("of the a an for")
# Words that say what is computed, which a typing error must not make into nothing.
_COMPUTING = word_set(
    "average total number highest lowest cheapest oldest newest latest maximum minimum between without"
)
# A phrase with fillers ("number of the products") may be longer than any of the vocabulary.
_MOST_FILLERS = 2
_STEM, _LONG_STEM = 5, 6
_MOST_BEFORE_NUMBER = 3
# After these a word names a number that is computed.
_BEFORE_NUMBER = word_set("average total sum highest lowest most")
_LONGEST_ENDING = 3


class MentionKind(StrEnum):
    VALUE = "value"
    FIELD = "field"
    RECORD = "item"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    DOCUMENT = "doc"
    ASKER = "me"
    WORD = "word"


class Mention(Struct, frozen=True):
    """Tokens from `start` to `end` (not included) with one reading. `text`: as written.

    `meanings`: of a value, a field or a record. `corrected`: it was mistyped. `number`, `days`: of a number, a date.
    """

    start: int
    end: int
    kind: MentionKind
    text: str
    meanings: tuple[Meaning, ...] = ()
    corrected: bool = False
    number: float = 0.0
    days: DatePhrase | None = None

    def fields(self, kind: Kind) -> tuple[str, ...]:
        """The fields of its meanings of this kind, each once."""
        return tuple(dict.fromkeys(each.field for each in self.meanings if each.kind is kind))


class Facts(Struct, frozen=True):
    """A message's tokens, their base forms, and its mentions in order; marks of punctuation are in no mention."""

    tokens: tuple[Token, ...]
    base: tuple[str, ...]
    mentions: tuple[Mention, ...]


def facts_of(message: str, vocabulary: Vocabulary, now: date, common: Collection[str]) -> Facts:
    """The facts of any text. `common`: words that are neither mistyped nor, where a sentence begins, names."""
    tokens = tuple(chain.from_iterable(_read(each, vocabulary) for each in tokens_of(message)))
    return _Finder(tokens, normal(message), vocabulary, now, common).facts()


def _read(token: Token, vocabulary: Vocabulary) -> Iterator[Token]:
    """The token with what is computed mended if it is mistyped, "unpaid" as "not paid", "havent" as "haven't"."""
    word, phrases = token.text, vocabulary.phrases
    is_known = base_form(word) in phrases
    if not is_known and word.startswith("un") and base_form(word[2:]) in phrases:
        yield Token("not", token.raw[:2], token.start, token.start + 2, token.glued)
        yield Token(word[2:], token.raw[2:], token.start + 2, token.end)
        return
    if not is_known and word.endswith("nt") and word[:-2] in _BEFORE_NT:
        yield replace(token, text=word[:-2], raw=token.raw[:-2], end=token.end - 2)
        yield Token("n't", token.raw[-2:], token.end - 2, token.end, glued=True)
        return
    # A typing error that several people make is common too: "avarage".
    found = None if is_known or base_form(word) in _COMPUTING else corrected(word, _COMPUTING)
    yield replace(token, text=found) if found else token


def number_of(text: str) -> float | None:
    """The number that a token states: digits with separators, with a unit, or a word; None for other tokens."""
    if with_unit := _WITH_UNIT.match(text):
        return (number_of(with_unit[1]) or 0.0) * (1000 if with_unit[2] == "k" else 1)
    if text in lexicon().numbers:
        return lexicon().numbers[text]
    if not _NUMBER.match(text) or not text.isascii():
        return None
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    plain = text.replace(".", "").replace(",", ".") if _POINTS.fullmatch(text) else text.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


class _Finder:
    """Finds the mentions of one message, at each token the longest of the surest kind."""

    def __init__(
        self, tokens: tuple[Token, ...], text: str, vocabulary: Vocabulary, now: date, common: Collection[str]
    ) -> None:
        self.tokens = tokens
        self.text = text
        self.vocabulary = vocabulary
        self.common = common
        base = tuple(base_form(each.text) if each.raw[0].isalnum() else each.text for each in tokens)
        self.base = _with_prefix(base, vocabulary)
        self.mended = tuple(map(self._mended, tokens, self.base))
        self.dates = {each.start: each for each in date_phrases(tokens, now)}
        self.documents = dict(self._documents())
        self.quoted = dict(_quotations(tokens))
        self.only_capitals = all(each.raw[:1].isupper() for each in tokens if each.raw.isalpha())

        # "In August" of a table with a column of months and none of days, "on Friday" of one with days of the week.
        has_days = FieldType.DATE in vocabulary.types.values()
        self.dates = {
            at: each
            for at, each in self.dates.items()
            if (has_days and not self._is_weekday(each)) or not self._has_value(at, each.end)
        }

    def _is_weekday(self, phrase: DatePhrase) -> bool:
        return self.tokens[phrase.end - 1].text in WEEKDAYS

    def _has_value(self, start: int, end: int) -> bool:
        return any(found and _is_value(found) for found in map(self._phrase, range(start, end)))

    def facts(self) -> Facts:
        found = []
        at = 0
        while at < len(self.tokens):
            mention = self._mention(at)
            if mention:
                found.append(mention)
            at = mention.end if mention else at + 1
        return Facts(self.tokens, self.base, tuple(found))

    def _mended(self, token: Token, base: str) -> str:
        known = self.vocabulary.letters.get(base[0], frozenset())
        if base in known or token.text in self.common or base in self.common:
            return base
        return corrected(base, known) or base

    def _mention(self, at: int) -> Mention | None:
        found = self._phrase(at)
        if found and found.kind is MentionKind.FIELD and self._ends_in_a_date(found):
            found = replace(found, end=found.end - 1, text=self._text(at, found.end - 1))
        if at in self.documents and not (found and _is_value(found) and found.end == self.documents[at]):
            return self._of(MentionKind.DOCUMENT, at, self.documents[at])
        quoted = self.quoted.get(at, at)
        if quoted - at > 1 and (found is None or found.end < quoted):
            return self._of(MentionKind.NAME, at, quoted)  # No word of a title is a value by itself.
        dated = self.dates.get(at)
        if dated and (found is None or dated.end > found.end or (dated.end == found.end and not _is_value(found))):
            return Mention(at, dated.end, MentionKind.DATE, self._text(at, dated.end), days=dated)
        return found or self._number(at) or self._other(at)

    def _ends_in_a_date(self, mention: Mention) -> bool:
        """Whether the last word of a field's name belongs to days: the "on" of "sealed on 5 May"."""
        last = mention.end - 1
        return last > mention.start and last in self.dates and self.dates[last].end > mention.end

    def _of(self, kind: MentionKind, start: int, end: int) -> Mention:
        return Mention(start, end, kind, self._text(start, end))

    def _text(self, start: int, end: int) -> str:
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    def _number(self, at: int) -> Mention | None:
        end = self._end_of_thousands(at)
        number = number_of("".join(each.text for each in self.tokens[at:end]))
        if number is None:
            return None
        scale = self._scale(end) if end < len(self.tokens) else None
        end += scale is not None
        text = self._text(at, end - (scale is not None))
        return Mention(at, end, MentionKind.NUMBER, text, number=number * (scale or 1))

    def _scale(self, at: int) -> float | None:
        """What the word multiplies a number by; "2 M" is two million, "2 m" two metres."""
        token = self.tokens[at]
        return lexicon().scales.get("million" if token.raw == "M" else token.text)

    def _end_of_thousands(self, at: int) -> int:
        """Where a number ends that is written in groups of three digits, as "1 250 000"."""
        end = at + 1
        while _LEADING.fullmatch(self.tokens[at].raw) and end < len(self.tokens):
            if not _GROUP.fullmatch(self.tokens[end].raw):
                break
            end += 1
        return end

    def _other(self, at: int) -> Mention | None:
        """The asker, a name, or a word; None for a mark."""
        token = self.tokens[at]
        if self._is_asker(at):
            return self._of(MentionKind.ASKER, at, at + 1)
        end = self.quoted.get(at) or self._end_of_name(at)
        if end > at:
            return self._of(MentionKind.NAME, at, end)
        is_word = token.raw[0].isalnum() or token.text == "n't"
        return self._of(MentionKind.WORD, at, at + 1) if is_word else None

    def _is_asker(self, at: int) -> bool:
        word = self.tokens[at].text
        if word not in lexicon().asker:
            return False
        return word != "me" or (at > 0 and self.tokens[at - 1].text not in lexicon().not_the_asker_after)

    def _end_of_name(self, at: int) -> int:
        end = at
        while end < len(self.tokens) and self._is_name(end):
            end += 1
        return end

    def _is_name(self, at: int) -> bool:
        """Whether the token is written as a name: with a capital, with digits, or next to another such word."""
        token = self.tokens[at]
        if not token.raw[0].isalpha() or token.text in _STRESSED:
            return False
        starts = at == 0 or self.tokens[at - 1].text in SENTENCE_ENDS or self.tokens[at - 1].text == '"'
        is_common = token.text in self.common
        if any(map(str.isdigit, token.raw)):
            return True
        if token.is_capitalised and not (starts and is_common) and self._has_capitalised_neighbour(at, starts):
            return True
        if token.is_capitalised and not starts:
            return not is_common or (len(token.raw) > 1 and token.raw.isupper() and not self.only_capitals)
        if is_common:
            return False
        if token.raw.isupper() and len(token.raw) >= 2:
            return True
        return token.is_capitalised and at == 0 and len(self.tokens) > 1 and 1 not in self.documents

    def _has_capitalised_neighbour(self, at: int, starts: bool) -> bool:
        if self.tokens[at].text in lexicon().function or self.only_capitals or (starts and at + 1 in self.documents):
            return False
        neighbours = [*self.tokens[at + 1 : at + 2], *([] if starts or at == 0 else [self.tokens[at - 1]])]
        return any(each.is_capitalised and each.text not in lexicon().function for each in neighbours)

    def _documents(self) -> Iterator[tuple[int, int]]:
        """The tokens of numbers of documents: where each begins and ends."""
        for found in _DOCUMENT.finditer(self.text):
            inside = [at for at, each in enumerate(self.tokens) if found.start() <= each.start < found.end()]
            if inside and sum(map(str.isdigit, found[0])) >= _LEAST_DIGITS:
                yield inside[0], inside[-1] + 1

    def _phrase(self, at: int) -> Mention | None:
        """The longest phrase of the vocabulary that begins here, as written or else with typing errors mended."""
        if not self.tokens[at].raw[0].isalnum():
            return None
        found = self._known(at, self.base)
        if found is None and self.mended != self.base:
            found = self._known(at, self.mended)
        return found or self._by_stem(at) or self._by_stem_of_value(at)

    def _known(self, at: int, words: Sequence[str]) -> Mention | None:
        longest = min(len(words), at + self.vocabulary.longest + _MOST_FILLERS)
        for end in range(longest, at, -1):
            meanings = self._meanings(words[at:end])
            if meanings:
                mention = self._phrase_mention(at, end, meanings, words)
                if mention:
                    return mention
        return None

    def _meanings(self, words: Sequence[str]) -> tuple[Meaning, ...]:
        """The meanings of these words; those of a field's whole name also where "of" and "the" stand between them."""
        if not words[-1][0].isalnum() or any(word in SENTENCE_ENDS for word in words):
            return ()
        kept = [word for word in words if word[0].isalnum()]
        phrases = self.vocabulary.phrases
        key = "".join(kept)
        has_edge = len(words) > 1 and (words[0] in _FILLERS or words[-1] in _FILLERS)
        if has_edge and "".join(words) not in phrases:
            return ()
        if key in phrases or len(words) <= _MOST_FILLERS:
            return phrases.get(key, ())
        bare = phrases.get("".join(word for word in kept if word not in {"of", "the"}), ())
        return tuple(each for each in bare if each.kind is Kind.FIELD and each.level is Level.WHOLE)

    def _phrase_mention(self, at: int, end: int, meanings: tuple[Meaning, ...], words: Sequence[str]) -> Mention | None:
        best = max(each.level for each in meanings)
        either = (each for each in meanings if each.level == best or each.kind is Kind.VALUE)
        kept = tuple(sorted(either, key=lambda each: -each.level))
        if self._is_computed(at):
            numbers = tuple(each for each in kept if each.kind is Kind.FIELD and self._is_number(each.field))
            kept = numbers or kept
        kind = self._kind(kept)
        if kind is MentionKind.VALUE and not self._may_be_value(at, end, kept):
            return None
        if end - at == 1 and kind is not MentionKind.FIELD and self._is_verb(at):
            return None
        mended = tuple(words[at:end]) != self.base[at:end]
        return Mention(at, end, kind, self._text(at, end), kept, corrected=mended)

    def _is_computed(self, at: int) -> bool:
        """Whether a number of what comes is asked for: "how many visitors came?", though a tag is called so."""
        before = [each.text for each in self.tokens[max(0, at - _MOST_BEFORE_NUMBER) : at]]
        pairs = {*pairwise(before)}
        return (
            ("how", "many") in pairs or ("number", "of") in pairs or bool(before[-1:] and before[-1] in _BEFORE_NUMBER)
        )

    def _is_number(self, field: str) -> bool:
        return self.vocabulary.types[field] is FieldType.NUMBER

    def _kind(self, meanings: tuple[Meaning, ...]) -> MentionKind:
        kinds = {each.kind for each in meanings}
        if Kind.RECORD in kinds:
            return MentionKind.RECORD
        return MentionKind.VALUE if Kind.VALUE in kinds else MentionKind.FIELD

    def _may_be_value(self, at: int, end: int, meanings: tuple[Meaning, ...]) -> bool:
        """Whether a value that is also a word of grammar, or a part of a name that is a word, is written as a value."""
        token = self.tokens[at]
        is_part = all(each.level < Level.WHOLE for each in meanings)
        if is_part and token.text in lexicon().names_that_are_words:
            return token.is_capitalised and at > 0
        if end - at == 1 and self._is_in_a_name(at, meanings):
            return False
        return (
            end - at > 1 or token.text not in _GRAMMAR or token.raw.isupper() or self._is_before_its_field(at, meanings)
        )

    def _is_before_its_field(self, at: int, meanings: tuple[Meaning, ...]) -> bool:
        """Whether the next word is the name of a field that has the value: "the it department"."""
        if self.tokens[at].text in _NO_VALUES:
            return False  # "With a licence" asks for no licence A.
        after = self.vocabulary.phrases.get("".join(self.base[at + 1 : at + 2]), ())
        named = {each.field for each in after if each.kind is Kind.FIELD}
        return not named.isdisjoint(each.field for each in meanings if each.kind is Kind.VALUE)

    def _is_verb(self, at: int) -> bool:
        """Whether a word for documents does something here: "list all loans", "how quickly must they report it?"."""
        if at == 0 and self.tokens[at].text in _REQUESTING and len(self.tokens) > 1:
            return True
        near = [each.text for each in (*self.tokens[at - 1 : at], *self.tokens[at + 1 : at + 2])]
        return at > 0 and len(near) == 2 and near[0] in _BEFORE_VERBS and near[1] in _OBJECTS

    def _is_in_a_name(self, at: int, meanings: tuple[Meaning, ...]) -> bool:
        """Whether a value that the schema writes in small letters begins a name, as "Good" in "Good Hope Bridge"."""
        token, after = self.tokens[at], self.tokens[at + 1 : at + 2]
        if at == 0 or self.only_capitals or not token.is_capitalised or token.raw.isupper():
            return False
        is_small = all(each.value[:1].islower() for each in meanings if each.kind is Kind.VALUE)
        is_followed = any(each.is_capitalised and self.base[at + 1] not in self.vocabulary.phrases for each in after)
        return is_small and is_followed and self.tokens[at - 1].text not in SENTENCE_ENDS

    def _by_stem(self, at: int) -> Mention | None:
        word, stems = self.base[at], self.vocabulary.stems
        if len(word) < _STEM:
            return None
        found = (stems.get(word[:_LONG_STEM]) if len(word) >= _LONG_STEM else None) or stems.get(word[:_STEM])
        return Mention(at, at + 1, MentionKind.FIELD, self.tokens[at].raw, found[:3]) if found else None

    def _by_stem_of_value(self, at: int) -> Mention | None:
        """A value of one word that is written in another form: "plumbing" for "plumb", "painted" for "painting"."""
        word = self.base[at]
        said = self.tokens[at].text
        if len(word) < SHORTEST_STEM or said in _GRAMMAR or said in lexicon().cues:
            return None
        near = self.vocabulary.value_stems.get(word[:SHORTEST_STEM], ())
        found = tuple(each for each in near if _is_form_of(word, each.value.lower()))
        return Mention(at, at + 1, MentionKind.VALUE, self.tokens[at].raw, found) if len(found) == 1 else None


def _is_form_of(word: str, value: str) -> bool:
    """Whether both differ in their endings alone, or the value is the word cut short: "elec" for "electrical"."""
    base = base_form(value)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, base, strict=False)))
    # A boathouse is none of the boats.
    is_cut_short = shared == len(value) and len(word) - shared > _LONGEST_ENDING
    return is_cut_short or (shared >= _STEM and max(len(word), len(base)) - shared <= _LONGEST_ENDING)


# Words that are written in capitals to stress them.
_STRESSED = word_set(
    "not n't and or no all any only never must both without with other than now still but except nur nicht pas no"
)
# Verbs at the start of a message that a base may have as words for its documents.
_REQUESTING = frozenset({"list", "show", "count"})
# What stands before a verb, and what begins its object.
_BEFORE_VERBS = word_set("to must should can could may might will would shall do does did not i we you they who")
_OBJECTS = word_set("it them this that these those him her us the a an any such to")
# Words of grammar that are values only where they are written in capitals.
_GRAMMAR = word_set(
    "a an the of on at in by for to is are and or no per it us we i he she they as be do so if may will can not all any"
    " who how when where which what out up off over under then than this that these those my our"
)
# Before an "nt" that lost its apostrophe: "havent".
_BEFORE_NT = word_set("have has had do does did is are was were would could should")
# Never a value in small letters, though the next word names a field.
_NO_VALUES = word_set("a an the no any all not")


def _with_prefix(base: tuple[str, ...], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words with a verb of the vocabulary as one word, whose beginning stands at the end: "laufen … aus"."""
    prefix = next((word for word in reversed(base) if word not in SENTENCE_ENDS), "")
    if prefix not in lexicon().separable:
        return base
    return tuple(prefix + word if prefix + word in vocabulary.phrases else word for word in base)


def _is_value(mention: Mention) -> bool:
    return mention.kind is MentionKind.VALUE


def _quotations(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where the quotations of few words begin, and where they end."""
    marks = [at for at, each in enumerate(tokens) if each.text == '"']
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        if 1 < closing - opening <= _MOST_QUOTED:
            yield opening + 1, closing


def names_kind(mention: Mention, vocabulary: Vocabulary) -> bool:
    """Whether it is a word for records, or for a kind of them."""
    return mention.kind is MentionKind.RECORD or not vocabulary.kind_fields.isdisjoint(mention.fields(Kind.VALUE))


def in_singular(mention: Mention, facts: Facts) -> bool:
    """Whether its last word is in the singular."""
    return folded(facts.tokens[mention.end - 1].text) == facts.base[mention.end - 1]
