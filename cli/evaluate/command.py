"""`cicada eval`: measure a part of the system on a file or a set of labelled examples."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import click

from cli.arguments import PATH, Group, Options, command, json_option
from cli.errors import library_errors
from cli.evaluate.answers import answers
from cli.evaluate.measuring import measuring, show_progress
from cli.evaluate.planner import planner
from cli.text import clean


@command(
    "router",
    short_help="how well messages are routed",
    help="Route the messages of a file and compare with their labels: one JSON object a line with text,"
    " label, and optionally slice.",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the labelled messages")
@json_option
def router(options: Options) -> int:
    """0 if the file could be judged, whatever the score."""
    with library_errors():
        from evals import router  # imported late, as below: the library is slow to import

        return _printed(options, router, router.run(options.file))


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
            options.folder, options.queries, Pipeline(options.fusion), options.peers, options.save, options.against
        )
        measured = evaluation.run(order, show_progress)
        if options.plot:
            from evals.retrieval.plot import save_plot  # imported late: matplotlib takes seconds to import

            save_plot(measured, options.plot)
        return _printed(options, report, measured)


@command(
    "answerability",
    short_help="how well it is told what can be answered",
    help="Search for labelled last turns with the production code, and measure how well the score of the"
    " evidence separates answerable from unanswerable ones (AUROC).",
)
@click.argument("folder", metavar="DIR", type=PATH, help="tasks.jsonl, corpus.jsonl")
@json_option
def answerability(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.answerability import report
        from evals.answerability import run as evaluation

        return _printed(options, report, evaluation.run(options.folder, show_progress))


@command(
    "conversations",
    short_help="how well follow-ups are understood",
    help="Search a retrieval set in BEIR layout with the production code for the last turns of"
    " conversations: as they are, as the rules for follow-ups make them stand alone, and as queries.jsonl rewrites"
    " them. Prints nDCG@10 and MRR@10 of each, and the share of the gain of the rewrites that the rules reach.",
)
@click.argument("folder", metavar="DIR", type=PATH, help="corpus.jsonl, conversations.jsonl, queries.jsonl, qrels.tsv")
@json_option
def conversations(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.retrieval import conversations

        return _printed(options, conversations, conversations.run(options.folder, show_progress))


@command(
    "documents",
    short_help="how well questions are routed to documents",
    help="Route the questions of a set to documents with the production code, by the documents' cards and,"
    " if the set has them, by their passages: Recall@5, @15, @50, MRR and time per query, for each signal alone and"
    " for all together.",
)
@click.argument(
    "folder", metavar="DIR", type=PATH, help="cards.jsonl, queries.jsonl, qrels.tsv, optionally passages.jsonl"
)
@click.option("--ablation", is_flag=True, help="measure the router without each signal as well")
@json_option
def documents(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.documents import report
        from evals.documents import run as evaluation

        return _printed(options, report, evaluation.run(options.folder, show_progress, ablation=options.ablation))


@command(
    "grounding",
    short_help="how well unsupported sentences are told",
    help="Hold the texts of a file against their sources, as answers are held against their passages, and measure how"
    " well the scores separate what people judged (AUROC): one JSON object a line with source, text, supported and"
    " set. Changed sentences of the sample documents are measured with them.",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the judged texts")
@json_option
def grounding(options: Options) -> int:
    """0 if the file could be judged, whatever the scores."""
    with library_errors():
        from evals import grounding

        return _printed(options, grounding, grounding.run(options.file))


evaluate = Group(
    "eval",
    short_help="measure a part of the system",
    help="Measure a part of the system on labelled examples.",
    epilog="example: cicada eval router messages.jsonl",
    # An earlier name, which scripts may use.
    aliases={"gate": "answerability"},
    commands=(router, planner, retrieval, answerability, conversations, documents, answers, grounding),
)


def _printed(options: Options, form: ModuleType, report: Any) -> int:
    """Print what the module makes of its report, for people or programs. 0, whatever the report says."""
    print(form.to_json(report) if options.json else clean(form.render(report)))
    return 0
