"""How well it is told which texts their sources support: the product's check against people's judgements.

A file holds one JSON object a line: `source`, `text`, `supported` and `set`; other fields are ignored. Sets whose names
are alike up to a hyphen (`summedits-scitldr`) are also measured as one. Each text is scored as one claim. The set
`samples` is made here: sentences of the sample documents, as they are and with one thing changed.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, Field

from cicada.grounding.checking import support
from evals.answerability.report import auroc
from evals.changed_claims import Claim, changed_claims
from evals.lines import DatasetError, parsed, read_lines

Row = tuple[Claim, float]


class SetScore(TypedDict):
    """`auroc`: the chance that a supported text scores above an unsupported one; None without one of both."""

    n: int
    supported: int
    auroc: float | None


class GroundingReport(TypedDict):
    n: int
    by_set: dict[str, SetScore]


class _Line(BaseModel):
    source: str
    text: str = Field(min_length=1)
    supported: bool
    set: str = Field(min_length=1)


def load_claims(path: Path) -> list[Claim]:
    """The judged texts of a file, gzipped or not. Raises DatasetError."""
    if not path.is_file():
        raise DatasetError(f"{path} does not exist; give a JSONL file with source, text, supported and set.")
    claims = [Claim(**line.model_dump()) for _, line in parsed(read_lines(path), _Line, path)]
    if not claims:
        raise DatasetError(f"{path} is empty; write a JSON object with source, text, supported and set on each line.")
    return claims


def run(path: Path) -> GroundingReport:
    """Score the texts of a file, and the changed sentences of the samples. Raises DatasetError."""
    claims = [*load_claims(path), *changed_claims()]
    return evaluate([(claim, support(claim.text, (claim.source,))) for claim in claims])


def evaluate(rows: Sequence[Row]) -> GroundingReport:
    """The scores by set, of domains together after the domains' own."""
    names = {claim.set for claim, _ in rows}
    wholes = {name.partition("-")[0] for name in names}
    return GroundingReport(
        n=len(rows),
        by_set={
            name: _score([row for row in rows if name in (row[0].set, row[0].set.partition("-")[0])])
            for name in sorted(names | wholes)
        },
    )


def _score(rows: Sequence[Row]) -> SetScore:
    supported = [score for claim, score in rows if claim.supported]
    rest = [score for claim, score in rows if not claim.supported]
    return SetScore(n=len(rows), supported=len(supported), auroc=auroc(supported, rest))


def to_json(report: GroundingReport) -> str:
    return json.dumps(report, indent=2)


def render(report: GroundingReport) -> str:
    """The report as a plain table."""
    lines = [f"{report['n']} texts", "", f"{'set':28}{'n':>6}{'supported':>11}{'AUROC':>8}"]
    for name, score in report["by_set"].items():
        shown = "–" if score["auroc"] is None else f"{score['auroc']:.3f}"
        lines.append(f"{name:28}{score['n']:>6}{score['supported']:>11}{shown:>8}")
    return "\n".join(lines)
