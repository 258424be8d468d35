"""A message that changes the question before it: "and the draft ones?", "only those of Bob", "which of them expire"."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from msgspec import Struct

from cicada.documents.model import Condition
from cicada.planning.deterministic.constraints.reading import read_constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.lexicon import Lexicon
from cicada.planning.deterministic.residue import is_filler, residue
from cicada.planning.deterministic.sentence import Sentence, sentence_of

_MOST_WORDS = 9
_OPENERS = word_set("and or but only just also now")
_THOSE = word_set("those these them")
_QUESTIONS = word_set("how why who whom whose when where what which is are was were does do did can could must should")
_SINGULAR = word_set("it its he his him she her")


class Refinement(Struct, frozen=True):
    """What the message adds. `loose_date`: the field of a period without a verb ("and next year?"), if it has one."""

    conditions: tuple[Condition, ...]
    search_value: str
    loose_date: str | None = None


def refinement(message: str, lexicon: Lexicon, now: date, asker: str) -> Refinement | None:
    """What a message that cannot stand alone adds to the one before; None if it can, or if it adds nothing."""
    whole = sentence_of(message, lexicon, now)
    start = _start(whole)
    if start is None:
        return None
    sentence = sentence_of(message[whole.tokens[start].start :], lexicon, now) if start else whole
    found = read_constraints(sentence, now, asker)
    if found.unknown or found.lacks_asker:
        return None
    rest = [at for at in residue(sentence, found) if not is_filler(sentence, at) and not sentence.is_in(at, "pronouns")]
    conditions = found.conditions.all()
    if not conditions and not rest:
        return None
    has_cue = any(sentence.date_cue(at)[0] > at for at in range(len(sentence)))
    return Refinement(
        conditions,
        " ".join(sentence.tokens[at].raw for at in rest),
        None if has_cue or lexicon.date not in found.conditions.ranges else lexicon.date,
    )


def is_reply(message: str, lexicon: Lexicon, now: date) -> bool:
    """Whether the message is no question or request of its own, so that it may answer one."""
    sentence = sentence_of(message, lexicon, now)
    words = [word for word in sentence.words() if word[0].isalnum()]
    if not 0 < len(words) <= _MOST_WORDS or words[0] in _QUESTIONS or "?" in sentence.words():
        return False
    return not sentence.is_in(0, "listing", "reading_verbs", "actions")


def _start(sentence: Sentence) -> int | None:
    """Where the message begins behind its opening words; None if it refers to nothing before it."""
    words = sentence.words()
    if not 0 < sum(word[0].isalnum() for word in words) <= _MOST_WORDS or not _SINGULAR.isdisjoint(words):
        return None
    if any(pair[0] == "of" and pair[1] in _THOSE for pair in pairwise(words)):
        return 0
    start = sentence.phrase_end(0, sentence.english.phrases["elliptic_openers"])
    start = start or sentence.skip(0, _OPENERS)
    start -= bool(start) and sentence.word(start - 1) in {*_THOSE, "the", "in"}
    if not start and words[0] not in _THOSE and "ones" not in words:
        return None
    return None if start >= len(sentence) or not _QUESTIONS.isdisjoint(words[start:]) else start
