"""No figure without a command that computes it: pages, docstrings and comments against the records."""

from __future__ import annotations

import re
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Hit, IndexHits, Ranking, Retrieval
from cicada.retrieval.rerank.gated import MARGIN, retrievers_agree
from evals.figures.agreement import Lead
from evals.figures.catalogue import FIGURES
from evals.figures.citations import (
    Sourced,
    Written,
    measured_marks,
    paragraphs,
    source_passages,
    sourced,
    strays,
    written,
)
from evals.figures.pages import UnknownFigureError, blocks, pages, rendered
from evals.figures.record import Record, load_records, save_record
from evals.figures.sets import TUNED_ON, Sets
from local.stage.settings import ROOT
from tests.evals.retrieval_set import LetterEncoder, write_set

RECORDS = load_records()
# Figures of retrieval sets, which a tiny set does for; the others embed the plays or read large documents.
OF_SETS = sorted(
    set(FIGURES)
    - {
        "asked-changes",
        "small-bases",
        "evidence-quality",
        "chunk-sizes",
        "stand-in-answers",
        "reader-limits",
        "retrieval-differences",
        "intents-unseen-authors",
        "document-signals",
        "document-scores",
        "document-ambiguity",
    }
)


@pytest.fixture
def sets(tmp_path: Path) -> Sets:
    for name in TUNED_ON:
        write_set(tmp_path / name)
    return Sets(tmp_path, LetterEncoder())


def recorded(name: str = "thresholds", cell: str = ".732") -> Record:
    return Record(
        name=name,
        measured=date(2026, 11, 22),
        machine="2 cores",
        evidence="Tuned on this set.",
        samples={"scifact": 300},
        header=["", "nDCG@10"],
        rows=[["ours", cell]],
    )


# ---- the repository -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_shows_what_was_last_recorded(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rendered(text, RECORDS) == text, "Run `python -m evals.figures --render`."


@pytest.fixture(scope="module")
def everything() -> list[Written]:
    return written()


def test_every_figure_has_a_record_a_benchmark_or_a_source(everything: list[Written]) -> None:
    assert strays(everything, RECORDS, sourced()) == []


@pytest.mark.parametrize("each", sourced(), ids=lambda each: f"{each.file}: {each.words}")
def test_what_has_a_source_still_stands_there(each: Sourced, everything: list[Written]) -> None:
    texts = [" ".join(passage.text.split()) for passage in everything if passage.file == each.file]
    assert any(each.words in text for text in texts)


def test_every_figure_is_recorded_can_be_computed_again_and_is_shown_somewhere() -> None:
    shown = {name for page in pages() for name in blocks(page.read_text("utf-8"))}
    cited = {name for passage in written() for name in passage.records}
    assert set(RECORDS) == set(FIGURES)
    assert set(RECORDS) <= shown | cited
    assert shown | cited <= set(FIGURES)


@pytest.mark.parametrize("record", RECORDS.values(), ids=lambda record: record.name)
def test_a_record_says_what_its_figures_are_worth_as_the_catalogue_does(record: Record) -> None:
    assert record.evidence == FIGURES[record.name].evidence


def test_every_benchmark_that_a_page_names_is_there() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for mark in (mark for page in pages() for mark in measured_marks(page.read_text("utf-8"))):
        command, when, machine = mark.split(", ", 2)
        program, name = command.rsplit(" ", 1)
        module = f"cli.evaluate.{name}" if program == "cicada eval" else name
        assert name in targets if program == "make" else find_spec(module), mark
        assert re.fullmatch(r"[A-Z][a-z]+ 20\d\d", when) and machine, mark


# ---- rendering and finding ------------------------------------------------------------------------------------


def test_a_block_is_rendered_from_its_record() -> None:
    text = "Before.\n\n<!-- figures:thresholds -->\nstale row\n<!-- /figures -->\n\nAfter.\n"
    page = rendered(text, {"thresholds": recorded()})
    assert "| ours | .732 |" in page
    assert "*Tuned on this set. `make figures ONLY=thresholds`, 2026-11-22.*" in page
    assert "stale row" not in page
    assert page.startswith("Before.\n\n<!-- figures:thresholds -->") and page.endswith("<!-- /figures -->\n\nAfter.\n")
    assert rendered(page, {"thresholds": recorded()}) == page


def test_a_block_without_a_record_says_how_to_make_one() -> None:
    page = rendered("<!-- figures:thresholds -->\n| .9 |\n<!-- /figures -->", {})
    assert "*Not computed yet: `make figures DATA=… ONLY=thresholds`.*" in page
    assert ".9" not in page


def test_a_block_that_nothing_computes_is_refused() -> None:
    with pytest.raises(UnknownFigureError, match=r"Nothing computes the figure speed; .*catalogue\.py"):
        rendered("<!-- figures:speed -->\n<!-- /figures -->", {})


def test_a_record_is_read_as_it_was_kept(tmp_path: Path) -> None:
    save_record(recorded(), tmp_path / "figures")
    assert load_records(tmp_path / "figures") == {"thresholds": recorded()}


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


def test_a_figure_with_a_source_is_let_through_in_its_file_alone() -> None:
    allowed = [Sourced(file="a.md", words="at most 32 KB", why="a limit")]
    passages = [Written("a.md", "It has at\nmost 32 KB; ours 30 KB."), Written("b.md", "at most 32 KB")]
    assert strays(passages, {}, allowed) == [("a.md", "30 KB"), ("b.md", "32 KB")]


def test_blocks_of_a_page_are_no_prose() -> None:
    page = (
        "One.\n\n<!-- figures:thresholds -->\n.732\n<!-- /figures -->\n\n"
        "<!-- measured: make bench, November 2026, 2 cores -->\n9 ms\n<!-- /measured -->\n\nTwo: 3 ms."
    )
    assert [each.text for each in paragraphs("page.md", page)] == ["One.", "Two: 3 ms."]
    assert measured_marks(page) == ["make bench, November 2026, 2 cores"]
    assert list(blocks(page)) == ["thresholds"]


def test_docstrings_and_comments_are_read_and_code_is_not() -> None:
    source = '"""Module."""\nX = 0.75  # one\n# two\n\n\ndef f() -> None:\n    """Inner."""\n    g("0.55")  # three\n'
    assert [each.text for each in source_passages("a.py", source)] == ["Module.", "Inner.", "one two", "three"]


# ---- what is computed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_SETS)
def test_a_figure_is_computed_from_any_sets(sets: Sets, name: str) -> None:
    table = FIGURES[name].compute(sets)
    assert {len(row) for row in table.rows} == {len(table.header)}
    assert table.samples == dict.fromkeys(TUNED_ON, 3)


@pytest.mark.parametrize("lead", [0.12, 5.0])
def test_the_rule_of_the_table_is_that_of_the_product(lead: float) -> None:
    """Both retrievers put the first passage first: closely, or by far."""
    document = DocumentKey(KnowledgeBaseKey("tenant", "base"), "play")
    passages = [Passage(str(at), document, "1", "", "", "", SectionLocator(())) for at in range(12)]
    lexical = tuple(Hit(each, 1.0 + at % 2 / 9 + (lead if at == 0 else 0)) for at, each in enumerate(passages))
    hits = IndexHits(lexical, tuple(Hit(hit.passage, hit.score / 9) for hit in lexical))
    found = Retrieval(hits, fuse(hits, "zscore"), Ranking((), "fusion"))
    assert Lead(MARGIN)(found) == retrievers_agree(found.candidates)
    assert Lead(0)(found)
