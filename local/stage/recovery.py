"""How the stage before ended: in order, which it notes, or by a crash, from which this one recovers.

The note says which deployment has ingested the samples completely. The next stage takes it away when it starts. So
there is none after a crash, after which the emulator has an older state than the index, and none if an ingest was
broken off.

The emulator stores objects at once, and everything else when it ends. After a crash before the first orderly end there
are buckets without the stack that made them, and no deployment succeeds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from local.stage.aws import aws_client
from local.stage.deploy import has_ever_been_complete
from local.stage.servers import state_folder
from local.stage.settings import StageConfig

_NOTE = "complete"


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


def take_note(folder: Path) -> str:
    """The fingerprint of the deployment that the stage before has noted; empty without a note."""
    note = folder / _NOTE
    if not note.exists():
        return ""
    fingerprint = note.read_text("utf-8")
    note.unlink()
    return fingerprint


def leave_note(folder: Path, fingerprint: str) -> None:
    (folder / _NOTE).write_text(fingerprint, "utf-8")
