"""Records of computed figures, one JSON file each in docs/figures, and the pages' tables that are rendered from them.

A page shows a record between the marks `<!-- figures:NAME -->` and `<!-- /figures -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from local.stage.settings import ROOT

RECORDS = ROOT / "docs" / "figures"
_BLOCK = re.compile(r"(<!-- figures:([a-z0-9-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)


class UnknownFigureError(Exception):
    """A page has a block without a record."""


class Record(BaseModel):
    """`command` printed the figures; with `commit` it is there no more, and that commit still has it.

    `evidence` says whether the code was tuned on what it is measured on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    measured: date
    machine: str
    command: str
    commit: str = ""
    evidence: str
    samples: dict[str, int]
    header: list[str]
    rows: list[list[str]]

    @property
    def markdown(self) -> str:
        """The table, with a line below it that gives its source and its worth as evidence."""
        lines = [_row(self.header), _row(["---"] * len(self.header)), *map(_row, self.rows)]
        source = f"`{self.command}`, {self.measured}"
        if self.commit:
            source = f"Measured once: `{self.command}` at commit {self.commit}, {self.measured}"
        return "\n".join([*lines, "", f"*{self.evidence} {source}.*"])

    def holds(self, figure: str) -> bool:
        """Whether a figure from a text is in the table, or is one of its numbers of questions."""
        words = [word for row in (self.header, *self.rows) for cell in row for word in numbers(cell)]
        return set(numbers(figure)) <= {*words, *map(str, self.samples.values())}


def numbers(text: str) -> list[str]:
    """The numbers in a text, normalised for comparison: no sign, no leading zero, no thousands separator."""
    found = re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text)
    return [re.sub(r"^0(?=\.)", "", each.rstrip(",").replace(",", "")) for each in found]


def load_records(folder: Path = RECORDS) -> dict[str, Record]:
    found = (Record.model_validate_json(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))
    return {record.name: record for record in found}


def pages() -> list[Path]:
    """The rendered pages: the README and docs/. Decisions are left out: their figures are of their date."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in found if page.parent.name != "decisions")]


def rendered(text: str, records: Mapping[str, Record]) -> str:
    """The page with each block rendered from its record. Raises `UnknownFigureError`."""

    def block(found: re.Match[str]) -> str:
        if found[2] not in records:
            raise UnknownFigureError(f"There is no record docs/figures/{found[2]}.json.")
        return f"{found[1]}\n{records[found[2]].markdown}\n\n{found[3]}"

    return _BLOCK.sub(block, text)


def blocks(text: str) -> Iterator[str]:
    """The names of the figures that a page shows."""
    return (found[2] for found in _BLOCK.finditer(text))


def without_blocks(text: str) -> str:
    return _BLOCK.sub("", text)


def write_pages(records: Mapping[str, Record]) -> list[Path]:
    """Render every page; returns those that changed."""
    changed = []
    for page in pages():
        before = page.read_text("utf-8")
        after = rendered(before, records)
        if after != before:
            page.write_text(after, "utf-8")
            changed.append(page)
    return changed


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
