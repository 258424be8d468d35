"""`cicada eval planner`: how well the rules, or a model, plan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import click

from cli.arguments import PATH, Options, command, json_option
from cli.aws_failures import aws_calls
from cli.errors import CommandError, library_errors
from cli.settings import read_settings
from cli.text import clean

if TYPE_CHECKING:
    from evals.planner_ways import Way

_LOCAL_MODEL = "cicada.local-model"
# Longer than a stage waits for a plan: how long a slow model takes is measured, too.
_CALL_SECONDS = 60
_NO_MODEL = (
    "No planning model can be asked: start the local stage with CICADA_LLM_URL, or name one of Bedrock by --model."
)
_PRICE = click.FloatRange(min=0)


@command(
    "planner",
    short_help="how well questions about documents are planned",
    help="Plan the queries of a file and compare strategy and filters with their labels: one JSON object a line with"
    " query, strategy and filters, and perhaps aggregates, group, sort, limit and fields.",
    epilog="example: cicada eval planner queries.jsonl --schema schema.json --by auto --model amazon.nova-pro-v1:0",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the labelled queries")
@click.option("--schema", metavar="SCHEMA.json", type=PATH, required=True, help="the fields of the documents")
@click.option("--conversations", is_flag=True, help="each line has turns; those from the second on are judged")
@click.option(
    "--by",
    type=click.Choice(["rules", "model", "auto"]),
    default="rules",
    help="what plans: the rules (default), a model, or the model where the rules are unsure",
)
@click.option(
    "--model",
    metavar="ID",
    help="a model of Bedrock, with the credentials of the AWS command line (default: the local stage's)",
)
@click.option("--price-in", metavar="DOLLARS", type=_PRICE, help="for a million tokens that the model reads")
@click.option("--price-out", metavar="DOLLARS", type=_PRICE, help="for a million tokens that it writes")
@json_option
def planner(options: Options) -> int:
    """0 if the file could be judged, whatever the score."""
    with library_errors():
        from evals import planner  # imported late: the library is slow to import

        way = None if options.by == "rules" else _model_way(options.by, options.model)
        report = planner.run(options.file, options.schema, conversations=options.conversations, way=way)
        report["dollars"] = planner.dollars(report, options.price_in or 0, options.price_out or 0)
    print(planner.to_json(report) if options.json else clean(planner.render(report)))
    return 0


def _model_way(mode: str, model_id: str | None) -> Way:
    from cicada.adapters.bedrock.plan_model import BedrockPlanModel
    from cicada.knowledge_bases.plan_guide import load_plan_guide
    from cicada.understanding.by_model.prompt import PlanPrompts
    from cicada.understanding.planners import PlannerMode
    from evals.planner_ways import ModelWay

    client = _bedrock() if model_id else _stand_in()
    return ModelWay(BedrockPlanModel(client, model_id or _LOCAL_MODEL, PlanPrompts(load_plan_guide)), PlannerMode(mode))


def _bedrock() -> Any:
    from cli.deployment_target import aws_options

    return _client(aws_options())


def _stand_in() -> Any:
    """The local stage's Bedrock. Raises `CommandError` if there is no stage, or it has no model that plans."""
    from cli.deployment_target import client_options
    from cli.local_stage import read_stage

    try:
        stage = read_stage(read_settings().stage_file)
    except CommandError as error:
        raise CommandError(f"{_NO_MODEL} {error}") from error
    url = str(stage.everything["bedrockUrl"])
    if _generator(url) == "extractive":
        raise CommandError(f"{_NO_MODEL} The local stage runs without CICADA_LLM_URL.")
    return _client(client_options(stage) | {"endpoint_url": url})


def _generator(url: str) -> str:
    """What writes the texts of the stand-in at this address."""
    try:
        with urlopen(f"{url}/health", timeout=_CALL_SECONDS) as reply:  # noqa: S310 - the address of the stage
            return str(json.load(reply)["generator"])
    except OSError as error:
        raise CommandError(f"{_NO_MODEL} The local stage's stand-in of Bedrock does not answer at {url}.") from error


def _client(options: dict[str, Any]) -> Any:
    import boto3
    from botocore.config import Config

    once = Config(read_timeout=_CALL_SECONDS, retries={"total_max_attempts": 1})
    with aws_calls():
        return boto3.client("bedrock-runtime", **options | {"config": options["config"].merge(once)})
