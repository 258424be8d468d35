"""Checks the sentences of an answer against the passages that they cite, by counting and without a model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from cicada.grounding.sentences import Sentence, sentences_of
from cicada.grounding.signals import Evidence, read, signals
from cicada.grounding.words import Word, words_of
from cicada.languages.terms import STOP_WORDS, language_of, stemmed_language, stop_words

# What shows the language of passages.
_READ_FOR_LANGUAGE = 2_000
# Of the words of a claim at most these shares stand beside other words than in the evidence: it is worded like that and
# has to agree with it to the word; or it is the same, but for who says it.
_ALIKE, _SAME = 0.2, 0.1
# In logits: what a claim gains that is the same, and what one that is alike loses by each difference.
_WORD_FOR_WORD, _DIFFERENCE = 4.0, 2.0


class Reason(StrEnum):
    """Why a sentence is unsupported: what in it the passages have not, or that it has none."""

    NUMBER = "number"
    NAME = "name"
    NEGATION = "negation"
    WORDS = "words"
    NO_PASSAGE = "no_passage"


class Unsupported(Struct, frozen=True):
    """A sentence that its passages do not carry. `start`, `end`: in characters of the answer's text."""

    start: int
    end: int
    reason: Reason


class Checked(Struct, frozen=True):
    """`sentences`: how many were checked."""

    sentences: int = 0
    unsupported: tuple[Unsupported, ...] = ()


class Weights(Struct, frozen=True):
    """A logistic function of the signals. Below `threshold` a claim is unsupported."""

    bias: float
    threshold: float
    of: Mapping[str, float]


@cache
def packaged_weights() -> Weights:
    """The weights that come with CICADA; `tools/grounding` has learnt them."""
    data = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return Weights(data["bias"], data["threshold"], data["of"])


class Claim(Struct, frozen=True):
    """A sentence whose numbers, names and negations its passages have. `passages`: their texts, `words`: its own."""

    text: str
    passages: tuple[str, ...]
    words: Sequence[Word]
    evidence: Evidence


class Judge(Protocol):
    """Says of each claim whether its passages carry it, where comparing numbers, names and negations does not tell."""

    def __call__(self, question: str, claims: Sequence[Claim], /) -> Sequence[bool]: ...


def by_counting(_: str, claims: Sequence[Claim]) -> Sequence[bool]:
    """Whether each claim has words enough of its passages, by the learnt weights."""
    least = packaged_weights().threshold
    return [_logit(each.words, each.evidence) >= least for each in claims]


def check(
    answer: str,
    passages: Mapping[int, str],
    known: Sequence[str] = (),
    *,
    cited_only: bool = False,
    question: str = "",
    judge: Judge = by_counting,
) -> Checked:
    """Hold each sentence that claims something against the passages that it cites, by their numbers.

    A sentence without a citation is held against all passages, or with `cited_only` not at all. `known`: what holds for
    all passages. `question`: what was asked, for the judge.
    """
    sentences = [each for each in sentences_of(answer) if each.claims and (each.cited or not cited_only)]
    said, written = language_of(answer), language_of(" ".join(passages.values())[:_READ_FOR_LANGUAGE])
    is_translated = bool(said and written and said != written)
    stopped = STOP_WORDS | stop_words(stemmed_language(written))
    claims = dict(zip(sentences, _claims(sentences, passages, known, stopped), strict=True))
    found = {each: _reason(claim, is_translated=is_translated) for each, claim in claims.items()}
    doubtful = [] if is_translated else [each for each in sentences if not found[each]]
    carried = judge(question, [claims[each] for each in doubtful]) if doubtful else ()
    found |= {each: None if holds else Reason.WORDS for each, holds in zip(doubtful, carried, strict=True)}
    unsupported = (Unsupported(each.start, each.end, reason) for each, reason in found.items() if reason)
    return Checked(len(sentences), tuple(unsupported))


def _claims(
    sentences: Sequence[Sentence], passages: Mapping[int, str], known: Sequence[str], stopped: frozenset[str]
) -> Iterator[Claim]:
    """What each sentence says, with what it cites: each passage is read once, and so are several cited together."""
    read_once = cache(read)
    evidence_of = cache(lambda texts: Evidence(map(read_once, texts), stopped))
    for sentence in sentences:
        cited = [text for number, text in passages.items() if number in sentence.cited or not sentence.cited]
        texts = (*cited, *known) if cited else ()
        yield Claim(sentence.text, texts, words_of(sentence.text), evidence_of(texts))


def _reason(claim: Claim, *, is_translated: bool) -> Reason | None:
    """What of the claim its evidence surely has not. Of a translation only the numbers can be compared."""
    words, evidence = claim.words, claim.evidence
    if not evidence.stems:
        return Reason.NO_PASSAGE
    if evidence.absent_figures(words):
        return Reason.NUMBER
    if is_translated:
        return None
    if evidence.turned(words) and exactness(words, evidence, signals(words, evidence)) < 0:
        return Reason.NEGATION
    return Reason.NAME if evidence.absent_names(words) else None


def support(claim: str, passages: Sequence[str]) -> float:
    """The probability, 0 to 1, that the passages support a text taken as one claim; 0 without passages."""
    evidence = Evidence(map(read, passages))
    words = claimed_words(claim)
    if not evidence.stems or not words:
        return 0.0
    return 1 / (1 + math.exp(-_logit(words, evidence)))


def claimed_words(text: str) -> list[Word]:
    """The words of a text's sentences, without their citations and bullets."""
    return [word for sentence in sentences_of(text) for word in words_of(sentence.text)]


def _logit(claim: Sequence[Word], evidence: Evidence) -> float:
    weights, found = packaged_weights(), signals(claim, evidence)
    total = weights.bias + sum(weight * found[name] for name, weight in weights.of.items())
    return total + exactness(claim, evidence, found)


def exactness(claim: Sequence[Word], evidence: Evidence, found: Mapping[str, float]) -> float:
    """What a claim gains or loses, in logits, that is worded as the evidence is; 0 for any other."""
    displaced = len(evidence.displaced(claim)) / len(claim)
    if displaced > _ALIKE:
        return 0.0
    if differences := evidence.differences(claim):
        return -_DIFFERENCE * differences
    return _WORD_FOR_WORD if displaced <= _SAME and found["absent"] <= 1 else 0.0
