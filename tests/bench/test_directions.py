"""What a test and a benchmark both need is below `tests`, where a reader of the test finds it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
IMPORT = re.compile(r"^\s*(?:from|import) bench\b", re.MULTILINE)


def test_no_test_imports_a_benchmark() -> None:
    assert [str(file) for file in TESTS.rglob("*.py") if IMPORT.search(file.read_text("utf-8"))] == []
