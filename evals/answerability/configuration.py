"""Writes calibrated thresholds into a file like `knowledge_bases.toml`."""

import re
from dataclasses import asdict
from pathlib import Path

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.file import parse_knowledge_bases
from evals.answerability.sweep import Thresholds
from evals.retrieval.dataset import DatasetError

_TABLE = re.compile(r"^\s*\[")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def section(base: str, chosen: Thresholds) -> str:
    """A table of `knowledge_bases.toml`."""
    return "\n".join([_header(base), *_lines(chosen)]) + "\n"


def with_thresholds(text: str, base: str, chosen: Thresholds) -> str:
    """The file with these settings of one base; all other lines stay as they are. Raises ConfigurationError."""
    lines = text.splitlines()
    header = _header(base)
    if header not in (line.strip() for line in lines):
        changed = f"{text.rstrip()}\n\n{section(base, chosen)}".lstrip()
    else:
        start = [line.strip() for line in lines].index(header) + 1
        end = next((at for at in range(start, len(lines)) if _TABLE.match(lines[at])), len(lines))
        kept = [line for line in lines[start:end] if line.partition("=")[0].strip() not in asdict(chosen)]
        while kept and not kept[-1].strip():
            kept.pop()
        gap = [""] if end < len(lines) else []
        changed = "\n".join([*lines[:start], *kept, *_lines(chosen), *gap, *lines[end:]]) + "\n"
    parse_knowledge_bases(changed)
    return changed


def write(path: Path, base: str, chosen: Thresholds) -> None:
    """Change the file, or make it. Raises DatasetError or ConfigurationError; the file is left as it was then."""
    try:
        text = path.read_text("utf-8") if path.exists() else ""
        path.write_text(with_thresholds(text, base, chosen), "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be written ({error}); name another file.") from error


def _header(base: str) -> str:
    if not _BARE.fullmatch(base):
        raise ConfigurationError(f"'{base}' is no name of a knowledge base; use letters, digits, - and _.")
    return "[defaults]" if base == "defaults" else f"[bases.{base}]"


def _lines(chosen: Thresholds) -> list[str]:
    return [f"{name} = {value:.2f}" for name, value in asdict(chosen).items()]
