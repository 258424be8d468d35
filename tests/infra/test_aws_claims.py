"""Each claim about AWS in docs/aws.md names a public source and a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "aws.md"
SOURCE = re.compile(r"https://\S+|botocore: \S+ \S.*|cloudformation: AWS::\w+::\w+.*")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows(text: str) -> list[list[str]]:
    """The cells of every table's rows, without heads and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row != ["claim", "source", "test"] and set("".join(row)) != {"-"}]


def faults(row: list[str]) -> list[str]:
    """What a row lacks."""
    if len(row) != 3 or not all(row):
        return [f"{row}: a row has a claim, a source and a test"]
    claim, source, test = row
    named = TEST.findall(test)
    missing = [f"{file}::{name}" for file, name in named if not _defined(file, name)]
    found = [] if SOURCE.search(source) else [f"{claim}: no public source in {source!r}"]
    found += [] if named else [f"{claim}: no test in {test!r}"]
    return found + [f"{claim}: there is no {name}" for name in missing]


def _defined(file: str, name: str) -> bool:
    path = ROOT / file
    return path.is_file() and f"def {name}(" in path.read_text("utf-8")


def test_every_claim_has_a_source_and_a_test_that_exists() -> None:
    found = rows(DOCUMENT.read_text("utf-8"))
    assert found
    assert [fault for row in found for fault in faults(row)] == []
