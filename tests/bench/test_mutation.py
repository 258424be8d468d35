"""Mutation testing: what is mutated."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.mutation.areas import AREAS, load_areas
from bench.mutation.mutants import mutants

ROOT = Path(__file__).parents[2]
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
        "Item = TypeVar('Item', bound=Struct)",
        "Given = ParamSpec('Given')",
        "class Box:\n    def __hash__(self):\n        return hash((self.size, 3))",
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


def test_the_name_of_a_pools_threads_is_not_mutated_and_their_number_is() -> None:
    assert changes('Pool(4, thread_name_prefix="answer")') == [
        "+pass",
        '+Pool(None, thread_name_prefix="answer")',
        '+Pool(thread_name_prefix="answer")',
        '+Pool(5, thread_name_prefix="answer")',
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
    assert len(areas) == 13
    for area in areas.values():
        assert all((ROOT / file).is_file() for file in (*area.sources, *area.tests))


def test_a_pattern_that_matches_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "areas.toml").write_text(AREA)
    with pytest.raises(ValueError, match=r"subject\.py"):
        load_areas(tmp_path / "areas.toml", tmp_path)
