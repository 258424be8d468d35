"""Memory of the document readers at their limits."""

from __future__ import annotations

from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.reader_limits import CASES, peak_megabytes


def limits(sets: Sets) -> Table:  # noqa: ARG001 - the documents are made
    rows = [[f"`{case.split()[0]}` {case.partition(' ')[2]}", f"{peak_megabytes(case)} MB"] for case in CASES]
    return Table(["document at its limit", "memory while it is read"], rows, {})
