"""A separate local stage, for measurements and disturbances."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from local.stage.isolated import free_port, isolated
from local.stage.settings import ROOT, StageConfig
from local.stage.stage import LocalStage
from tests.chaos.database import Database
from tests.chaos.target import Target


@contextmanager
def own_stage(name: str, **context: str) -> Iterator[Target]:
    """A fresh stage below `.build` on free ports. Its folder is kept, for its logs, if the block raises."""
    with _own_folder(name) as folder, disturbable(folder, say, **context) as target:
        yield target


@contextmanager
def undisturbed_stage(name: str, **context: str) -> Iterator[StageConfig]:
    """The same without the proxy before DynamoDB, which runs in this process and slows many users down."""
    with _own_folder(name) as folder:
        config = isolated(folder, **context)
        with LocalStage(config, say):
            yield config


@contextmanager
def _own_folder(name: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=ROOT / ".build"))
    yield folder
    shutil.rmtree(folder)


@contextmanager
def disturbable(folder: Path, say: Callable[[str], None], **context: str) -> Iterator[Target]:
    """A stage in this folder whose DynamoDB can be throttled; `context` as in `StageConfig`."""
    port = free_port()
    config = isolated(folder, databaseUrl=f"http://127.0.0.1:{port}", **context)
    with Database(config.aws_url, port).serving() as database, LocalStage(config, say) as stage:
        yield Target(config, stage.info, database)


def say(line: str) -> None:
    """Print progress to standard error; standard output is for the report."""
    print(line, file=sys.stderr, flush=True)
