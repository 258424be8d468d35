"""A message as the planner's rules see it: tokens, the values and dates that they name, and word classes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import date

from msgspec import Struct, field

from cicada.planning.deterministic.english import English, english
from cicada.planning.deterministic.lexicon import Lexicon, ValueSpan
from cicada.understanding.dates import DatePhrase, date_phrases
from cicada.understanding.tokens import SENTENCE_ENDS, Token, tokens_of

_NOT = frozenset({"not", "n't", "non", "never", "no", "neither", "nor"})


class Sentence(Struct, frozen=True):
    """The message's tokens and, by their first token, the values and the ranges of dates in it.

    `span_ends`: the values by the position after them. `taken`: the positions of values and dates.
    """

    tokens: tuple[Token, ...]
    lexicon: Lexicon
    spans: dict[int, ValueSpan]
    dates: dict[int, DatePhrase]
    span_ends: dict[int, ValueSpan] = field(default_factory=dict)
    taken: frozenset[int] = frozenset()
    named: bytearray = field(default_factory=bytearray)
    english: English = field(default_factory=english)

    def __len__(self) -> int:
        return len(self.tokens)

    def word(self, at: int) -> str:
        """The word at this position; empty outside the message."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def words(self) -> list[str]:
        return [token.text for token in self.tokens]

    def is_in(self, at: int, *lists: str) -> bool:
        """Whether the word at this position is in one of the closed lists."""
        return any(self.word(at) in self.english.words[name] for name in lists)

    def skip(self, at: int, words: Container[str]) -> int:
        """The first position from `at` on whose word is none of these."""
        while self.word(at) in words:
            at += 1
        return at

    def is_not(self, at: int) -> bool:
        return self.word(at) in _NOT

    def ends_clause(self, at: int) -> bool:
        """Whether the message or a clause ends before this position."""
        return at >= len(self.tokens) or self.word(at) in SENTENCE_ENDS | {",", ":", "-", ")"}

    def phrase_end(self, at: int, phrases: frozenset[tuple[str, ...]]) -> int:
        """The position after the longest of the phrases that stands here; `at` itself if none does."""
        for length in range(min(5, len(self) - at), 0, -1):
            if tuple(self.word(at + i) for i in range(length)) in phrases:
                return at + length
        return at

    def field_word(self, at: int) -> tuple[int, frozenset[str]]:
        """The position after the name of a field that stands here, and the fields that it may mean."""
        return self._named(at, self.lexicon.field_words)

    def date_cue(self, at: int) -> tuple[int, frozenset[str]]:
        """The position after words such as "took effect" that stand here, and the date fields that they mean."""
        return self._named(at, self.lexicon.date_cues)

    def _named(self, at: int, names: Mapping[tuple[str, ...], frozenset[str]]) -> tuple[int, frozenset[str]]:
        """The position after the longest name that stands here, and its fields."""
        if self.word(at) not in self.lexicon.first_words:
            return at, frozenset()
        for length in range(min(4, len(self) - at), 0, -1):
            fields = names.get(tuple(self.word(at + i) for i in range(length)))
            if fields:
                return at + length, fields
        return at, frozenset()

    def names_field(self, at: int) -> bool:
        """Whether the word at this position is of a field's name, or of words such as "took effect"."""
        if not self.named:
            ends = ((start, max(self.field_word(start)[0], self.date_cue(start)[0])) for start in range(len(self)))
            self.named.extend([0] * len(self))
            for start, end in ends:
                self.named[start:end] = [1] * (end - start)
        return bool(self.named[at])

    def unknown(self, at: int) -> bool:
        """Whether the word is of no closed class, no value and no date, so that it carries content."""
        token = self.word(at)
        if not token or not token[0].isalnum() or at in self.taken:
            return False
        return not self.is_in(at, "function", "determiners", "adverbs", "listing", "metadata", "politeness")


def sentence_of(message: str, lexicon: Lexicon, now: date) -> Sentence:
    """Read the message's tokens, values and dates. Where a value and a date overlap, the longer one is meant."""
    tokens = tokens_of(message)
    spans = lexicon.spans(tokens)
    phrases = date_phrases(tokens, now) if lexicon.date else []
    dates: list[DatePhrase] = [
        each for each in phrases if all(_longer(each, span) for span in spans if _overlap(each, span))
    ]
    starts = {each.start for each in dates}
    kept = [
        span
        for span in spans
        if not any(_overlap(each, span) for each in dates)
        and not _names_field(tokens, lexicon, span)
        and not _is_date_cue(tokens, lexicon, span, starts)
    ]
    return Sentence(
        tokens=tokens,
        lexicon=lexicon,
        spans={span.start: span for span in kept},
        dates={each.start: each for each in dates},
        span_ends={span.end: span for span in kept},
        taken=frozenset(
            [at for span in kept for at in range(span.start, span.end)]
            + [at for each in dates for at in range(each.start, each.end)]
        ),
    )


def _names_field(tokens: tuple[Token, ...], lexicon: Lexicon, span: ValueSpan) -> bool:
    """Whether the value is a part of a field's name: "effective" in "by effective date"."""
    for length in (2, 3):
        for start in range(max(0, span.end - length), span.start + 1):
            words = tuple(token.text for token in tokens[start : start + length])
            if length > span.end - span.start and words in lexicon.field_words:
                return True
    return False


def _is_date_cue(tokens: tuple[Token, ...], lexicon: Lexicon, span: ValueSpan, dates: set[int]) -> bool:
    """Whether the value is the verb of a date that follows: "issued on 3 June"."""
    words = tuple(token.text for token in tokens[span.start : span.end])
    after = tuple(token.text for token in tokens[span.start : span.end + 1])
    before = tuple(token.text for token in tokens[max(0, span.start - 1) : span.end])
    if len(before) > len(words) and before in lexicon.date_cues and before[0] != "in":
        return True
    return (words in lexicon.date_cues and span.end in dates) or (
        after in lexicon.date_cues and not dates.isdisjoint({span.end, span.end + 1})
    )


def _overlap(phrase: DatePhrase, span: ValueSpan) -> bool:
    return phrase.start < span.end and span.start < phrase.end


def _longer(phrase: DatePhrase, span: ValueSpan) -> bool:
    return phrase.end - phrase.start > span.end - span.start
