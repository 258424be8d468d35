"""The local reranker: retriever scores, and relevance feedback from the first passage (docs/retrieval.md).

Weights and calibration were chosen on scifact, cranfield and mtrag-clapnq; that page has the results on a set that had
no part in choosing them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, mul, sub

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey, Passage
from cicada.knowledge_bases.calibrations import LOCAL, SHIPPED, Cosines
from cicada.retrieval.fusion import logistic, retriever_scales, scale
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking, Vector
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.quality import content_words, passage_stems

# The weight of a z-score; each retriever has weight 1.
FEEDBACK_WEIGHT = 1.5
# A lead of one has the weight of so many z-scores. It is what a BM25 score is above so many times the fifth best.
LEAD_WEIGHT, _LEAD_FROM, _FIFTH = 4.0, 1.25, 4
# A quoted passage leads by more than this, and has so many and so large a share of the question's content words.
_QUOTED_FROM, _QUOTED_WORDS, _QUOTED_SHARE = 0.25, 3, 2 / 3


class Signals(Struct, frozen=True):
    """The inputs of a passage's relevance. `quoted`: the question has the passage's own words."""

    score: float
    cosine: float
    quoted: bool = False


class RelevanceMap(Struct, frozen=True):
    """Relevance = logistic(constant + score · its score + cosine · its cosine), at least .5 for a quoted passage.

    The score is relative to the other candidates; the cosine measures nearness to the question. With few candidates the
    scores say little: the first passage then gets the score `typical`, which is usual for the first passage of a full
    pool.
    """

    constant: float
    score: float
    cosine: float
    typical: float

    def relevances(self, signals: Sequence[Signals], candidate_count: int) -> list[float]:
        """Relevances of passages in their final order; they never rise. `candidate_count`: all candidates."""
        fullness = min(1.0, candidate_count / FULL_CANDIDATES)
        shift = (1 - fullness) * (self.typical - signals[0].score) if signals else 0.0
        return [logistic(each) for each in falling([self._logit(each, shift) for each in signals])]

    def with_cosines(self, cosines: Cosines | None) -> RelevanceMap:
        """The map for another embedder, whose cosines are moved to this one's scale by two points.

        None where they are not known: the cosine then counts for nothing, and every passage passes for less near than
        usual.
        """
        if cosines is None:
            return replace(self, constant=self.constant + self.cosine * _UNKNOWN, cosine=0.0)
        usual = SHIPPED.cosines or cosines
        ratio = (usual.best - usual.distant) / (cosines.best - cosines.distant)
        moved = usual.distant - cosines.distant * ratio
        return replace(self, constant=self.constant + self.cosine * moved, cosine=self.cosine * ratio)

    def _logit(self, signals: Signals, shift: float) -> float:
        computed = self.constant + self.score * (signals.score + shift) + self.cosine * signals.cosine
        return max(computed, 0.0) if signals.quoted else computed


# Candidates in a full pool: as many as one retriever returns.
FULL_CANDIDATES = 100
# The cosine of every passage where the embedder's usual ones are not known.
_UNKNOWN = 0.35
# The map for cosines of all-MiniLM-L6-v2. `python -m tools.fitting.confidence` fits it again.
RELEVANCE_MAP = RelevanceMap(-6.21, 0.263, 6.59, 12.9)


RankedSignals = Sequence[tuple[Candidate, Signals]]
"""The first candidates in their new order, with the signals that their relevance is computed from."""


def _shipped(_: KnowledgeBaseKey) -> RelevanceMap:
    return RELEVANCE_MAP


class LocalReranker(Struct, frozen=True):
    """Reranks the first `depth` candidates; the others follow in their given order.

    `relevance`: the map for the embedder of a base.
    """

    index: PassageIndex
    depth: int = 50
    relevance: Callable[[KnowledgeBaseKey], RelevanceMap] = _shipped

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        if not candidates:
            return Ranking((), LOCAL)
        found = self.signals(query, candidates)
        ranked = [*found, *_behind(found, candidates, self.depth)]
        in_base = self.relevance(candidates[0].passage.document.base_key)
        relevances = in_base.relevances([signals for _, signals in ranked], len(candidates))
        passages = (RankedPassage(each.passage, value) for (each, _), value in zip(ranked, relevances, strict=True))
        return Ranking(tuple(passages), LOCAL)

    def signals(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> RankedSignals:
        """The candidates up to the depth, ranked; at least one must be given."""
        head = candidates[: self.depth]
        ids = [each.passage.passage_id for each in head]
        found = self.index.vectors_of(head[0].passage.document.base_key, ids)
        vectors = [found.get(each) for each in ids]
        ahead = leads(candidates)[: self.depth]
        of_leads = [LEAD_WEIGHT * lead for lead in ahead]
        scores = with_feedback(list(map(add, retriever_scores(candidates), of_leads)), query.vector, vectors)
        order = sorted(range(len(head)), key=lambda place: -scores[place])
        are_quoted = [quoted(query.text, each.passage, lead) for each, lead in zip(head, ahead, strict=True)]
        # The lead orders passages, but a rare word alone makes none relevant.
        without_leads = map(sub, scores, of_leads)
        values = list(map(Signals, without_leads, cosines(query.vector, candidates, vectors), are_quoted))
        return [(head[place], values[place]) for place in order]


def _behind(found: RankedSignals, candidates: Sequence[Candidate], depth: int) -> RankedSignals:
    """The candidates beyond the depth, scored below the last ranked one by their difference in retriever scores."""
    rest = candidates[depth:]
    if not rest:
        return []
    hits = retriever_scores(candidates)[depth:]
    lowest = found[-1][1].score - max(hits)
    nearness = cosines((), candidates, ())[depth:]
    return [
        (each, Signals(lowest + retriever, cosine))
        for each, retriever, cosine in zip(rest, hits, nearness, strict=True)
    ]


def falling(values: Sequence[float]) -> list[float]:
    """The nearest non-increasing values: each rising run is replaced by its mean.

    Source: the pool-adjacent-violators algorithm; Barlow et al., Statistical Inference under Order Restrictions, 1972.
    """
    runs: list[tuple[float, int]] = []
    for value in values:
        mean, count = value, 1
        while runs and runs[-1][0] < mean:
            before, many = runs.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        runs.append((mean, count))
    return [mean for mean, count in runs for _ in range(count)]


def retriever_scores(candidates: Sequence[Candidate]) -> list[float]:
    """The sum of both retrievers' z-scores. `candidates`: the whole pool, from which the scales are computed."""
    words, meaning = retriever_scales(
        [each.lexical for each in candidates if each.lexical is not None],
        [each.semantic for each in candidates if each.semantic is not None],
    )
    return [words.z(each.lexical) + meaning.z(each.semantic) for each in candidates]


