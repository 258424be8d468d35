"""The code to mutate, and the tests that should notice."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

AREAS = Path(__file__).with_name("areas.toml")


@dataclass(frozen=True, slots=True)
class Area:
    """Paths are relative to the repository. `areas.toml` explains the fields."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    sample: int
    shared_setup: bool = False
    keyword: str = ""


def load_areas(file: Path, root: Path) -> dict[str, Area]:
    """The areas by name, in the order of the file. Raises `ValueError` for a pattern that matches nothing."""
    areas = tomllib.loads(file.read_text("utf-8"))["area"]
    return {name: _area(root, name, **of) for name, of in areas.items()}


def import_libraries(file: Path) -> None:
    """Import the libraries that most tests use, once for all mutants."""
    for name in tomllib.loads(file.read_text("utf-8"))["libraries"]:
        import_module(name)


def _area(root: Path, name: str, sources: list[str], tests: list[str], **more: Any) -> Area:
    return Area(name, _matching(root, sources), _matching(root, tests), **more)


def _matching(root: Path, patterns: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pattern in patterns:
        paths = sorted(str(path.relative_to(root)) for path in root.glob(pattern))
        if not paths:
            raise ValueError(f"No file matches {pattern}; correct areas.toml.")
        found |= dict.fromkeys(paths)
    return tuple(found)
