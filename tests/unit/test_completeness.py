"""The suite itself: what is written is run."""

from __future__ import annotations

import tomllib
from pathlib import Path

_TESTS = Path(__file__).parents[1]


def test_every_folder_with_tests_is_run() -> None:
    configured = tomllib.loads((_TESTS.parent / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    written = {f"tests/{file.relative_to(_TESTS).parts[0]}" for file in _TESTS.rglob("test_*.py")}
    # `make prove` runs the model.
    assert written - {"tests/model"} == set(configured["testpaths"])
