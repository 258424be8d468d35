"""Each claim about AWS in docs/aws.md names a public source and a test. That it exists: `test_named_paths.py`."""

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
    found = [] if SOURCE.search(source) else [f"{claim}: no public source in {source!r}"]
    return found + ([] if TEST.findall(test) else [f"{claim}: no test in {test!r}"])


def test_every_claim_has_a_source_and_a_test() -> None:
    found = rows(DOCUMENT.read_text("utf-8"))
    assert found
    assert [fault for row in found for fault in faults(row)] == []
