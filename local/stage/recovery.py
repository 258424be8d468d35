"""Recovery from a stage that crashed before its first orderly end.

The emulator stores objects at once, and everything else when it ends. After such a crash there are buckets without the
stack that made them, and no deployment succeeds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from local.stage.aws import aws_client
from local.stage.deploy import has_ever_been_complete
from local.stage.emulator import state_folder
from local.stage.settings import StageConfig


def is_torso(config: StageConfig) -> bool:
    """Whether the running emulator has buckets, and no stack that was ever complete."""
    return not has_ever_been_complete(config) and bool(aws_client(config, "s3").list_buckets()["Buckets"])


def set_aside(config: StageConfig) -> Path:
    """Move the state of the emulator, which has ended; returns where it is kept until the next such crash."""
    state = state_folder(config)
    kept = state.with_name(f"{state.name}-crashed")
    shutil.rmtree(kept, ignore_errors=True)
    state.rename(kept)
    return kept
