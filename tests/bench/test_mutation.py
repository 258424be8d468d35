"""`make mutate` on a small project: what is mutated, how mutants are judged, and that nothing is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# It has fourteen mutants, and one that hangs uses no processor time; what follows it has no mutants, because no test
# could notice a change there.
SOURCE = '''
from time import sleep
LIMIT = 3
while LIMIT == 4:
    sleep(LIMIT)

def fits(size, words=()):
    """Whether it fits."""
    if words:
        raise ValueError(f"No {words} here.", "no words")
    while size > 50:
        size -= 1
    return size < LIMIT
'''
NOT_MUTATED = '''
"""Boxes."""
from dataclasses import dataclass
from typing import Generic, Literal, ParamSpec, Protocol, TypeVar

__all__ = ["LIMIT", "fits"]
Colour = Literal["red"]
Item = TypeVar("Item", bound=int)
Given = ParamSpec("Given")

class Port(Protocol):
    def read(self, limit: int = 3) -> Literal[4]: ...

class Store(Generic[Item], Protocol[Item]):
    def read(self, limit: int = 3): ...

@dataclass(frozen=True, slots=True)
class Box:
    size: int

    def __hash__(self):
        return hash((self.size, 3))
'''
TESTS = """
import pytest
from subject import fits

def test_small_ones_fit():
    assert fits(1)
    assert fits(90) is False

def test_words_are_refused():
    with pytest.raises(ValueError):
        fits(1, "a")
"""
AREA = """
libraries = []

[area.subject]
sources = ["subject.py"]
tests = ["test_*.py"]
sample = 4
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"subject.py": SOURCE + NOT_MUTATED, "test_subject.py": TESTS, "areas.toml": AREA}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def mutate(project: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "bench.mutation", "--areas", "areas.toml", "--out", "out/scores.json", *options]
    path = {"PYTHONPATH": f"{project}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=project, env=path, capture_output=True, text=True, timeout=110, check=False)
    return done.returncode, done.stdout + done.stderr


def test_survivors_are_shown_hanging_is_ended_and_a_low_score_is_a_failure(project: Path) -> None:
    before = {file: file.read_bytes() for file in project.iterdir()}
    code, said = mutate(project, "--area", "subject", "--patience", "2")
    assert code == 1
    assert "survived subject.py:13\n-    return size < LIMIT\n+    return size <= LIMIT\n" in said
    assert "timeout subject.py:3\n-LIMIT = 3\n+LIMIT = 4\n" in said
    assert "size += 1" not in said, "A test hangs at it, and so fails."
    scores = json.loads((project / "out" / "scores.json").read_text())["areas"]["subject"]
    assert scores == {"tried": 14, "killed": 5, "timeout": 2, "survived": 7, "score": 0.5}
    assert {file: file.read_bytes() for file in project.iterdir() if file.is_file()} == before


def test_tests_that_fail_without_a_mutant_are_told(project: Path) -> None:
    (project / "test_other.py").write_text("def test_it(): assert 1 == 2")
    code, said = mutate(project)
    assert code == 1
    assert "The tests fail without a mutant" in said
    assert "assert 1 == 2" in said


def test_tests_that_import_another_copy_are_told(project: Path) -> None:
    (project / "test_subject.py").write_text("def test_it(): pass")
    code, said = mutate(project)
    assert code == 1
    assert f"They import none of subject.py from {project}." in said


def test_a_pattern_that_matches_nothing_is_told(project: Path) -> None:
    (project / "subject.py").unlink()
    code, said = mutate(project)
    assert code == 1
    assert "No file matches subject.py; correct areas.toml." in said


def test_every_area_names_files_that_there_are() -> None:
    areas = tomllib.loads((ROOT / "bench/mutation/areas.toml").read_text("utf-8"))["area"]
    assert len(areas) == 13
    for area in areas.values():
        missing = [pattern for pattern in area["sources"] + area["tests"] if not any(ROOT.glob(pattern))]
        assert missing == []
