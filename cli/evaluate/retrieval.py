"""`cicada eval retrieval`: how well passages are found, on a set in BEIR's layout."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean


@command(
    "retrieval",
    short_help="how well passages are found",
    help="Search a retrieval set in BEIR layout with the production code: nDCG@10, Recall@100 and MRR@10 of"
    " each lane, of their fusion and of the final order, and what asking a paid reranker would cost and could gain.",
)
@click.argument("folder", metavar="DIR", type=PATH, help="corpus.jsonl, queries.jsonl, qrels.tsv")
@click.option("--queries", metavar="FILE", type=PATH, help="other queries, by the ids of DIR's")
@click.option("--fusion", type=click.Choice(("zscore", "rrf")), default="zscore", help="default: zscore")
@click.option("--peers", is_flag=True, help="measure bm25s, MiniLM and two fusions of them as well")
@click.option("--save", metavar="FILE", type=PATH, help="keep the scores of this run")
@click.option("--against", metavar="FILE", type=PATH, help="compare with a run that was kept")
@click.option("--plot", metavar="FILE", type=PATH, help="draw the scores (.png, .svg)")
@json_option
def retrieval(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.retrieval import report
        from evals.retrieval import run as evaluation
        from evals.retrieval.pipeline import Pipeline

        order = evaluation.Order(
            options.folder,
            options.queries,
            Pipeline(options.fusion),
            options.peers,
            options.save,
            options.against,
        )
        measured = evaluation.run(order, show_progress)
        if options.plot:
            from evals.retrieval.plot import save_plot  # imported late: matplotlib takes seconds to import

            save_plot(measured, options.plot)
    print(report.to_json(measured) if options.json else clean(report.render(measured)))
    return 0
