"""A note that a stage leaves when it has ended in order: which deployment has ingested the samples completely.

The next stage takes the note away when it starts. So there is none after a crash, after which the emulator has an older
state than the index, and none if an ingest was broken off.
"""

from __future__ import annotations

from pathlib import Path

_NAME = "complete"


def take_note(folder: Path) -> str:
    """The fingerprint of the deployment; empty without a note."""
    note = folder / _NAME
    if not note.exists():
        return ""
    fingerprint = note.read_text("utf-8")
    note.unlink()
    return fingerprint


def leave_note(folder: Path, fingerprint: str) -> None:
    (folder / _NAME).write_text(fingerprint, "utf-8")
