"""A local stage of one's own, to be measured and disturbed."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.chaos.target import Target
from local.stage.isolated import isolated
from local.stage.settings import ROOT
from local.stage.stage import LocalStage


@contextmanager
def own_stage(name: str) -> Iterator[Target]:
    """A fresh stage below `.build` on free ports. Its folder is kept, for its logs, if the block raises."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=ROOT / ".build"))
    config = isolated(folder)
    with LocalStage(config, say) as stage:
        yield Target(config, stage.info)
    shutil.rmtree(folder)


def say(line: str) -> None:
    """Progress, beside the report on standard output."""
    print(line, file=sys.stderr, flush=True)
