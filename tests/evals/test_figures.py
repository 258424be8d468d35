"""No figure without a command that computes it: pages, docstrings and comments against the records."""

from __future__ import annotations

import re
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest

from cli.evaluate.command import evaluate
from local.stage.settings import ROOT
from tools.figures.citations import (
    Sourced,
    Written,
    measured_marks,
    sourced,
    strays,
    written,
)
from tools.figures.record import Record, blocks, load_records, pages, rendered

RECORDS = load_records()


def recorded(commit: str = "") -> Record:
    return Record(
        name="thresholds",
        measured=date(2026, 11, 22),
        machine="2 cores",
        command="cicada eval retrieval DIR",
        commit=commit,
        evidence="Tuned on this set.",
        samples={"scifact": 300},
        header=["", "nDCG@10"],
        rows=[["ours", ".732"]],
    )


def exists(command: str) -> bool:
    """Whether a command that begins with `cicada eval`, `python -m` or `make` is there."""
    if found := re.match(r"cicada eval ([a-z]+)", command):
        return found[1] in evaluate.commands
    if found := re.match(r"python -m ([\w.]+)", command):
        return find_spec(found[1]) is not None
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    return command.removeprefix("make ") in targets


# ---- the repository -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_shows_what_was_last_recorded(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rendered(text, RECORDS) == text, "Run `make figures`."


@pytest.fixture(scope="module")
def everything() -> list[Written]:
    return written()


def test_every_figure_has_a_record_a_benchmark_or_a_source(everything: list[Written]) -> None:
    assert strays(everything, RECORDS, sourced()) == []


@pytest.mark.parametrize("each", sourced(), ids=lambda each: f"{each.file}: {each.words}")
def test_what_has_a_source_still_stands_there(each: Sourced, everything: list[Written]) -> None:
    texts = [" ".join(passage.text.split()) for passage in everything if passage.file == each.file]
    assert any(each.words in text for text in texts)


def test_every_record_is_shown_somewhere() -> None:
    shown = {name for page in pages() for name in blocks(page.read_text("utf-8"))}
    cited = {name for passage in written() for name in passage.records}
    assert set(RECORDS) == shown | cited


@pytest.mark.parametrize("record", [each for each in RECORDS.values() if not each.commit], ids=lambda each: each.name)
def test_a_record_without_a_commit_names_a_command_that_is_there(record: Record) -> None:
    assert exists(record.command), record.command


def test_every_benchmark_that_a_page_names_is_there() -> None:
    for mark in (mark for page in pages() for mark in measured_marks(page.read_text("utf-8"))):
        command, when, machine = mark.split(", ", 2)
        assert exists(command), mark
        assert re.fullmatch(r"[A-Z][a-z]+ 20\d\d", when) and machine, mark


# ---- rendering and finding ------------------------------------------------------------------------------------


def test_a_block_is_rendered_from_its_record() -> None:
    text = "Before.\n\n<!-- figures:thresholds -->\nstale row\n<!-- /figures -->\n\nAfter.\n"
    page = rendered(text, {"thresholds": recorded()})
    assert "| ours | .732 |" in page
    assert "*Tuned on this set. `cicada eval retrieval DIR`, 2026-11-22.*" in page
    assert "stale row" not in page
    assert page.startswith("Before.\n\n<!-- figures:thresholds -->") and page.endswith("<!-- /figures -->\n\nAfter.\n")
    assert rendered(page, {"thresholds": recorded()}) == page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It gains .02 on one set.", [".02"]),
        ("A score of 0.732 is good.", ["0.732"]),
        ("saves 41 % of the calls", ["41 %"]),
        ("in 9.8 ms, with 370 MB", ["9.8 ms", "370 MB"]),
        ("parsing takes 8 seconds", ["8 seconds"]),
        ("since version 3.11 of Python, k1 = 1.2, section 4.12", []),
    ],
)
def test_what_looks_like_a_measured_result_is_found(text: str, found: list[str]) -> None:
    assert [figure for _, figure in strays([Written("page.md", text)], {}, [])] == found


def test_a_figure_beside_its_record_must_be_in_it() -> None:
    passages = [Written("a.py", "It reaches .732 (docs/figures/thresholds.json)."), Written("b.py", "Some say .74.")]
    wrong = Written("c.py", "It reaches .733 of 300 (docs/figures/thresholds.json).")
    assert strays([*passages, wrong], {"thresholds": recorded()}, []) == [("b.py", ".74"), ("c.py", ".733")]
    assert strays(passages[:1], {}, []) == [("a.py", ".732")]
