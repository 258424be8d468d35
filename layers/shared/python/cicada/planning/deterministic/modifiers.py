"""The modifiers before a noun for documents: "the three newest effective EHS" policies."""

from __future__ import annotations

from msgspec import Struct, field

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.lexicon import ValueSpan
from cicada.planning.deterministic.noun_phrases import HeadKind, NounPhrase, is_verb
from cicada.planning.deterministic.sentence import Sentence
from cicada.understanding.dates import DatePhrase

_MOST_TOPIC_WORDS = 4
_AUXILIARIES = word_set("do does did can must should may will is are has have")
_ORDERING = word_set("""
    newest latest oldest recent earliest first last newer older new old two three four five six seven eight nine ten
    twenty top same usual my our
""")
_JOINING = word_set('and or , / & - "')
_DEFINITE = word_set("the this that these those")
_ASKING = word_set("which what whose")
_BEFORE_MODIFIERS = word_set("me us for on and or are is many")


def extend_left(sentence: Sentence, phrase: NounPhrase) -> list[tuple[ValueSpan, bool]]:
    """Move the phrase's start over its modifiers. The values among them, and whether each is negated.

    Words of content may stand between ("effective equipment cleaning SOPs"); they are the phrase's topics.
    """
    scan = _LeftScan(sentence, phrase, phrase.head)
    while scan.at > 0 and scan.step():
        pass
    scan.keep_topics()
    return scan.found


class _LeftScan(Struct):
    """Reads the modifiers before a head, from right to left. `at`: the first position that has been read."""

    sentence: Sentence
    phrase: NounPhrase
    at: int
    found: list[tuple[ValueSpan, bool]] = field(default_factory=list)
    topics: list[int] = field(default_factory=list)

    def step(self) -> bool:
        """Read the value or the word before; False where the phrase begins."""
        span = self.sentence.span_ends.get(self.at)
        if span and not is_verb(self.sentence, span.start, span.end):
            return self._value(span)
        return self._word(self.at - 1)

    def keep_topics(self) -> None:
        """The words of content at the phrase's beginning belong to it unless a verb or a subject precedes them."""
        if len(self.topics) > len(self.phrase.topics) and _may_precede_modifiers(self.sentence, min(self.topics) - 1):
            self.phrase.topics, self.phrase.start = tuple(self.topics), min(self.topics)

    def _value(self, span: ValueSpan) -> bool:
        sentence, phrase = self.sentence, self.phrase
        if _is_keyword_list_only(sentence, span):
            self.topics.extend(range(span.start, span.end))
        else:
            if self.topics and sentence.word(span.start - 1) in _AUXILIARIES and not _may_be_adjective(sentence, span):
                return False
            self.found.append((span, False))
            phrase.topics = tuple(self.topics)
        self.at = phrase.start = span.start
        return True

    def _word(self, at: int) -> bool:
        sentence, word = self.sentence, self.sentence.word(at)
        if word in _JOINING:
            return _joins(sentence, at, self.found) and self._read(at)
        if word == "'s":
            return self._read(at)
        if word in {"tagged", "labelled", "labeled"} and at in sentence.span_ends:
            self.found.append((sentence.span_ends[at], False))
            return self._read(sentence.span_ends[at].start, extends=True)
        if sentence.is_not(at) and self.found and word != "no":
            self.found[-1] = (self.found[-1][0], True)
            return self._read(at, extends=True)
        if sentence.is_in(at, "determiners", "adverbs") or _is_order(sentence, at):
            return self._determiner(at, word)
        if sentence.unknown(at) and len(self.topics) < _MOST_TOPIC_WORDS:
            self.topics.append(at)
            return self._read(at)
        return False

    def _determiner(self, at: int, word: str) -> bool:
        if word in {"that", "this", "such"} and self.sentence.is_in(at - 1, "subject_words"):
            return False
        self.phrase.is_definite |= word in _DEFINITE
        self.phrase.asked |= word in _ASKING
        self.phrase.topics = tuple(self.topics)
        return self._read(at, extends=True)

    def _read(self, at: int, *, extends: bool = False) -> bool:
        self.at = at
        if extends:
            self.phrase.start = at
        return True


def modifying_dates(sentence: Sentence, phrase: NounPhrase) -> list[DatePhrase]:
    """The 2023 reports, last year's policies: dates among the modifiers or before them."""
    if phrase.kind in {HeadKind.PRONOUN, HeadKind.WEAK}:
        return []
    first = phrase.start - (sentence.word(phrase.start - 1) == "'s")
    near = [each for each in sentence.dates.values() if first <= each.end <= phrase.head]
    return [each for each in near if not (each.marked or each.duration)]


def _may_precede_modifiers(sentence: Sentence, at: int) -> bool:
    """Whether the words before the noun can modify it: nothing, a preposition or a listing verb precedes them."""
    before = sentence.word(at)
    return (
        at < 0
        or not before[0].isalnum()
        or sentence.is_in(at, "listing", "source_prepositions", "politeness")
        or before in _BEFORE_MODIFIERS
    )


def _is_keyword_list_only(sentence: Sentence, span: ValueSpan) -> bool:
    return all(sentence.lexicon.type_of(name) is FieldType.KEYWORDS for name in span.fields)


def _may_be_adjective(sentence: Sentence, span: ValueSpan) -> bool:
    return (
        sentence.word(span.start).islower()
        and sentence.tokens[span.start].raw.islower()
        and not any(sentence.lexicon.type_of(name) is FieldType.PERSON for name in span.fields)
    )


def _is_order(sentence: Sentence, at: int) -> bool:
    """Words of order and number before a noun: newest, first, three, 10."""
    return sentence.word(at).isdigit() or sentence.word(at) in _ORDERING


def _joins(sentence: Sentence, at: int, found: list[tuple[ValueSpan, bool]]) -> bool:
    """Whether "and", "or" or a comma joins two values that modify the same noun."""
    before = sentence.span_ends.get(at)
    if before is None and sentence.word(at - 1) in {",", '"'}:
        before = sentence.span_ends.get(at - 1)
    if sentence.word(at) == '"':
        return True
    return before is not None and bool(found)
