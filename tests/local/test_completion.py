from __future__ import annotations

from pathlib import Path

from local.stage.completion import leave_note, take_note


def test_a_note_is_taken_once(tmp_path: Path) -> None:
    assert take_note(tmp_path) == ""
    leave_note(tmp_path, "fingerprint")
    assert take_note(tmp_path) == "fingerprint"
    # Whoever crashes now has taken it, and leaves none.
    assert take_note(tmp_path) == ""
