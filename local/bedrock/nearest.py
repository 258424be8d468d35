"""The spans of a prompt's passages that are nearest to a question, by embedding similarity and shared words.

The weights come from multinomial logistic regression over the spans of 76 questions that two plays answer, rounded.
The answers' accuracy, on these questions and on others: docs/figures/stand-in-answers.json.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, spans_of
from local.bedrock.words import Rarity, stem, terms, words

SIMILARITY, WORDS, NEIGHBOURS_WORDS, RANK, SPEAKER = 3.5, 4.0, 2.5, 2.0, 1.5
MISSING = 0.6  # the similarity that a question loses if it has no word in common with the passages
CONTEXT_WORDS = 40  # a shorter span is embedded with the end of the one before it and the start of the next
SAID = stem("say")
EMBEDDED = 32  # only the best by words and rank are embedded: embedding takes most of an answer's time


@dataclass(frozen=True, slots=True)
class Nearest:
    """`spans` in the passages' order; `ranked`: positions of the best and their scores, best first.

    `nearness`: the best cosine similarity to the question, less a penalty for its words that the passages lack.
    """

    spans: tuple[Span, ...]
    ranked: tuple[tuple[int, float], ...]
    nearness: float

    def reply_to(self, position: int) -> int | None:
        """The position of the span after this one in the same passage."""
        return position + 1 if position + 1 in _window(self.spans, position) else None


def nearest(question: str, passages: Sequence[Passage], embedder: Embedder, conditions: str = "") -> Nearest:
    """What is asked of documents that meet the conditions is the question without the words of these.

    Raises EmbedderUnavailableError.
    """
    question = _without(question, frozenset(terms(conditions)))
    spans = spans_of(passages)
    if not spans:
        return Nearest((), (), 0.0)
    found = [frozenset((*terms(span.text), *map(stem, words(span.speaker)))) for span in spans]
    scores = _without_similarity(question, spans, found)
    shortlist = np.argsort(-scores, kind="stable")[:EMBEDDED]
    vectors = embedder.embed([question, *(_in_context(spans, int(position)) for position in shortlist)]).unit()
    similarities = vectors[1:] @ vectors[0]
    scores = scores[shortlist] + SIMILARITY * similarities
    order = np.argsort(-scores, kind="stable")
    ranked = zip(map(int, shortlist[order]), map(float, scores[order]), strict=True)
    present = frozenset().union(*found, *(terms(passage.heading) for passage in passages))
    if not any(span.speaker for span in spans):
        # Whatever stands in a text without speakers, the text says.
        present |= {SAID}
    nearness = float(similarities.max()) - MISSING * _missing_share(question, present)
    return Nearest(tuple(spans), tuple(ranked), nearness)


def _without(question: str, met: frozenset[str]) -> str:
    return " ".join(word for word in question.split() if met.isdisjoint(terms(word)))


def _without_similarity(question: str, spans: Sequence[Span], found: Sequence[frozenset[str]]) -> Vectors:
    """A score for each span without embeddings.

    It counts rare shared words (its own and its neighbours'), its passage's rank and its speaker.
    """
    asked = dict.fromkeys(terms(question))
    rarity = Rarity(found)
    total = rarity.total(asked) or 1.0

    def shared(present: frozenset[str]) -> float:
        return rarity.total(term for term in asked if term in present) / total

    near = [frozenset().union(*(found[other] for other in _window(spans, position))) for position in range(len(spans))]
    scores = [
        WORDS * shared(own) + NEIGHBOURS_WORDS * shared(around) + RANK / span.rank
        for span, own, around in zip(spans, found, near, strict=True)
    ]
    return np.asarray(scores + SPEAKER * _speaker_asked_for(question, spans), dtype=np.float32)


def _speaker_asked_for(question: str, spans: Sequence[Span]) -> Vectors:
    """1 for lines of the speaker that the question names first, -1 if it asks who says or does it."""
    names = [frozenset(map(stem, words(span.speaker))) for span in spans]
    named = next((term for term in terms(question) if any(term in name for name in names)), None)
    sign = -1.0 if words(question)[:1] == ["who"] else 1.0
    return np.array([sign if named in name else 0.0 for name in names])


def _window(spans: Sequence[Span], position: int) -> list[int]:
    """The positions of a span and of those beside it in the same passage."""
    around = range(max(0, position - 1), min(len(spans), position + 2))
    return [other for other in around if spans[other].passage is spans[position].passage]


def _in_context(spans: Sequence[Span], position: int) -> str:
    """A span's text for embedding: with its speaker, and for a short span with the text before and after."""
    span, window = spans[position], _window(spans, position)
    spare = max(0, CONTEXT_WORDS - len(span.text.split())) // 2
    before = spans[position - 1].text.split()[-spare:] if spare and position - 1 in window else []
    after = spans[position + 1].text.split()[:spare] if spare and position + 1 in window else []
    spoken = f"{span.speaker}: {span.text}" if span.speaker else span.text
    return " ".join([*before, spoken, *after])


def _missing_share(question: str, present: frozenset[str]) -> float:
    """The share of the question's words that are absent."""
    asked = dict.fromkeys(terms(question))
    return sum(term not in present for term in asked) / len(asked) if asked else 1.0
