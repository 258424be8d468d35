"""Which files may be uploaded, by their names and sizes alone."""

from __future__ import annotations

from pathlib import PurePosixPath

from cicada.ingest.model import MAX_BYTES
from cicada.ingest.prose.parser import SUFFIXES

READABLE = tuple(sorted([".json", *SUFFIXES]))
"""The suffixes of files that ingest reads."""


def refusal(name: str, size: int) -> tuple[str, str]:
    """Why ingest would reject this file whatever is in it, and the kind of the problem; empty if it would not."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in READABLE:
        reason = f"Files of this type cannot be read; upload {', '.join(READABLE)}."
        return f"{reason} It was not uploaded.", "unknown_type"
    if size > MAX_BYTES:
        return f"The file is larger than {MAX_BYTES / 1_000_000:g} MB, so it was not uploaded; split it.", "too_large"
    return "", ""
