from __future__ import annotations

import json
from typing import Any

import pytest

from cicada.answering.console import answer_at_once
from cicada.documents.model import AnyOf, KnowledgeBaseKey
from cicada.errors import CicadaError, ConfigurationError, StreamBrokenError, ThrottledError
from cicada.identity import Principal
from cicada.understanding.plan import Intent
from tests.fakes.chat_model import ScriptedModel, failing_model
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import Situation

MESSAGE = {"tenant": "acme", "message": "Who tells Macbeth that the queen is dead?"}


def result(here: Situation, event: dict[str, Any]) -> dict[str, Any]:
    answered = answer_at_once(event, here.answerer)
    assert json.loads(json.dumps(answered)) == answered
    return answered


@pytest.mark.parametrize("groups", ["legal", 5, None, {"legal": 1}])
def test_groups_that_are_no_list_are_refused(groups: object) -> None:
    assert result(Situation(), MESSAGE | {"groups": groups})["code"] == "invalid_frame"


def test_a_message_is_answered_with_the_whole_result() -> None:
    answered = result(Situation(), MESSAGE)
    assert (answered["type"], answered["text"], answered["confidence"]) == ("complete", "Seyton [1].", 1.0)
    assert [each["documentId"] for each in answered["sources"]] == ["macbeth.json"]
    assert answered["usage"] == {"inputTokens": 90, "outputTokens": 4}
    assert answered["path"] == ["script_query", "plan:rules", "retrieve", "rerank:local", "generate"]
    assert (answered["plan"]["strategy"], answered["plan"]["query"]) == ("ContentOnly", MESSAGE["message"])


def test_the_fields_of_a_message_and_the_user_may_be_given() -> None:
    here = Situation()
    result(
        here, MESSAGE | {"tenant": "acme", "user": "ann", "knowledgeBase": "plays", "scope": {"episodes": ["macbeth"]}}
    )
    [query] = here.index.queries
    assert query.filter.base_key == KnowledgeBaseKey("acme", "plays")
    assert query.filter.conditions == (AnyOf("episode_id", frozenset({"macbeth"})),)


def test_without_a_user_it_is_the_consoles() -> None:
    here = Situation().routed(Intent.PROFILE_REQUEST)
    result(here, {"message": MESSAGE["message"]})
    assert here.agent.turns[0].principal == Principal("default", "console")


def test_nothing_found_has_no_sources() -> None:
    answered = result(Situation(FixedIndex()), MESSAGE)
    assert (answered["sources"], answered["confidence"]) == ([], 0.0)
    assert "no passage" in answered["text"]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({}, 'The field "message" is missing.'),
        ({"message": ""}, 'The field "message" is not valid: string should have at least 1 character.'),
        ({"message": 5}, 'The field "message" is not valid: input should be a valid string.'),
        (
            MESSAGE | {"knowledgeBase": "../x"},
            'The field "knowledgeBase" does not have the form that the protocol asks for.',
        ),
    ],
)
def test_a_bad_event_is_answered_with_what_is_wrong(event: dict[str, Any], said: str) -> None:
    assert result(Situation(), event) == {"type": "error", "error": said, "code": "invalid_frame", "retryable": False}


def test_another_action_in_the_event_is_of_no_effect() -> None:
    assert result(Situation(), MESSAGE | {"action": "cancel"})["text"] == "Seyton [1]."


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (ThrottledError("Too often."), "dependency_throttled"),
        (StreamBrokenError("Broke off."), "stream_broken"),
        (ConfigurationError("No model."), "misconfigured"),
    ],
)
def test_a_failure_is_answered_as_an_error(failure: CicadaError, code: str) -> None:
    answered = result(Situation(model=failing_model(failure)), MESSAGE)
    assert (answered["type"], answered["code"]) == ("error", code)


def test_a_long_answer_is_whole() -> None:
    answered = result(Situation(model=ScriptedModel(["說" * 30_000, "話" * 30_000])), MESSAGE)
    assert answered["text"] == "說" * 30_000 + "話" * 30_000
