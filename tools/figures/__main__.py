"""`make figures`: render the tables of docs/ from the records in docs/figures."""

from __future__ import annotations

import sys

from tools.figures.record import UnknownFigureError, load_records, write_pages


def main() -> int:
    try:
        changed = write_pages(load_records())
    except UnknownFigureError as error:
        print(error, file=sys.stderr)
        return 1
    for page in changed:
        print(f"{page.name} has changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
