"""Each path, each test and each module that the Makefile, the README and the docs name is there."""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from local.stage.settings import ROOT

# Decisions name what was there on their day.
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions"),
]
FILES = [ROOT / "Makefile", *PAGES]
LIBRARY = "layers/shared/python/cicada"
_TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
# Folders too; what is deployed or made by a command is in no commit.
_THERE = {*_TRACKED, *chain.from_iterable(map(str, Path(each).parents) for each in _TRACKED)}
_FOLDERS = {each.partition("/")[0] for each in _TRACKED if "/" in each}
_PATH = re.compile(r"(?<![\w./:{<-])([\w.-]+(?:/[\w.*-]+)+/?)(?=[\s`'\",;:)]|\.\s|$)", re.MULTILINE)
_TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
_MODULE = re.compile(r"python -m ([a-z_]+(?:\.[a-z_]+)*)")
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def paths(text: str) -> list[str]:
    """What begins with a folder of the repository."""
    return [found.rstrip("/") for found in _PATH.findall(text) if found.partition("/")[0] in _FOLDERS]


def is_there(path: str) -> bool:
    return any(
        each in _THERE or ("*" in each and any(ROOT.glob(each)))
        for each in (path, f"{LIBRARY}/{path}", f"clients/{path}")
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_path_is_there(file: Path) -> None:
    assert [path for path in paths(file.read_text("utf-8")) if not is_there(path)] == []


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_every_test_that_is_named_is_there(file: Path) -> None:
    named = _TEST.findall(file.read_text("utf-8"))
    assert [name for path, name in named if f"def {name}(" not in (ROOT / path).read_text("utf-8")] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_module_that_is_run_is_there(file: Path) -> None:
    named = _MODULE.findall(file.read_text("utf-8"))
    assert [module for module in named if not find_spec(module)] == []


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_every_file_that_is_linked_is_there(file: Path) -> None:
    assert [to for to in _LINK.findall(file.read_text("utf-8")) if not (file.parent / to).exists()] == []
