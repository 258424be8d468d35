"""Files with passwords in them."""

from __future__ import annotations

import os
from pathlib import Path

_OWNER_ONLY = 0o600


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment; one that is there is replaced."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "w", encoding="utf-8") as written:
        written.write(text)
    new.replace(file)
