"""`python -m bench.rehearsal`: a stage loses its data and gets it back as docs/operations/restore.md says.

Prints each step with the seconds since the begin. Exit status 1 if an answer, a conversation or the list of documents
is not as it was.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.own_stage import own_stage, say
from local.stage.settings import StageError
from tests.deploy_proof.report import Report
from tests.rehearsal.stage import RehearsedStage


def main() -> int:
    try:
        with own_stage("rehearsal") as stage, tempfile.TemporaryDirectory() as home:
            report = Report(print)
            all(report.take(name, step) for name, step in RehearsedStage(stage, Path(home)).steps())
            return 0 if report.end() else 1
    except StageError as error:
        say(str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main())
