"""When a paid reranker adds nothing: which questions would be skipped by rules on the retrievers' agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cicada.retrieval.model import Candidate, Retrieval
from cicada.retrieval.rerank.gated import MARGIN, retrievers_agree
from cicada.retrieval.rerank.scores import retriever_scores
from evals.figures.cells import bold, mean, percent, score, share
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.retrieval.dataset import Dataset
from evals.retrieval.measures import scores_of

SHIPPED = f"same first passage, lead ≥ {MARGIN:.0f} (`retrievers_agree`)"

Rule = Callable[[Retrieval], bool]


@dataclass(frozen=True, slots=True)
class Lead:
    """Both retrievers put the same passage first, and it leads by a margin in the sum of the z-scores."""

    margin: float

    def __call__(self, found: Retrieval) -> bool:
        if not _same_first(found):
            return False
        first, *rest = sorted(retriever_scores(found.candidates), reverse=True)
        return not rest or first - rest[0] >= self.margin


def _same_first(found: Retrieval) -> bool:
    firsts = [retriever[0].passage.passage_id for retriever in (found.hits.lexical, found.hits.semantic) if retriever]
    return len(firsts) == 2 and len(set(firsts)) == 1


def _three_of_five(found: Retrieval) -> bool:
    best = [
        {hit.passage.passage_id for hit in retriever[:5]} for retriever in (found.hits.lexical, found.hits.semantic)
    ]
    return len(best[0] & best[1]) >= 3


RULES: dict[str, Rule] = {
    "no rule: all questions": lambda _: True,
    "at least 3 of the retrievers' top 5 in common": _three_of_five,
    "same first passage": _same_first,
    "same first passage, lead ≥ 2": Lead(2),
    SHIPPED: lambda found: retrievers_agree(found.candidates),
    "same first passage, lead ≥ 4": Lead(4),
}


def rules(sets: Sets) -> Table:
    """For each rule: the share of the questions that it skips, and the share of these whose first passage is right."""
    rows = [[name, *(_cell(sets, each, rule) for each in TUNED_ON)] for name, rule in RULES.items()]
    shown = [bold(row) if row[0] == SHIPPED else row for row in rows]
    samples = sets.samples(*TUNED_ON)
    header = [f"{name} ({samples[name]})" for name in TUNED_ON]
    header[0] = f"{header[0]}: skipped, first is right"
    return Table(["rule", *header], shown, samples)


def skipped(sets: Sets) -> Table:
    """nDCG@10 of a token-level reranker: ranking every question, and with the fused order where the rule skips it."""
    return Table(["nDCG@10", *TUNED_ON], list(map(list, zip(*_skipped(sets), strict=True))), sets.samples(*TUNED_ON))


def _skipped(sets: Sets) -> list[list[str]]:
    columns = [["every question reranked", "fused order where the rule skips"]]
    for name in TUNED_ON:
        rankings = sets.rankings(name)
        mixed = {
            query: rankings["fused" if retrievers_agree(found.candidates) else "reranked"][query]
            for query, found in sets.retrievals(name).items()
        }
        judgements = sets.dataset(name).judgements
        both = [scores_of(each, judgements)["ndcg@10"] for each in (rankings["reranked"], mixed)]
        columns.append([score(mean(list(each.values()))) for each in both])
    return columns


def _cell(sets: Sets, name: str, rule: Rule) -> str:
    dataset, found = sets.dataset(name), sets.retrievals(name)
    chosen = [query.id for query in dataset.queries if rule(found[query.id])]
    right = [_is_right(dataset, query, found[query].candidates) for query in chosen]
    return f"{percent(len(chosen) / len(dataset.queries))}, {share(mean(right)) if right else '–'}"


def _is_right(dataset: Dataset, query: str, candidates: Sequence[Candidate]) -> bool:
    first = dataset.rows[int(candidates[0].passage.passage_id)].id
    return dataset.judgements[query].get(first, 0) > 0
