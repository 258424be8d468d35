"""Whether the first ranking of a search is unsure: a paid reranker has most to gain there (docs/reranking.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from cicada.knowledge_bases.calibrations import Standard
from cicada.retrieval.model import Candidate, RankedPassage
from cicada.retrieval.quality import deviations

# The best BM25 score is compared with that of the tenth hit.
_TENTH = 9


class Signals(NamedTuple):
    """What tells unsure rankings from sure ones; None where the search cannot say.

    `fall`: by which share the tenth BM25 score is below the best; 1 if fewer passages have a word of the question.
    `relevance`: that of the first passage. `place`: logarithm of the first passage's place in the retriever that ranks
    it lower.
    """

    fall: float | None
    relevance: float | None
    place: float | None


class Standards(NamedTuple):
    """The standard of each signal of `Signals`, in the same order."""

    fall: Standard
    relevance: Standard
    place: Standard


# Fitted by `python -m tools.fitting.doubt`; the weights are not, as those of the evidence's quality are not.
STANDARDS = Standards(Standard(0.455, 0.174), Standard(0.75, 0.185), Standard(0.734, 0.775))
UNSURE = 1.07
# A steep fall and a high relevance are sure, and a place further down is not.
_WEIGHTS = (-1, -1, 1)


def is_unsure(candidates: Sequence[Candidate], ranked: Sequence[RankedPassage]) -> bool:
    """Whether the ranking is less sure than two of three on the sets that the constants were fitted on."""
    return doubt(signals(candidates, ranked)) > UNSURE


def doubt(found: Signals, standards: Standards = STANDARDS) -> float:
    """The sum of the signals' points."""
    return math.fsum(map(_points, _WEIGHTS, found, standards))


def _points(weight: int, value: float | None, standard: Standard) -> float:
    return weight * deviations(value, standard)


def signals(candidates: Sequence[Candidate], ranked: Sequence[RankedPassage]) -> Signals:
    """The signals of a ranking of these candidates."""
    if not ranked:
        return Signals(None, None, None)
    first = next(each for each in candidates if each.passage == ranked[0].passage)
    lexical = sorted((each.lexical for each in candidates if each.lexical is not None), reverse=True)
    semantic = [each.semantic for each in candidates if each.semantic is not None]
    tenth = lexical[_TENTH] if len(lexical) > _TENTH else 0.0
    return Signals(
        fall=1 - tenth / lexical[0] if lexical and lexical[0] > 0 else None,
        relevance=ranked[0].relevance,
        place=math.log(max(_place(first.lexical, lexical), _place(first.semantic, semantic))),
    )


def _place(score: float | None, scores: Sequence[float]) -> int:
    """The place of a hit in its retriever, from 1; behind all hits for a passage that is none."""
    return 1 + (len(scores) if score is None else sum(other > score for other in scores))
