"""Mutation testing: what is mutated, and that a mutant is run, judged and leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evals.mutation.areas import AREAS, load_areas
from evals.mutation.mutants import mutants
from evals.mutation.run import sampled

ROOT = Path(__file__).parents[3]
SOURCE = '''
LIMIT = 3

def fits(size, words=()):
    """Whether it fits."""
    if words:
        raise ValueError(f"No {words} here.", "no words")
    while size > 50:
        size -= 1
    return size < LIMIT
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


def changes(source: str) -> list[str]:
    return [line for each in mutants("source.py", source) for line in each.diff().splitlines() if line[0] == "+"]


def test_a_mutant_is_one_change_and_says_where() -> None:
    [first, *others] = mutants("source.py", "limit = 3\nrest = limit\n")
    assert first.diff() == "source.py:1\n-limit = 3\n+limit = None"
    assert [each.source() for each in others] == ["limit = 4\nrest = limit\n", "limit = 3\nrest = None\n"]


@pytest.mark.parametrize(
    "source",
    [
        '"""A text."""',
        "def f(a: list[3] | None) -> 4: ...",
        "@dataclass(frozen=True, slots=True)\nclass Box:\n    size: int",
        "__all__ = ['a']",
        "from a import b",
        "Fusion = Literal['a']",
        "class Port(Protocol):\n    def read(self, limit: int = 3): ...",
        "class Port(Generic[T], Protocol[T]):\n    def read(self, limit: int = 3): ...",
        "len(cast('int', 3))",
    ],
)
def test_what_no_test_can_notice_is_not_mutated(source: str) -> None:
    assert [each for each in changes(source) if each != "+pass"] == []


def test_texts_for_people_are_not_mutated_and_codes_are() -> None:
    assert changes('raise Refused("It is too large.", "too_large")') == [
        "+pass",
        '+raise Refused("It is too large.", None)',
        '+raise Refused("It is too large.", )',
        '+raise Refused("It is too large.", "XXtoo_largeXX")',
    ]
    assert changes('alarm(description="It broke.", times=2)') == [
        "+pass",
        '+alarm(description="It broke.", times=None)',
        '+alarm(description="It broke.", )',
        '+alarm(description="It broke.", times=3)',
    ]


def test_an_assertion_of_zip_is_not_mutated() -> None:
    mutated = changes("pairs = zip(a, b, strict=True)")
    assert len(mutated) == 5
    assert all("strict=True" in each for each in mutated if each != "+pairs = None")


def test_a_call_for_its_effect_can_be_left_out_and_a_condition_be_turned_round() -> None:
    assert "+pass" in changes("send(1)")
    assert changes("if found:\n    pass") == ["+if not (found):"]
    assert changes("[a for a in b if a]") == ["+[a for a in b if not (a)]"]


def test_every_area_names_files_that_there_are() -> None:
    areas = load_areas(AREAS, ROOT)
    assert len(areas) == 7
    for area in areas.values():
        assert all((ROOT / file).is_file() for file in (*area.sources, *area.tests))


def test_a_pattern_that_matches_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "areas.toml").write_text(AREA)
    with pytest.raises(ValueError, match=r"subject\.py"):
        load_areas(tmp_path / "areas.toml", tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"subject.py": SOURCE, "test_subject.py": TESTS, "areas.toml": AREA}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def mutate(project: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "evals.mutation", "--areas", "areas.toml", "--out", "out/scores.json", *options]
    path = {"PYTHONPATH": f"{project}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=project, env=path, capture_output=True, text=True, timeout=110, check=False)
    return done.returncode, done.stdout + done.stderr


def test_survivors_are_shown_hanging_is_ended_and_a_low_score_is_a_failure(project: Path) -> None:
    before = {file: file.read_bytes() for file in project.iterdir()}
    code, said = mutate(project, "--area", "subject", "--patience", "10")
    assert code == 1
    assert "survived subject.py:2\n-LIMIT = 3\n+LIMIT = 4\n" in said
    assert "timeout subject.py:9\n-        size -= 1\n+        size += 1\n" in said
    scores = json.loads((project / "out" / "scores.json").read_text())["areas"]["subject"]
    assert scores == {"tried": 10, "killed": 4, "timeout": 1, "survived": 5, "score": 0.5}
    assert {file: file.read_bytes() for file in project.iterdir() if file.is_file()} == before


def test_a_sample_is_the_same_for_the_same_seed(project: Path) -> None:
    area = load_areas(project / "areas.toml", project)["subject"]
    one, again, other = (sampled(area, project, area.sample, seed) for seed in (1, 1, 2))
    assert [each.diff() for each in one] == [each.diff() for each in again]
    assert [each.diff() for each in one] != [each.diff() for each in other]
    assert len(one) == 4
    assert len(sampled(area, project, None, 1)) == 10


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
