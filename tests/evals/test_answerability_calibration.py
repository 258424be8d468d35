"""Sweeping thresholds, and writing the chosen ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.file import load_knowledge_bases, parse_knowledge_bases
from evals.answerability.configuration import section, with_thresholds, write
from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.answerability.sweep import Point, Thresholds, chosen, sweep
from evals.retrieval.dataset import DatasetError

CHOSEN = Thresholds(0.6, 0.35)


def scored(answerable: list[float], unanswerable: list[float]) -> list[Scored]:
    return [
        *(Scored(Label.ANSWERABLE, value) for value in answerable),
        *(Scored(Label.UNANSWERABLE, value) for value in unanswerable),
        Scored(Label.UNDERSPECIFIED, 1.0),
    ]


def test_each_threshold_has_precision_and_recall() -> None:
    points = sweep(scored([0.9, 0.5, 0.25], [0.5, 0.1]), steps=4)
    assert points[0] == Point(0.0, 3 / 5, 1.0, 1.0)
    assert points[1] == Point(0.25, 3 / 4, 1.0, 0.5)
    assert points[2] == Point(0.5, 2 / 3, 2 / 3, 0.5)
    assert points[3] == Point(0.75, 1.0, 1 / 3, 0.0)
    assert points[4] == Point(1.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize("turns", [scored([0.5], []), scored([], [0.5])])
def test_a_sweep_needs_both_sides(turns: list[Scored]) -> None:
    with pytest.raises(DatasetError, match="add the others"):
        sweep(turns)


def test_the_floor_and_the_threshold_keep_their_shares_of_the_answerable_turns() -> None:
    points = sweep(scored([0.3, 0.6, *[0.8] * 8], [0.1, 0.2, 0.5, 0.5]))
    assert chosen(points, 0.95, 0.85) == Thresholds(0.6, 0.3)
    assert chosen(points, 0.9, 0.8) == Thresholds(0.8, 0.6)
    assert chosen(points, 0.8, 0.95) == Thresholds(0.8, 0.8)


def test_the_section_is_one_that_the_file_takes() -> None:
    base = parse_knowledge_bases(section("law", CHOSEN)).deployed("law")
    assert (base.quality_threshold, base.quality_floor) == (0.6, 0.35)


def test_only_the_two_settings_of_the_base_change(tmp_path: Path) -> None:
    text = (
        "# All bases.\n[defaults]\nlimit = 9\n\n[bases.law]\n# Strict.\nquality_floor = 0.1\nlimit = 3\n\n"
        "[bases.plays]\nlimit = 4\n"
    )
    file = tmp_path / "knowledge_bases.toml"
    file.write_text(text)
    write(file, "law", CHOSEN)
    assert file.read_text() == text.replace("quality_floor = 0.1\nlimit = 3\n", "limit = 3\n").replace(
        "limit = 3\n", "limit = 3\nquality_threshold = 0.60\nquality_floor = 0.35\n"
    )
    write(file, "law", Thresholds(0.7, 0.5))
    assert parse_knowledge_bases(file.read_text()).deployed("law").quality_threshold == 0.7
    assert parse_knowledge_bases(file.read_text()).deployed("law").limit == 3


@pytest.mark.parametrize("base", ["scripts", "other", "defaults"])
def test_the_packaged_file_takes_the_settings(base: str) -> None:
    from cicada.knowledge_bases import file

    text = Path(file.__file__).with_name("knowledge_bases.toml").read_text("utf-8")
    changed = parse_knowledge_bases(with_thresholds(text, base, CHOSEN))
    found = changed.defaults if base == "defaults" else changed.deployed(base)
    assert (found.quality_threshold, found.quality_floor) == (0.6, 0.35)
    assert found.limit == load_knowledge_bases().deployed(base).limit


def test_a_file_is_made_where_there_is_none(tmp_path: Path) -> None:
    write(tmp_path / "new.toml", "law", CHOSEN)
    assert (tmp_path / "new.toml").read_text() == section("law", CHOSEN)
    with pytest.raises(DatasetError, match="cannot be written"):
        write(tmp_path / "gone" / "new.toml", "law", CHOSEN)


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no name of a knowledge base"):
        section("law]\n[x", CHOSEN)


def test_a_file_that_is_no_configuration_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("[server]\nport = 1\n")
    with pytest.raises(ConfigurationError):
        write(file, "law", CHOSEN)
    assert file.read_text() == "[server]\nport = 1\n"
