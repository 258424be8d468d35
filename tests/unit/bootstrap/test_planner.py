from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.bootstrap.conversation import chosen_planner
from cicada.errors import CicadaError, ConfigurationError, PlanRefusedError, ThrottledError
from cicada.observability.log import report_plan_fallback, report_planning_fault
from cicada.settings import PlannerSettings
from cicada.understanding.planners import LimitedPlanner, PlanCache, PlannerChain, PlannerMode
from tests.fakes.bedrock_wire import Refused, converse_reply, scripted_bedrock, tool_use
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request

MODELS = PlannerSettings(plan_model_ids="amazon.nova-pro-v1:0, amazon.nova-lite-v1:0")
UNSURE = FixedPlanner(replace(CONTENT, confidence=0.5))
WRITTEN = {"intent": "script_query", "strategy": "ContentOnly", "query": "Who dies?", "search_value": "who dies"}
PLANNED = converse_reply(tool_use("plan", WRITTEN), stop_reason="tool_use")


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")


def test_the_next_model_plans_when_the_first_is_throttled_and_its_plan_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_bedrock(Refused(429, "ThrottlingException"), PLANNED) as bedrock:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", bedrock.url)
        planner = chosen_planner(MODELS, UNSURE, 0.8)
        assert [planner.plan(plan_request()).by for _ in range(2)] == ["model", "model:cached"]
    assert [request.path.split("/")[2] for request in bedrock.requests] == MODELS.plan_model_ids.split(", ")


def test_when_no_model_answers_the_rules_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_bedrock(Refused(503, "ServiceUnavailableException")) as bedrock:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", bedrock.url)
        planner = chosen_planner(MODELS, UNSURE, 0.8)
        made = [planner.plan(plan_request()).by for _ in range(4)]
    assert made == ["rules_after_model_failed"] * 3 + ["rules:skipped_open_circuit"]
    assert len(bedrock.requests) == 6


@pytest.mark.parametrize(
    "settings", [PlannerSettings(), PlannerSettings(plan_model_ids=" , "), replace(MODELS, planner="rules")]
)
def test_without_a_model_no_client_is_made(settings: PlannerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    assert chosen_planner(settings, UNSURE, 0.8).plan(plan_request()).by == "rules"


def test_the_settings_and_the_time_limit_reach_the_planner() -> None:
    made = chosen_planner(replace(MODELS, planner="model"), UNSURE, 0.9)
    assert (made.mode, made.sure_of_intent) == (PlannerMode.MODEL, 0.9)
    assert isinstance(made.model, PlanCache)
    assert isinstance(made.model.planner, LimitedPlanner)
    assert isinstance(made.model.planner.planner, PlannerChain)
    models = [model for model, _ in made.model.planner.planner._planners]
    timeouts = {model._client.meta.config.read_timeout for model in models}  # type: ignore[attr-defined]
    assert timeouts == {4}


def test_an_unknown_mode_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ConfigurationError, match="must be auto, rules or model"):
        chosen_planner(replace(MODELS, planner="best"), UNSURE, 0.8)


@pytest.mark.parametrize(
    ("error", "level", "kind"),
    [
        (ThrottledError("Fewer."), "WARNING", None),
        (PlanRefusedError("No.", "unknown_field"), "WARNING", "unknown_field"),
        (ConfigurationError("No access."), "ERROR", None),
    ],
)
def test_a_failed_planning_model_is_logged_with_its_code(
    error: CicadaError, level: str, kind: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    report_plan_fallback(error)
    (record,) = caplog.records
    assert (record.levelname, record.__dict__["code"]) == (level, error.code)
    assert record.__dict__.get("planRefused") == kind


def test_a_fault_of_the_rules_is_logged_by_its_type_and_place_without_the_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        raise ValueError("Who hid the key?")
    except ValueError as error:
        report_planning_fault(error)
    (record,) = caplog.records
    assert (record.levelname, record.__dict__["kinds"]) == ("ERROR", ["ValueError"])
    assert "key" not in str(record.__dict__)
