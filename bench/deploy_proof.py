"""`python -m bench.deploy_proof --stage local|dev`: is a deployed stage what the documents say, from end to end?

Deploys a stage, adds a user, ingests a document, asks by terminal and page, rings an alarm, rolls a release forward and
back, and destroys the stage again; in the emulator, or in the AWS account of the AWS command line. Exit status 1 if a
step fails. The log says what showed each step, and what was skipped and why (docs/operations/deploy.md).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from local.stage.settings import StageError
from tests.deploy_proof.aws import stage_on_aws
from tests.deploy_proof.emulator import stage_in_emulator
from tests.deploy_proof.proof import Proof
from tests.deploy_proof.report import ProofError, Report


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    try:
        return 0 if prove(options.stage, dict(each.split("=", 1) for each in options.context)) else 1
    except (ProofError, StageError) as error:
        print(error, file=sys.stderr)
        return 1


def prove(stage: str, context: dict[str, str]) -> bool:
    """Whether no step failed."""
    report = Report(_say)
    if stage != "local":
        return Proof(stage_on_aws(stage, context)).run(report)
    with (
        tempfile.TemporaryDirectory(prefix="cicada-deploy-proof-") as folder,
        stage_in_emulator(Path(folder)) as target,
    ):
        return Proof(target).run(report)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.deploy_proof", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--stage", choices=["local", "dev"], default="local", help="local: in the emulator")
    parser.add_argument(
        "-c", "--context", action="append", default=[], metavar="NAME=VALUE", help="a setting of the deployment"
    )
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
