"""What a message has beside conditions and grammar: the words that the documents are searched for."""

from __future__ import annotations

from itertools import pairwise

from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.sentence import Sentence
from cicada.understanding.tokens import SENTENCE_ENDS

_ASIDE_OPENERS = word_set("i we my as sorry hi hello thanks nothing")


def residue(sentence: Sentence, found: Constraints) -> list[int]:
    """The positions of words that are neither conditions nor grammar: what the documents are searched for."""
    aside = _asides(sentence, found)
    rest = [at for at in range(len(sentence)) if at not in found.used | aside and _is_content(sentence, at)]
    return [at for at in rest if not _links_owner(sentence, found, at)]


def _asides(sentence: Sentence, found: Constraints) -> set[int]:
    """Why the user asks, not what: "I'm new here - …", "for my meeting tomorrow"."""
    if not found.phrases:
        return set()
    cuts = [at for at in range(len(sentence)) if sentence.word(at) in SENTENCE_ENDS | {",", "-", ":"}]
    bounds = [-1, *cuts, len(sentence)]
    aside: set[int] = set()
    for start, end in pairwise(bounds):
        inside = range(start + 1, end)
        asks = any(phrase.head in inside for phrase in found.phrases)
        if not asks and sentence.word(start + 1) in _ASIDE_OPENERS:
            aside.update(inside)
        for at in inside:
            if (
                sentence.word(at) == "for"
                and sentence.word(at + 1) in {"my", "tomorrow", "today", "an", "the"}
                and (any(sentence.is_in(i, "occasions") for i in range(at, min(at + 6, end))))
            ):
                aside.update(range(at, min(at + 6, end)))
    return aside


def _links_owner(sentence: Sentence, found: Constraints, at: int) -> bool:
    """The verb between documents and their owner: "which protocols did Ben Okafor write"."""
    if not sentence.is_in(at, "belonging_verbs"):
        return False
    return any(i in found.used and i in sentence.taken for i in range(at - 2, at + 3))


def _is_content(sentence: Sentence, at: int) -> bool:
    if not sentence.word(at)[0].isalnum():
        return False
    if at in sentence.taken:
        return True
    return not sentence.is_in(at, "function", "determiners", "adverbs", "listing", "metadata", "politeness")


def is_filler(sentence: Sentence, at: int) -> bool:
    """A word that says nothing of a subject: "lying around", a number, "released" at the end."""
    dated = sentence.phrase_end(at, sentence.english.phrases["any_date_cues"]) > at and sentence.ends_clause(at + 1)
    return dated or sentence.word(at).isdigit() or sentence.is_in(at, "filler")


def without_fields(sentence: Sentence, rest: list[int]) -> list[int]:
    return [at for at in rest if not sentence.names_field(at)]


def named_fields(sentence: Sentence, found: Constraints) -> list[str]:
    """The fields that the message names and does not constrain, in order."""
    names: list[str] = []
    for at in range(len(sentence)):
        end, fields = sentence.field_word(at)
        if end > at and at not in found.used and at not in sentence.taken:
            names.extend(sorted(fields - set(names)))
    return names
