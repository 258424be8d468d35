"""`python -m evals.reader_limits [CASE]`: memory of the document readers at their limits.

Each document is as large as its reader accepts, consists of the parts that cost most for their size, and is read in a
process of its own. The cases are chosen by hand; there may be worse ones. Linux only.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from docx import Document

from cicada.ingest.prose.docx_package import MAX_XML_BYTES
from cicada.ingest.prose.formats import prose_parsers
from cicada.ingest.prose.html_reader import MAX_TAGS
from cicada.ingest.prose.markdown_reader import MAX_PARTS
from cicada.ingest.prose.text_reader import MAX_LINES
from local.stage.settings import ROOT

_DOCUMENT = "word/document.xml"
_PARAGRAPHS = ".docx of empty paragraphs"


def _word(part: bytes) -> bytes:
    """A Word document whose body is filled with this part."""
    empty, packed = BytesIO(), BytesIO()
    Document().save(empty)
    with zipfile.ZipFile(empty) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        taken = sum(len(source.read(name)) for name in source.namelist())
        for name in source.namelist():
            content = source.read(name)
            if name == _DOCUMENT:
                text = b"<w:p><w:r><w:t>a</w:t></w:r></w:p>"
                room = (MAX_XML_BYTES - taken - len(text)) // len(part)
                content = content.replace(b"<w:body>", b"<w:body>" + text + part * room, 1)
            target.writestr(name, content)
    return packed.getvalue()


# By the file's suffix and its content.
CASES: dict[str, Callable[[], bytes]] = {
    ".md of list items": lambda: b"- a\n" * (MAX_PARTS * 10 // 11),
    ".md of table cells": lambda: b"|a|a\n|-|-\n" + b"|a|a\n" * (MAX_PARTS // 3 - 4),
    ".html of paragraphs": lambda: b"<p>a" * MAX_TAGS,
    ".html of list items": lambda: b"<ul>" + b"<li>a" * (MAX_TAGS - 1),
    ".txt of paragraphs": lambda: b"a\n\n" * (MAX_LINES // 2),
    ".txt of list items": lambda: b"- a\n" * MAX_LINES,
    _PARAGRAPHS: lambda: _word(b"<w:p/>"),
    ".docx of paragraphs with text": lambda: _word(b"<w:p><w:r><w:t>a</w:t></w:r></w:p>"),
}


def peak_megabytes(case: str) -> int:
    """Peak memory in a fresh process, beyond that before reading."""
    done = subprocess.run(
        [sys.executable, "-m", "evals.reader_limits", case], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return int(done.stdout.split()[-1])


def _measured(case: str) -> int:
    content = CASES[case]()
    read = prose_parsers()[case.split()[0]].read
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # Resets the peak.
    read(content)
    return (_status("VmHWM") - before) // 1000


def _status(name: str) -> int:
    """In kilobytes."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        print(f"{case:32}", _measured(case) if sys.argv[1:] else peak_megabytes(case), flush=True)
