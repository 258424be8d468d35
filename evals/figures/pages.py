"""The blocks of docs/ that are rendered from records: `<!-- figures:NAME -->` … `<!-- /figures -->`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from evals.figures.catalogue import FIGURES
from evals.figures.record import Record
from local.stage.settings import ROOT

_BLOCK = re.compile(r"(<!-- figures:([a-z0-9-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)


class UnknownFigureError(Exception):
    """A page has a block of a figure that nothing computes."""


def pages() -> list[Path]:
    """The rendered pages: the README and docs/. Decisions are left out: their figures are of their date."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in found if page.parent.name != "decisions")]


def rendered(text: str, records: Mapping[str, Record]) -> str:
    """The page with each block rendered from its record, or, without a record, with the command that makes it. Raises
    `UnknownFigureError`.
    """

    def block(found: re.Match[str]) -> str:
        name = found[2]
        if name not in FIGURES:
            raise UnknownFigureError(f"Nothing computes the figure {name}; add it to evals/figures/catalogue.py.")
        shown = records[name].markdown if name in records else f"*Not computed yet: `make figures DATA=… ONLY={name}`.*"
        return f"{found[1]}\n{shown}\n\n{found[3]}"

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
