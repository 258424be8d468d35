"""`python -m bench.residue`: what a stage keeps of a document and of a person until both are deleted, and after.

Each figure is a number of bytes of a marker that nothing else has; `docs/security.md` has the table.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.own_stage import own_stage
from local.stage.settings import StageError
from tests.residue.scan import Scan
from tests.residue.walk import ResidueError, Walk

_OF = {
    "text": "the document's text, title and metadata",
    "file": "the document's name",
    "words": "the person's messages",
    "login": "the person's name",
}


def main() -> int:
    try:
        with own_stage("residue") as stage, tempfile.TemporaryDirectory() as folder:
            walk = Walk(stage, Path(folder))
            walk.upload()
            walk.converse()
            scans = {"in use": walk.scan()}
            walk.remove()
            scans["removed and purged"] = walk.scan()
            walk.erase()
            scans["person erased"] = walk.scan()
            walk.close()
    except (ResidueError, StageError) as error:
        print(error, file=sys.stderr)
        return 1
    print(rendered(scans))
    return 0


def rendered(scans: Mapping[str, Scan]) -> str:
    """A table with a row for each place that ever had a marker, then how much was looked through."""
    lines = [f"| bytes of | where | {' | '.join(scans)} |", "|---|---|" + "---|" * len(scans)]
    for name, meaning in _OF.items():
        for place in sorted({place for scan in scans.values() for place in scan.found(name)}):
            cells = " | ".join(f"{scan.found(name).get(place, 0):,}" for scan in scans.values())
            lines.append(f"| {meaning} | {place} | {cells} |")
    looked = ", ".join(f"{scan.places.total():,} values {when}" for when, scan in scans.items())
    return "\n".join([*lines, "", f"Looked through: {looked}."])


if __name__ == "__main__":
    sys.exit(main())
