"""The spans of a prompt's passages that are nearest to a question, and the chance that the passages answer it.

WEIGHTS come from multinomial logistic regression over the spans of 324 questions and follow-ups that five authors
asked of the samples, and ANSWERED from logistic regression over 221 questions, 131 of which the passages do not answer:
of 72 the passage that does was taken away (`tools/fitting/stand_in_answers.py`). Their accuracy, and that on the
questions of other authors: docs/figures/stand-in-answers.json.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.kinds import answers_to
from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, spans_of
from local.bedrock.words import Rarity, stem, terms, words

# Similarity to the message, and to the question that it goes on from; the shares of the message's rare words that the
# span has, those of both that it and its heading have, and of the message's words that are not in the heading that it
# has; the passage's rank; whether its speaker is asked for, its length, whether it is a row of a table; the kinds of
# `answers_to`.
WEIGHTS = np.array([1.45, 1.23, 1.43, 1.45, 1.8, 1.58, 0.32, 0.49, 0.17, 1.0, 0.6, 0.88, 0.44], dtype=np.float32)
# A constant, the best score, the best similarity, how many spans were compared (their logarithm).
ANSWERED = np.array([-6.27, 0.46, 7.2, -0.33])
_BEFORE = re.compile(r"\(([^()]+)\)$")  # the question that this one goes on from
CONTEXT_WORDS = 40  # a shorter speech is embedded with the end of the one before it and the start of the next
EMBEDDED = 64  # only the best by the other features are embedded: embedding takes most of an answer's time


@dataclass(frozen=True, slots=True)
class Nearest:
    """`spans` in the passages' order; `ranked`: positions of the best and their scores, best first.

    `features`: what they score by, one row each. `signals`: what the passages' `chance` to answer is computed from.
    """

    spans: tuple[Span, ...]
    ranked: tuple[tuple[int, float], ...]
    features: Vectors
    signals: Vectors

    @property
    def chance(self) -> float:
        return float(1 / (1 + np.exp(-self.signals @ ANSWERED)))

    def reply_to(self, position: int) -> int | None:
        """The position of the next span in the same passage that is no stage direction."""
        after = (at for at in range(position + 1, len(self.spans)) if not self.spans[at].is_stage)
        reply = next(after, None)
        return reply if reply is not None and self.spans[reply].passage is self.spans[position].passage else None


def nearest(question: str, passages: Sequence[Passage], embedder: Embedder, conditions: str = "") -> Nearest:
    """What is asked of documents that meet the conditions is the question without the words of these.

    Raises EmbedderUnavailableError.
    """
    met = frozenset(terms(conditions))
    question = " ".join(word for word in question.split() if met.isdisjoint(terms(word)))
    spans = spans_of(passages)
    if not spans:
        return Nearest((), (), np.zeros((0, len(WEIGHTS)), np.float32), np.zeros(len(ANSWERED), np.float32))
    features = _features(question, spans)
    shortlist = np.argsort(-(features @ WEIGHTS), kind="stable")[:EMBEDDED]
    asked = [question, *_BEFORE.findall(question)]
    vectors = embedder.embed([*asked, *(_in_context(spans, int(position)) for position in shortlist)]).unit()
    nearness = vectors[len(asked) :] @ vectors[: len(asked)].T
    features = features[shortlist]
    features[:, :2] = nearness[:, [0, -1]]
    scores = features @ WEIGHTS
    order = np.argsort(-scores, kind="stable")
    ranked = zip(map(int, shortlist[order]), map(float, scores[order]), strict=True)
    # What answers the question before answers what goes on from it too: "And a minor one?" is near to nothing.
    signals = np.array([1.0, scores.max(), nearness.max(), math.log(len(scores))], np.float32)
    return Nearest(tuple(spans), tuple(ranked), features[order], signals)


def _features(question: str, spans: Sequence[Span]) -> Vectors:
    """One row a span, as WEIGHTS has its columns; the similarities are 0, because they are not known yet."""
    asked = dict.fromkeys(terms(question))
    message = dict.fromkeys(terms(_BEFORE.sub("", question))) or asked
    own = [_terms(span) for span in spans]
    rarity = Rarity(own)

    def shared(wanted: Iterable[str], present: frozenset[str]) -> float:
        rare = rarity.total(wanted := list(wanted))
        return rarity.total(term for term in wanted if term in present) / rare if rare else 0.0

    answers = answers_to(_BEFORE.sub("", question), " ".join(_BEFORE.findall(question)))
    headings = {span.passage.heading: frozenset(terms(span.passage.heading)) for span in spans}
    rows = [
        (
            *(0.0, 0.0),
            shared(message, present),
            shared(asked, present | headings[span.passage.heading]),
            shared((term for term in message if term not in headings[span.passage.heading]), present),
            1 / span.rank,
            speaker,
            math.log(len(span.text.split()) + 1),
            span.is_row,
            *(bool(answer and answer.search(span.meaning)) for answer in answers),
        )
        for span, present, speaker in zip(spans, own, _speaker_asked_for(question, spans), strict=True)
    ]
    return np.array(rows, dtype=np.float32)


def _terms(span: Span) -> frozenset[str]:
    return frozenset((*terms(span.meaning), *map(stem, words(span.speaker))))


def _speaker_asked_for(question: str, spans: Sequence[Span]) -> list[float]:
    """1 for lines of the speaker that the question names first, -1 if it asks who says or does it."""
    names = [frozenset(map(stem, words(span.speaker))) for span in spans]
    named = next((term for term in terms(question) if any(term in name for name in names)), None)
    sign = -1.0 if words(question)[:1] == ["who"] else 1.0
    return [sign if named in name else 0.0 for name in names]


def _window(spans: Sequence[Span], position: int) -> list[int]:
    """The positions of a span and of those beside it in the same passage."""
    around = range(max(0, position - 1), min(len(spans), position + 2))
    return [other for other in around if spans[other].passage is spans[position].passage]


def _in_context(spans: Sequence[Span], position: int) -> str:
    """A span's text for embedding: a sentence with its heading, or a speech with its speaker and its neighbours."""
    span, window = spans[position], _window(spans, position)
    if not any(line.speaker for line in span.passage.lines):
        return f"{span.passage.section}: {span.meaning}"
    spare = max(0, CONTEXT_WORDS - len(span.text.split())) // 2
    before = spans[position - 1].text.split()[-spare:] if spare and position - 1 in window else []
    after = spans[position + 1].text.split()[:spare] if spare and position + 1 in window else []
    spoken = f"{span.speaker}: {span.text}" if span.speaker else span.text
    return " ".join([*before, spoken, *after])
