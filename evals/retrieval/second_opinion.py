"""What a paid reranker would cost, and could gain, if it is asked only where the first ranking is unsure."""

from collections.abc import Mapping
from dataclasses import dataclass

from cicada.adapters.bedrock.reranker import BILLED_DOCUMENTS
from cicada.retrieval.model import Retrieval
from cicada.retrieval.rerank.conditional import is_unsure
from evals.retrieval.dataset import Judgements
from evals.retrieval.measures import Rankings, Scores, scores_of

MEASURE = "ndcg@10"
# Dollars for 1,000 questions, each with the 100 documents that are billed as one; November 2026.
# https://aws.amazon.com/bedrock/pricing/
PRICES = {"amazon": 1.0, "cohere": 2.0}


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """`asked`: the share of the questions that are put to the paid reranker.

    `gain`: what a perfect order of the candidates would add to the mean nDCG@10 if every question were asked. `held`:
    the share of it that the asked questions hold. `most`: the share that as many questions could hold at most.
    """

    asked: float
    gain: float
    held: float
    most: float

    @property
    def dollars(self) -> dict[str, float]:
        """The price of a thousand turns that search, by vendor."""
        return {vendor: price * self.asked for vendor, price in PRICES.items()}


def second_opinion(
    retrievals: Mapping[str, Retrieval], fused: Rankings, final: Scores, judgements: Judgements
) -> SecondOpinion:
    """Ask the production rule about each query. `fused`: the candidates; `final`: the scores of the first ranking."""
    gains = gains_of(fused, final, judgements)
    asked = [gain for query, gain in gains.items() if is_unsure(retrievals[query].candidates, retrievals[query].ranked)]
    total, count = sum(gains.values()), len(gains)
    largest = sorted(gains.values(), reverse=True)[: len(asked)]
    return SecondOpinion(len(asked) / count, total / count, _share(sum(asked), total), _share(sum(largest), total))


def gains_of(fused: Rankings, final: Scores, judgements: Judgements) -> dict[str, float]:
    """What a perfect order of each query's candidates would add to its nDCG@10."""
    perfect = scores_of(_best_orders(fused, judgements), judgements)[MEASURE]
    return {query: perfect[query] - final[MEASURE][query] for query in judgements}


def _best_orders(fused: Rankings, judgements: Judgements) -> dict[str, list[str]]:
    """The candidates that the paid reranker would be given, by their grades."""
    return {
        query: sorted(ranking[:BILLED_DOCUMENTS], key=lambda passage: -judgements[query].get(passage, 0))
        for query, ranking in fused.items()
    }


def _share(part: float, total: float) -> float:
    return part / total if total > 0 else 0.0
