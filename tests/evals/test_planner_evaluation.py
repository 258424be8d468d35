"""Scoring the deterministic planner on labelled queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.plan import Shape
from cli.__main__ import main
from evals.lines import DatasetError
from evals.planner import PlanJudgement, evaluate_planner, judged, run
from evals.planner_files import load_queries, load_schemas

SCHEMA = {
    "now": "2026-05-20",
    "fields": {
        "stage": ["sketch", "ratified", "lapsed"],
        "kind": ["charter", "letter"],
        "keeper": ["Ada Brook", "Will Tanner"],
        "sealed_date": "ISO date; half-open",
        "tags": ["flour", "tolls"],
        "fee": "number",
        "secret": "boolean",
        "place": "keyword",
    },
    "abbreviations": {"chr": "charter"},
    "synonyms": {"lapsed": ["dead"], "keeper": ["guardian"]},
}
QUERIES = [
    {"query": "lapsed charters", "strategy": "MetadataOnly", "filters": {"stage": "lapsed", "kind": "charter"}},
    {"query": "letters that are not lapsed", "strategy": "MetadataOnly",
     "filters": {"stage": ["ratified", "sketch"], "kind": "letter"}},
    {"query": "letters sealed since 2024", "strategy": "MetadataOnly",
     "filters": {"kind": "letter", "sealed_date": {"gte": "2024-01-01"}}},
    {"query": "letters without a keeper", "strategy": "MetadataOnly", "filters": {"kind": "letter", "keeper": None}},
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    queries, schema = tmp_path / "queries.jsonl", tmp_path / "schema.json"
    queries.write_text("\n".join(map(json.dumps, QUERIES)), "utf-8")
    schema.write_text(json.dumps(SCHEMA), "utf-8")
    return queries, schema


def test_a_schema_file_states_types_by_text_or_by_the_fields_names(files: tuple[Path, Path]) -> None:
    fields = load_schemas(files[1])[""].schema.fields

    assert {name: field.type for name, field in fields.items()} == {
        "stage": FieldType.KEYWORD,
        "kind": FieldType.KEYWORD,
        "keeper": FieldType.KEYWORD,
        "sealed_date": FieldType.DATE,
        "tags": FieldType.KEYWORDS,
        "fee": FieldType.NUMBER,
        "secret": FieldType.BOOLEAN,
        "place": FieldType.KEYWORD,
    }
    assert fields["kind"].synonyms == {"charter": ("chr",)}
    assert fields["keeper"].words == ("guardian",)


def test_filters_are_equal_when_they_mean_the_same(files: tuple[Path, Path]) -> None:
    elsewhere = {"query": 'letters whose place is not "Leeds"', "strategy": "MetadataOnly",
                 "filters": {"kind": "letter", "place": {"not": "Leeds"}}}  # fmt: skip
    files[0].write_text("\n".join(map(json.dumps, [*QUERIES, elsewhere])), "utf-8")
    rows = judged(load_queries(files[0]), load_schemas(files[1]), later=False)

    assert [row.filters == row.planned_filters for row in rows] == [True] * 5


def test_shares_are_of_queries_and_f1_is_of_single_filters() -> None:
    hit, miss = {"strategy": True, "filters": True}, {"strategy": False, "filters": False}
    right = PlanJudgement("a", Shape.HYBRID, {"kind": "x"}, {"kind": "x"}, hit)
    wrong = PlanJudgement("b", Shape.HYBRID, {"kind": "x", "stage": "y"}, {"kind": "z"}, miss)
    report = evaluate_planner([right, wrong])

    assert (report["n"], report["strategy_accuracy"], report["filters_exact"]) == (2, 0.5, 0.5)
    assert report["filters_f1"] == pytest.approx(2 * 1 / (2 + 3))
    assert report["by_strategy"]["Hybrid"] == {"n": 2, "strategy_accuracy": 0.5, "filters_exact": 0.5}
    assert report["by_field"]["stage"] == {"n": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert report["by_field"]["kind"] == {"n": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_the_command_prints_one_json_object(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "planner", str(files[0]), "--schema", str(files[1]), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert {"strategy_accuracy", "filters_exact", "aggregates_exact", "group_exact", "sort_exact"} <= set(report)
    assert set(report["confident"]) == {"threshold", "coverage", "accuracy"}
    assert report["n"] == 4


def test_numbers_groups_and_order_are_judged_where_a_query_states_them(files: tuple[Path, Path]) -> None:
    counted = {"query": "How many letters are there per stage?", "strategy": "MetadataOnly",
               "filters": {"kind": "letter"}, "aggregates": [{"op": "count", "field": "*"}], "group": ["stage"],
               "fields": ["stage"]}  # fmt: skip
    wrong = counted | {"aggregates": [{"op": "sum", "field": "fee"}]}
    files[0].write_text(f"{json.dumps(counted)}\n{json.dumps(wrong)}", "utf-8")

    report = run(*files)

    assert (report["whole"], report["aggregates_exact"], report["group_exact"]) == (0.5, 0.5, 1.0)


def test_later_turns_are_planned_after_the_right_plans_before_them(files: tuple[Path, Path]) -> None:
    first = {"query": "lapsed charters", "strategy": "MetadataOnly", "filters": {"stage": "lapsed", "kind": "charter"}}
    then = {"query": "and the ratified ones?", "strategy": "MetadataOnly",
            "filters": {"stage": "ratified", "kind": "charter"}}  # fmt: skip
    files[0].write_text(json.dumps({"turns": [first, then]}), "utf-8")

    report = run(*files, conversations=True)

    assert (report["n"], report["whole"]) == (1, 1.0)


def test_each_query_is_planned_by_the_schema_that_it_names(files: tuple[Path, Path]) -> None:
    files[1].write_text(json.dumps({"a": {"now": "2026-01-01", "fields": {"colour": ["red"]}}, "b": SCHEMA}), "utf-8")
    files[0].write_text(json.dumps(QUERIES[0] | {"table": "b"}), "utf-8")

    assert run(*files)["filters_exact"] == 1.0


def test_a_query_of_an_unknown_schema_is_refused(files: tuple[Path, Path]) -> None:
    files[1].write_text(json.dumps({"a": SCHEMA}), "utf-8")
    files[0].write_text(json.dumps(QUERIES[0] | {"table": "b"}), "utf-8")

    with pytest.raises(DatasetError, match="no schema has this name"):
        run(*files)


def test_a_bad_line_is_named(files: tuple[Path, Path]) -> None:
    files[0].write_text('{"query": "x", "strategy": "Guess"}', "utf-8")

    with pytest.raises(DatasetError, match="line 1: strategy"):
        run(*files)
