"""Mutation testing: what is mutated."""

from __future__ import annotations

from pathlib import Path

from bench.mutation.areas import AREAS, load_areas

ROOT = Path(__file__).parents[2]


def test_every_area_names_files_that_there_are() -> None:
    areas = load_areas(AREAS, ROOT)
    assert len(areas) == 13
    for area in areas.values():
        assert all((ROOT / file).is_file() for file in (*area.sources, *area.tests))
