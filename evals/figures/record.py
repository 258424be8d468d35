"""Records of computed figures: one JSON file each, from which the table in docs/ is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from local.stage.settings import ROOT

RECORDS = ROOT / "docs" / "figures"


@dataclass(frozen=True, slots=True)
class Table:
    """A computed figure: its formatted cells, and the number of questions by set."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    samples: Mapping[str, int]


class Record(BaseModel):
    """`evidence` says whether the code was tuned on what it is measured on. `machine` is set for times alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    measured: date
    machine: str
    evidence: str
    samples: dict[str, int]
    header: list[str]
    rows: list[list[str]]

    @property
    def markdown(self) -> str:
        """The table, with a line below it that gives its source and its worth as evidence."""
        lines = [_row(self.header), _row(["---"] * len(self.header)), *map(_row, self.rows)]
        return "\n".join([*lines, "", f"*{self.evidence} `make figures ONLY={self.name}`, {self.measured}.*"])

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


def save_record(record: Record, folder: Path = RECORDS) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{record.name}.json").write_text(f"{record.model_dump_json(indent=1)}\n", "utf-8")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
