"""`cicada calibrate`: judge the evidence of a running stack by what its own embedder and reranker find."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import PATH, Options, command, json_option, stack_option
from cli.evaluate.measuring import measuring, show_progress
from cli.operator.base_settings import base_table
from cli.operator.tenants import tenant_of_documents, tenant_option
from cli.settings import CHECKOUT
from cli.text import clean, to_json

if TYPE_CHECKING:
    from cicada.knowledge_bases.calibrations import Cosines
    from cicada.retrieval.probing import Found, Probe
    from cli.deployment_target import DeploymentTarget
    from evals.calibration import Made

_SAMPLES = CHECKOUT / "samples" / "calibration.jsonl"
_SHARE = click.FloatRange(0, 1, min_open=True)
# One invocation of a function that answers within five minutes.
_AT_ONCE, _SECONDS = 20, 290.0


@command(
    "calibrate",
    short_help="fit the judgement of the evidence to a stack's embedder and reranker",
    help="Ask the search of a running stack labelled questions, and keep in it what its evidence usually looks like:"
    " the calibration for its embedder and each reranker that ranked. Answers are judged by it within ten seconds. FILE"
    " has the form of `cicada eval answers`; without it the samples' questions are asked, whose documents must be"
    " ingested.",
    epilog="example: cicada calibrate --stack Cicada-dev --plot",
)
@click.argument(
    "file", metavar="[FILE.jsonl]", type=PATH, required=False, help="questions, and what holds their answers"
)
@stack_option
@tenant_option("whose bases are asked")
@click.option("--plot", is_flag=True, help="draw precision and recall for each threshold on the quality")
@click.option(
    "--keep",
    metavar="SHARE",
    type=_SHARE,
    default=0.95,
    help="of the questions that can be answered, what a quality_floor is to keep (default: 0.95)",
)
@click.option(
    "--at-once",
    metavar="SHARE",
    type=_SHARE,
    default=0.85,
    help="what a quality_threshold is to answer without another search (default: 0.85)",
)
@click.option("--dry-run", is_flag=True, help="keep nothing in the stack")
@json_option
def calibrate(options: Options) -> int:
    """0 if a calibration was made and, but for a dry run, is kept."""
    with measuring():
        # Imported late: the library is slow to import.
        from cli.deployment_target import open_target
        from evals.answers_files import load_conversations
        from evals.calibration import calibrate as made_of
        from evals.calibration import questions_of

        questions = questions_of(load_conversations(options.file or _SAMPLES))
        tenant, target = tenant_of_documents(options), open_target(options.stack)
        stack = RunningStack(target, tenant)
        today = datetime.now(UTC).date().isoformat()
        made = made_of(questions, stack.ask, stack.embedder(), today, show_progress)
        if not options.dry_run:
            stack.keep(made)
        shown = [_shown(each, options) for each in made]
    if options.json:
        print(to_json({"kept": not options.dry_run, "calibrations": [fields for fields, _ in shown]}))
        return 0
    print(clean("\n\n".join(text for _, text in shown)))
    print("Nothing is kept." if options.dry_run else f"Kept in {target.title}; answers are judged so in ten seconds.")
    return 0


class RunningStack:
    """The search of a stack, and where it keeps its calibrations."""

    def __init__(self, target: DeploymentTarget, tenant: str) -> None:
        from cli.operator.deployed_function import DeployedFunction

        self._target, self._tenant = target, tenant
        self._name = target.output("ProcessorFunction")
        self._lambda = target.client("lambda", _SECONDS)
        self._function = DeployedFunction(self._lambda, self._name, "The search cannot be calibrated")

    def embedder(self) -> str:
        from cli.operator.calibration_checks import embedder_of

        found = self._lambda.get_function_configuration(FunctionName=self._name)
        return embedder_of(found["Environment"]["Variables"])

    def ask(self, base: str, probes: Sequence[Probe], cosines: Cosines | None) -> list[Found]:
        import msgspec

        from cicada.retrieval.probing import Found, Probes

        found: list[Found] = []
        for start in range(0, len(probes), _AT_ONCE):
            asked = Probes(self._tenant, base, tuple(probes[start : start + _AT_ONCE]), cosines)
            reply = self._function.call({"probe": msgspec.to_builtins(asked)})
            found += msgspec.convert(reply["found"], list[Found])
            show_progress(f"{base}: {len(found)} of {len(probes)} questions asked")
        return found

    def keep(self, made: Sequence[Made]) -> None:
        """Beside those for other embedders and rerankers. What cannot be read is replaced."""
        from cicada.errors import ConfigurationError
        from cicada.knowledge_bases.calibrations import read_calibrations, write_calibrations

        record = base_table(self._target)
        try:
            kept = read_calibrations(record.read_calibrations())
        except ConfigurationError:
            kept = ()
        record.write_calibrations(write_calibrations(kept, [each.calibration for each in made]))


def _shown(made: Made, options: Options) -> tuple[dict[str, Any], str]:
    """What is said of a calibration: as fields, and as text."""
    from evals.answerability import sweep
    from evals.answerability.report import answerable_auroc, answerable_reliability

    found, auroc, agreed = made.calibration, answerable_auroc(made.scored), answerable_reliability(made.scored)
    points = sweep.sweep(made.scored)
    chosen = sweep.chosen(points, options.keep, options.at_once)
    error = agreed.error if agreed else 0.0
    fields = {
        "embedder": found.embedder,
        "reranker": found.reranker,
        "questions": found.questions,
        "auroc": auroc,
        "expectedCalibrationError": error,
        "qualityThreshold": chosen.quality_threshold,
        "qualityFloor": chosen.quality_floor,
    }
    lines = [
        f"{found.embedder}, reranker {found.reranker}: {found.questions} questions",
        f"each half judged by the other: AUROC {auroc or 0:.3f}, expected calibration error {error:.3f}",
        f"to keep {options.keep:.0%} of what can be answered, and {options.at_once:.0%} at once (`cicada bases set`):",
        f"quality_threshold = {chosen.quality_threshold:.2f}",
        f"quality_floor = {chosen.quality_floor:.2f}",
    ]
    return fields, "\n".join([*lines, "", sweep.render(points, chosen)] if options.plot else lines)
