"""A processor whose planning model is a server of the OpenAI protocol, and that server in good and bad moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from local.stage.isolated import free_port
from local.stage.processes import stop_all
from local.stage.servers import start_bedrock
from tests.chaos.target import Target
from tests.e2e.processor import processor_with
from tests.e2e.store import Fields, Store, asked, last, listed
from tests.e2e.wire import Events
from tests.fakes.model_server import ModelServer
from tests.local.bedrock.conftest import running

PLAN: dict[str, Any] = {
    "intent": "script_query",
    "strategy": "MetadataOnly",
    "query": "Which SOPs of QA are approved?",
    "filters": {
        "type": {"any_of": ["procedure"]},
        "status": {"any_of": ["approved"]},
        "department": {"any_of": ["QA"]},
    },
}
MODEL = "cicada.local-model"
SURE = "How many contracts expire in 2026?"
# Longer than one call of a planning model may take.
SLOW_SECONDS = 5.0
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Planned:
    """The stage with the sample documents, and the server that plans for it."""

    stage: Target
    documents: Store
    server: ModelServer
    serving: ExitStack

    def ask_unsure(self, **behaviour: Any) -> Events:
        """A question that the rules are unsure of, each time another one, while the server behaves like this."""
        usual = {name: getattr(self.server, name) for name in behaviour}
        _set(self.server, behaviour)
        try:
            return asked(self.stage, f"Give me whichever approved procedures quality has, please{'.' * next(_numbers)}")
        finally:
            _set(self.server, usual)

    @property
    def wanted(self) -> set[str]:
        return self.documents.ids(_is_wanted)


def _set(server: ModelServer, behaviour: Mapping[str, Any]) -> None:
    for name, value in behaviour.items():
        setattr(server, name, value)


def _is_wanted(fields: Fields) -> bool:
    return (fields["type"], fields["status"], fields["department"]) == ("SOP", "approved", "Quality Assurance")


@pytest.fixture(scope="module")
def planned(stage: Target, store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    """The processor's calls of Bedrock go to a second stand-in, which asks the server."""
    server = ModelServer(PLAN)
    folder = tmp_path_factory.mktemp("planning")
    with ExitStack() as serving, ExitStack() as ending:
        url = serving.enter_context(running(server.app))
        config = replace(stage.config, folder=folder, bedrock_port=free_port(), model_url=url)
        standin = start_bedrock(config)
        ending.callback(stop_all, [standin])
        standin.wait_until_ready()
        planning = {"CICADA_PLAN_MODEL_IDS": MODEL, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": config.bedrock_url}
        ending.enter_context(processor_with(stage, **planning))
        yield Planned(stage, store, server, serving)


def test_what_the_rules_are_sure_of_is_not_asked_of_the_model(planned: Planned) -> None:
    events = asked(planned.stage, SURE)
    assert "plan:rules" in last(events)["path"]
    assert last(events)["plan"]["confidence"] > 0.8
    assert planned.server.planned == []


def test_the_model_plans_what_the_rules_are_unsure_of(planned: Planned) -> None:
    events = planned.ask_unsure()
    assert "plan:model" in last(events)["path"]
    assert set(listed(events)) == planned.wanted
    assert (last(events)["plan"]["by"], last(events)["plan"].get("confidence")) == ("model", None)
    assert len(planned.server.planned) == 1


@pytest.mark.parametrize(
    "behaviour",
    [
        {"plan": PLAN | {"filters": {"colour": {"any_of": ["red"]}}}},
        {"pause_seconds": SLOW_SECONDS},
        {"breaks_at": 40},
        {"breaks_at": 40, "ends": False},
    ],
    ids=["a field that there is not", "slow", "broken JSON", "a cut stream"],
)
def test_where_the_model_fails_the_rules_answer_and_say_how_sure_they_are(
    planned: Planned, behaviour: dict[str, Any]
) -> None:
    events = planned.ask_unsure(**behaviour)
    assert last(events)["type"] == "complete"
    assert "plan:rules_after_model_failed" in last(events)["path"]
    assert last(events)["plan"]["confidence"] < 0.8
    assert listed(events)
    # A model that fails three times in a row would be left out for a while.
    assert "plan:model" in last(planned.ask_unsure())["path"]


def test_a_server_without_tools_plans_by_the_schema(planned: Planned) -> None:
    events = planned.ask_unsure(has_tools=False)
    assert "plan:model" in last(events)["path"]
    assert set(listed(events)) == planned.wanted


def test_where_the_server_cannot_be_reached_the_rules_answer(planned: Planned) -> None:
    planned.serving.close()
    events = planned.ask_unsure()
    assert last(events)["type"] == "complete"
    assert "plan:rules_after_model_failed" in last(events)["path"]
    assert listed(events)
