"""`make figures`: compute the figures of docs/ again, store them as records, and render the pages from the records."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from local.bedrock.settings import limit_matrix_threads

limit_matrix_threads()

from cicada.errors import CicadaError  # noqa: E402 - numpy reads the number of threads when it is imported
from evals.figures.catalogue import FIGURES, Figure  # noqa: E402
from evals.figures.pages import UnknownFigureError, write_pages  # noqa: E402
from evals.figures.record import Record, Table, load_records, save_record  # noqa: E402
from evals.figures.sets import Sets  # noqa: E402
from evals.retrieval.embedding import local_embedder  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    try:
        with local_embedder(_say) as embedder:
            sets = Sets(options.data, embedder)
            for name in options.only or ([] if options.render else FIGURES):
                _say(f"{name} …")
                save_record(record(FIGURES[name], FIGURES[name].compute(sets)))
        for page in write_pages(load_records()):
            _say(f"{page.name} has changed.")
    except (CicadaError, UnknownFigureError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def record(figure: Figure, table: Table) -> Record:
    return Record(
        name=figure.name,
        measured=datetime.now(UTC).date(),
        machine=f"{os.cpu_count()} cores",
        evidence=figure.evidence,
        samples=dict(table.samples),
        header=list(table.header),
        rows=[list(row) for row in table.rows],
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.figures", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of scifact, cranfield and mtrag-clapnq in BEIR's layout")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=tuple(FIGURES), help=", ".join(FIGURES))
    parser.add_argument("--render", action="store_true", help="compute nothing; render the pages from the records")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
