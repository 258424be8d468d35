"""The spans of a prompt's passages that are nearest to a question, and the chance that the passages answer it.

WEIGHTS come from multinomial logistic regression over the spans of 60 questions that one author asked of the samples,
and ANSWERED from logistic regression over 206 questions that the passages answer, the same without the passages that
do, and 94 that are near to the texts and that nothing answers, of plays, a store and an encyclopedia
(`tools/fitting/stand_in_answers.py`). Their accuracy: docs/figures/stand-in-answers.json.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, spans_of
from local.bedrock.words import Rarity, stem, terms, words

# Similarity; the share of rare words that the span has, it and its neighbours, it and its heading; the passage's rank;
# whether its speaker is asked for, its length, whether it is a row of a table.
WEIGHTS = np.array([3.8, 1.54, 1.49, 2.19, 1.51, 0.91, 0.91, 1.61], dtype=np.float32)
# A constant, the best score, the similarity of the span that has it.
ANSWERED = np.array([-4.42, 0.24, 4.41])
_BEFORE = re.compile(r"\(([^()]+)\)$")  # the question that this one goes on from
CONTEXT_WORDS = 40  # a shorter speech is embedded with the end of the one before it and the start of the next
EMBEDDED = 64  # only the best by the other features are embedded: embedding takes most of an answer's time
_COLUMNS = re.compile(r"\bcolumns?\b|\bfields?\b", re.IGNORECASE)
_TELLS_COLUMNS = re.compile(r"[0-9,]+ rows? with the columns .*\.")


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
    if not _COLUMNS.search(question):
        # Which columns a table has answers nothing that its rows do not.
        spans = [span for span in spans if not _TELLS_COLUMNS.fullmatch(span.text)] or spans
    if not spans:
        return Nearest((), (), np.zeros((0, len(WEIGHTS)), np.float32), np.zeros(len(ANSWERED), np.float32))
    features = _features(question, spans)
    shortlist = np.argsort(-(features @ WEIGHTS), kind="stable")[:EMBEDDED]
    asked = [question, *_BEFORE.findall(question)]
    vectors = embedder.embed([*asked, *(_in_context(spans, int(position)) for position in shortlist)]).unit()
    nearness = vectors[len(asked) :] @ vectors[: len(asked)].T
    features = features[shortlist]
    features[:, 0] = nearness[:, 0]
    scores = features @ WEIGHTS
    order = np.argsort(-scores, kind="stable")
    ranked = zip(map(int, shortlist[order]), map(float, scores[order]), strict=True)
    # What answers the question before answers what goes on from it too: "And a minor one?" is near to nothing.
    signals = np.array([1.0, scores.max(), nearness[order[0]].max()], np.float32)
    return Nearest(tuple(spans), tuple(ranked), features[order], signals)


def _features(question: str, spans: Sequence[Span]) -> Vectors:
    """One row a span, as WEIGHTS has its columns; the similarity is 0, because it is not known yet."""
    asked = dict.fromkeys(terms(question))
    own = [_terms(span) for span in spans]
    rarity = Rarity(own)
    total = rarity.total(asked) or 1.0

    def shared(present: frozenset[str]) -> float:
        return rarity.total(term for term in asked if term in present) / total

    rows = [
        (
            0.0,
            shared(own[at]),
            shared(frozenset().union(*(own[other] for other in _window(spans, at)))),
            shared(own[at].union(terms(span.passage.heading))),
            1 / span.rank,
            speaker,
            math.log(len(span.text.split()) + 1),
            span.is_row,
        )
        for at, (span, speaker) in enumerate(zip(spans, _speaker_asked_for(question, spans), strict=True))
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
