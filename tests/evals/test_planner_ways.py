"""Plans of a model in the evaluation of planners."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cicada.documents.catalogue import DOCUMENTS, Sort
from cicada.documents.model import AnyOf, Condition, Contains, Exists, NoneOf, Range
from cicada.errors import CicadaError, PlanRefusedError, UnavailableError
from cicada.observability.telemetry import count_tokens
from cicada.understanding.plan import Intent, Plan, PlanRequest, Shape
from cicada.understanding.planners import PlannerMode
from cli.__main__ import main
from evals.planner import PlannerReport, dollars, evaluate_planner, judged
from evals.planner_files import LabelledConversation, LabelledQuery, load_schemas
from evals.planner_ways import ModelUnreachableError, ModelWay
from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings, Upstream
from tests.fakes.model_server import ModelServer
from tests.local.bedrock.conftest import running

SCHEMA = {"now": "2026-05-20", "asker": "Ada Brook", "documents": ["deed", "deeds"],
          "fields": {"stage": ["sketch", "lapsed"], "kind": ["charter", "letter"], "sealed": "ISO date",
                     "place": "keyword"}}  # fmt: skip
SURE = {"query": "lapsed charters", "strategy": "MetadataOnly", "filters": {"stage": "lapsed", "kind": "charter"}}
UNSURE = {"query": "whichever of the deeds, if any, somehow went stale, roughly", "strategy": "MetadataOnly",
          "filters": {"stage": "lapsed"}}  # fmt: skip


def listing(*conditions: Condition, **parts: Any) -> Plan:
    return Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "…", filters=conditions, by="model", **parts)


LAPSED = AnyOf("stage", frozenset({"lapsed"}))


@dataclass
class Model:
    """Makes these plans, or fails with these errors, one after the other; the last one again and again."""

    script: list[Plan | CicadaError]
    asked: list[PlanRequest] = field(default_factory=list)

    def plan(self, request: PlanRequest) -> Plan:
        self.asked.append(request)
        count_tokens(1000, 50)
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(step, CicadaError):
            raise step
        return step


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(SCHEMA), "utf-8")
    return file


def report(
    schema: Path, model: Model, *queries: dict[str, Any], mode: str = "model", later: bool = False
) -> PlannerReport:
    turns = [LabelledQuery.model_validate(each) for each in queries]
    rows = [LabelledConversation(turns=turns)] if later else [LabelledConversation(turns=[each]) for each in turns]
    way, ticks = ModelWay(model, PlannerMode(mode)), iter(range(100))
    found = judged(rows, load_schemas(schema), later=later, way=way, clock=lambda: float(next(ticks)))
    return evaluate_planner(found)


def test_the_models_plans_are_judged_with_their_time_and_tokens(schema: Path) -> None:
    found = report(schema, Model([listing(LAPSED), listing()]), UNSURE, UNSURE)
    assert (found["whole"], found["planned_by"], found["failures"]) == (0.5, {"model": 2}, {})
    assert found["seconds"] == {"median": 1.0, "p90": 1.0}
    assert found["tokens"] == {"read": 2000, "written": 100}
    assert dollars(found, 1.0, 10.0) == pytest.approx(0.003)


def test_a_model_says_not_how_sure_it_is(schema: Path) -> None:
    assert report(schema, Model([listing(LAPSED)]), UNSURE)["confident"]["coverage"] == 0


def test_in_mode_auto_the_model_is_asked_where_the_rules_are_unsure(schema: Path) -> None:
    model = Model([listing(LAPSED)])
    found = report(schema, model, SURE, UNSURE, mode="auto")
    assert [each.message for each in model.asked] == [UNSURE["query"]]
    assert found["planned_by"] == {"rules": 1, "model": 1}
    assert found["confident"]["coverage"] == 0.5


def test_a_failed_plan_is_that_of_the_rules_and_is_counted_by_its_reason(schema: Path) -> None:
    model = Model([PlanRefusedError("…", "unknown_field"), UnavailableError("…"), listing(LAPSED)])
    found = report(schema, model, SURE, SURE, UNSURE)
    assert found["planned_by"] == {"rules_after_model_failed": 2, "model": 1}
    assert found["failures"] == {"unknown_field": 1, "dependency_unavailable": 1}
    assert (found["whole"], found["confident"]["coverage"]) == (1.0, 0.0)


def test_a_model_that_never_answers_ends_the_run(schema: Path) -> None:
    with pytest.raises(ModelUnreachableError, match=r"^The planning model did not answer: It is away\.$"):
        report(schema, Model([UnavailableError("It is away.")]), SURE)


def test_a_later_turn_is_planned_with_the_messages_before_it(schema: Path) -> None:
    model = Model([listing(LAPSED)])
    report(schema, model, SURE, UNSURE, later=True)
    [asked] = model.asked
    assert ([turn.question for turn in asked.turns], asked.messages) == ([SURE["query"]], (SURE["query"],))
    assert (asked.asker, asked.now.date().isoformat()) == ("Ada Brook", "2026-05-20")


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        (NoneOf("stage", frozenset({"sketch"})), {"stage": "lapsed"}),
        (Range("sealed", least="2026-05-01", most="2026-05-31"), {"sealed": {"gte": "2026-05-01", "lt": "2026-06-01"}}),
        (Range("sealed", above="2026-04-30"), {"sealed": {"gte": "2026-05-01"}}),
        (Exists("sealed", False), {"sealed": None}),
        (Exists("sealed"), {"sealed": {"set": True}}),
        (Contains("place", "York"), {"place": {"contains": "York"}}),
    ],
)
def test_a_condition_is_right_if_it_means_the_label(schema: Path, condition: Condition, label: dict[str, Any]) -> None:
    found = report(schema, Model([listing(condition)]), UNSURE | {"filters": label})
    assert found["filters_exact"] == 1.0


def test_numbers_groups_and_order_are_judged(schema: Path) -> None:
    counted = UNSURE | {"filters": {}, "aggregates": [{"op": "count", "field": "*"}], "group": ["kind"],
                        "sort": {"field": "*", "of": "count", "descending": True}, "limit": 1}  # fmt: skip
    plan = listing(aggregates=(DOCUMENTS,), group=("kind",), sort=Sort("*", True, "count"), limit=1)
    found = report(schema, Model([plan]), counted)
    assert (found["aggregates_exact"], found["group_exact"], found["sort_exact"], found["whole"]) == (1, 1, 1, 1)


# ---- the command --------------------------------------------------------------------------------------------------

WRITTEN = {"intent": "script_query", "strategy": "MetadataOnly", "query": "lapsed deeds",
           "filters": {"stage": {"any_of": ["lapsed"]}}}  # fmt: skip


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    file = tmp_path / "queries.jsonl"
    file.write_text(json.dumps(UNSURE), "utf-8")
    return file


@contextmanager
def stage(folder: Path, monkeypatch: pytest.MonkeyPatch, upstream: str = "") -> Iterator[None]:
    """A local stage that has no more than its Bedrock."""
    settings = Settings(upstream=Upstream(upstream) if upstream else None)
    with running(build(settings, HashEmbedder())) as url:
        said = {"websocketUrl": url, "endpointUrl": url, "bedrockUrl": url, "region": "us-east-1", "clientId": "c"}
        (folder / "stage.json").write_text(json.dumps(said | {"users": [], "functions": {}}), "utf-8")
        monkeypatch.setenv("CICADA_STAGE_FILE", str(folder / "stage.json"))
        yield


def test_the_command_asks_the_local_stages_model(
    queries: Path, schema: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = ModelServer(WRITTEN)
    with running(server.app) as upstream, stage(tmp_path, monkeypatch, upstream):
        assert main(["eval", "planner", str(queries), "--schema", str(schema), "--by", "model", "--json",
                     "--price-in", "1", "--price-out", "2"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert (found["whole"], found["planned_by"]) == (1.0, {"model": 1})
    assert server.planned == [UNSURE["query"]]
    assert found["dollars"] == pytest.approx((found["tokens"]["read"] + 2 * found["tokens"]["written"]) / 1e6)


def test_without_a_model_the_command_says_how_to_get_one(
    queries: Path, schema: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["eval", "planner", str(queries), "--schema", str(schema), "--by", "model"]
    monkeypatch.setenv("CICADA_STAGE_FILE", str(tmp_path / "none.json"))
    assert main(asked) == 1
    assert "start the local stage with CICADA_LLM_URL, or name one of Bedrock by --model." in capsys.readouterr().err
    with stage(tmp_path, monkeypatch):
        assert main(asked) == 1
    assert "The local stage runs without CICADA_LLM_URL." in capsys.readouterr().err


def test_a_model_server_that_is_away_is_said(
    queries: Path, schema: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with stage(tmp_path, monkeypatch, f"http://127.0.0.1:{closed.getsockname()[1]}"):
            assert main(["eval", "planner", str(queries), "--schema", str(schema), "--by", "auto"]) == 1
    assert "The planning model did not answer" in capsys.readouterr().err