def leads(candidates: Sequence[Candidate]) -> list[float]:
    """How far each passage's BM25 score is ahead of the others, in scores of the fifth best passage; 0 for nearly all.

    The question quotes such a passage. By z-scores alone, passages that merely mean the like would pass it.
    """
    scores = [each.lexical or 0.0 for each in candidates]
    fifth = sorted(scores, reverse=True)[_FIFTH] if len(scores) > _FIFTH else 0.0
    return [max(0.0, score / fifth - _LEAD_FROM) if fifth else 0.0 for score in scores]


def quoted(question: str, passage: Passage, lead: float) -> bool:
    """Whether a question has a passage's own words: that leads, and has most of the question's content words."""
    if lead <= _QUOTED_FROM:
        return False
    asked = content_words(question, passage.language)
    had = len(passage_stems(passage).intersection(asked))
    return had >= max(_QUOTED_WORDS, _QUOTED_SHARE * len(asked))


def with_feedback(scores: Sequence[float], query: Vector, vectors: Sequence[Vector | None]) -> list[float]:
    """The scores plus the weighted z-score of the cosine to the question moved half-way to the first passage.

    Only the first passage of the order so far is taken as relevant. Source: Rocchio, Relevance feedback in information
    retrieval, 1971. A passage without a vector gets the lowest cosine.
    """
    first = vectors[max(range(len(scores)), key=scores.__getitem__)] if scores else None
    if first is None:
        return list(scores)
    moved = [a + b for a, b in zip(query, first, strict=True)]
    # Not normalised: its length does not change a z-score.
    likeness = [None if vector is None else dot(moved, vector) for vector in vectors]
    spread = scale([each for each in likeness if each is not None])
    return [score + FEEDBACK_WEIGHT * spread.z(each) for score, each in zip(scores, likeness, strict=True)]


def cosines(query: Vector, candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> list[float]:
    """Each candidate's cosine to the question: the index's, else computed from its vector, else the index's lowest.

    `vectors`: unit vectors of the first candidates; None for a missing one.
    """
    floor = min((each.semantic for each in candidates if each.semantic is not None), default=0.0)
    found = [each.semantic for each in candidates]
    for place, vector in enumerate(vectors):
        if found[place] is None and vector is not None:
            found[place] = dot(query, vector)
    return [floor if each is None else each for each in found]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))
