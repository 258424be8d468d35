"""One measurement of the document router from a folder to a report."""

import statistics
from collections.abc import Mapping
from pathlib import Path

from ir_measures import RR, R

from cicada.document_routing import scoring
from cicada.document_routing.router import DocumentRouter
from cicada.retrieval.ports import CataloguedIndex
from evals.documents.dataset import DocumentSet, load_documents
from evals.documents.index import indexed
from evals.documents.report import Report
from evals.documents.routings import Routed, rankings_of, route_again, route_all
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.measures import Rankings, Scores, scores_of
from evals.retrieval.standin import Say

MEASURES = {"recall@5": R @ 5, "recall@15": R @ 15, "recall@50": R @ 50, "mrr": RR}


def run(folder: Path, say: Say, *, ablation: bool = False) -> Report:
    """Measure the set in the folder; with `ablation` also the router without each of its signals.

    Raises DatasetError, and `DependencyError`s of the encoder and the index.
    """
    documents = load_documents(folder)
    say(
        f"{documents.name}: {len(documents.cards):,} cards, {documents.passage_count:,} passages,"
        f" {len(documents.queries):,} queries"
    )
    with local_embedder(say, CACHE) as embedder, indexed(documents, embedder, say) as index:
        say("Routing …")
        routed = route_all(documents, index, embedder, say)
        without = _ablations(routed, index, say) if ablation else {}
    return Report(
        documents.name,
        len(documents.cards),
        documents.passage_count,
        len(documents.queries),
        _scores(rankings_of(routed), documents),
        _scores(without, documents),
        statistics.median(each.milliseconds for each in routed.values()),
        statistics.median(each.search_milliseconds for each in routed.values()),
    )


def _scores(rankings: Mapping[str, Rankings], documents: DocumentSet) -> dict[str, Scores]:
    return {name: scores_of(each, documents.judgements, MEASURES) for name, each in rankings.items()}


def _ablations(routed: Mapping[str, Routed], index: CataloguedIndex, say: Say) -> dict[str, Rankings]:
    found = {}
    for signal, weight in scoring.RANKED.items():
        say(f"  without {signal}")
        scoring.RANKED = {name: each for name, each in scoring.RANKED.items() if name != signal}
        found[signal] = route_again(routed, DocumentRouter(index))
        scoring.RANKED = {**scoring.RANKED, signal: weight}
    return found
