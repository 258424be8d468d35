"""Number and counts that a message asks of a list of documents."""

from __future__ import annotations

from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.ordering import Ordering
from cicada.planning.deterministic.sentence import Sentence

_NUMBERS = {word: number for number, word in enumerate(
    "one two three four five six seven eight nine ten".split(), start=1)} | {"twenty": 20}  # noqa: SIM905  # fmt: skip
_BEFORE_FIELD = word_set("which what per each by every whose who")
_BEFORE_NUMBER = word_set("top first last newest latest oldest recent")


def counts(sentence: Sentence, found: Constraints) -> bool:
    """How many, the number of, count: of documents."""
    for at in range(len(sentence)):
        if sentence.word(at) in {"count", "tally"} and at < 3:
            return True
        if (sentence.word(at), sentence.word(at + 1)) in {("how", "many"), ("number", "of")}:
            after = at + 2
            near = any(phrase.start <= after + 1 and phrase.end > after for phrase in found.phrases)
            return near or not found.phrases or sentence.word(after) in {"are", "does", "do", "of"}
    return False


def count_by(sentence: Sentence, found: Constraints, asked: Ordering) -> str | None:
    """The field whose values are asked for: which departments have drafts, documents per department."""
    schema = sentence.lexicon.schema
    for at in range(len(sentence)):
        if sentence.word(at) not in _BEFORE_FIELD:
            continue
        if sentence.word(at) == "who":
            return sentence.lexicon.owner
        if at + 1 in asked.used or (sentence.word(at - 1), sentence.word(at)) == ("owned", "by"):
            continue
        end, fields = sentence.field_word(at + 1)
        valued = sorted(name for name in fields if at + 1 not in found.used and name in schema.fields)
        if end > at + 1 and valued:
            return valued[0]
    return None


def limit(sentence: Sentence, found: Constraints, asked: Ordering) -> int | None:
    """Top five, the ten newest, first 3, the three with the highest fee; the newest one alone is one."""
    for at in range(len(sentence)):
        if sentence.word(at) in _BEFORE_NUMBER:
            for near in (at + 1, at - 1):
                number = _number(sentence, near)
                if number and near not in sentence.taken:
                    return number
    if not asked.superlative:
        return None
    listed = [phrase for phrase in found.phrases if phrase.kind in {HeadKind.GENERIC, HeadKind.TYPE}]
    numbers = [_number(sentence, at) for phrase in listed for at in range(phrase.start, phrase.head)]
    singular = any(not phrase.plural for phrase in listed)
    return next(filter(None, numbers), 1 if singular else None)


def _number(sentence: Sentence, at: int) -> int | None:
    word = sentence.word(at)
    if word.isascii() and word.isdigit() and 0 < int(word) <= 100:
        return int(word)
    return _NUMBERS.get(word)
