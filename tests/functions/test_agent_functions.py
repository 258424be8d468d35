"""The action groups of the agents, called as Bedrock and as the Lambda console call them."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.entries import Keeping
from cicada.agents.evidence import TurnEvidence
from cicada.agents.theories import TheoryTools
from cicada.bootstrap.agents import profile_tools
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument
from cicada.observability.telemetry import note_shown
from tests.contract.entries_table import entries_table
from tests.fakes.agent_search import BrokenAgentSearch, FixedAgentSearch
from tests.fakes.audit import RecordingTrail

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROOT = Path(__file__).resolve().parents[2]
REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
Event = dict[str, Any]
Call = Callable[[Event], dict[str, Any]]


def event(name: str) -> Event:
    loaded: Event = json.loads((ROOT / "events" / f"{name}.json").read_text("utf-8"))
    return loaded


def call_of(base: Event, function: str, **arguments: str) -> Event:
    changed = copy.deepcopy(base)
    changed["function"] = function
    changed["parameters"] = [{"name": key, "type": "string", "value": value} for key, value in arguments.items()]
    return changed


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_handler", ROOT / "functions" / name / "handler.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def body(reply: dict[str, Any]) -> str:
    return str(reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"])


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[DynamoDBClient, str]]:
    with entries_table() as (client, name):
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("CICADA_ENTRIES_TABLE", name)
        profile_tools.cache_clear()
        yield client, name
    profile_tools.cache_clear()


@pytest.fixture
def profiles(table: tuple[DynamoDBClient, str]) -> Call:
    module = loaded("agent_profiles")
    return lambda event: dict(module.handler(event, None))


def theories_with(
    agent_search: FixedAgentSearch, table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch
) -> Call:
    module = loaded("agent_theories")
    tools = TheoryTools(Keeping(DynamoEntryStore(*table), lambda: 42.0, lambda: "an id"), agent_search)
    monkeypatch.setattr(module, "theory_tools", lambda: tools)
    return lambda event: dict(module.handler(event, None))


def rows(table: tuple[DynamoDBClient, str]) -> list[tuple[str, str]]:
    client, name = table
    return [(item["pk"]["S"], item["sk"]["S"]) for item in client.scan(TableName=name)["Items"]]


def test_console_event_saves_a_profile(profiles: Call, table: tuple[DynamoDBClient, str]) -> None:
    sent = event("agent_profiles")
    assert profiles(sent) == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "profiles",
            "function": "save_profile",
            "functionResponse": {"responseBody": {"TEXT": {"body": "Saved the character profile “Banquo”."}}},
        },
        "sessionAttributes": {
            "tenant": "default",
            "user": "console-user",
            "groups": "[]",
            "knowledgeBase": "scripts",
            "writes": "amend append delete rename restore save",
        },
        "promptSessionAttributes": {"knowledgeBase": "scripts"},
    }
    assert rows(table) == [("default#console-user", "PROFILES#scripts#NOW#character#banquo")]


def test_every_profile_tool_works_through_the_action_group(profiles: Call) -> None:
    def said(function: str, **arguments: str) -> str:
        return body(profiles(call_of(event("agent_profiles"), function, **arguments)))

    profiles(event("agent_profiles"))
    assert said("get_profile", kind="character", name="BANQUO").endswith("companion and the father of Fleance.")
    assert said("append_to_profile", name="Banquo", addition="A ghost.").endswith("father of Fleance.\n| A ghost.")
    assert said("amend_profile", name="Banquo", description="A thane.").startswith("Amended the character profile")
    assert said("rename_profile", name="Banquo", new_name="The thane of Lochaber").startswith("Renamed the character")
    assert said("list_profiles").startswith("You have 1 profile:\n| - character The thane of Lochaber")
    assert said("list_profiles", kind="group") == "You have no group profiles."
    assert said("delete_profile", kind="character", name="Lochaber").startswith("Deleted the character profile")
    assert said("list_profiles") == "You have no profiles."
    assert said("restore_profile", name="Banquo", version="1").endswith("and the father of Fleance.")


@pytest.mark.parametrize(
    "attributes",
    [
        None,
        {},
        {"tenant": "default", "knowledgeBase": "scripts"},
        {"tenant": "", "user": "console-user", "knowledgeBase": "scripts"},
        {"tenant": "default", "user": "console-user"},
    ],
)
def test_session_without_an_identity(
    profiles: Call, table: tuple[DynamoDBClient, str], attributes: dict[str, str] | None
) -> None:
    sent = event("agent_profiles") | {"sessionAttributes": attributes}
    assert body(profiles(sent)) == "Refused: the session does not say who the user is. Nothing was done."
    assert rows(table) == []


def test_an_identity_in_the_arguments_is_of_no_effect(profiles: Call, table: tuple[DynamoDBClient, str]) -> None:
    sent = event("agent_profiles")
    sent["parameters"] += [{"name": key, "type": "string", "value": "x"} for key in ("tenant", "user", "session")]
    profiles(sent)
    assert rows(table) == [("default#console-user", "PROFILES#scripts#NOW#character#banquo")]


def test_a_missing_argument_is_a_sentence_and_no_crash(profiles: Call) -> None:
    sent = call_of(event("agent_profiles"), "get_profile", kind="character")
    assert body(profiles(sent)) == "The name is missing. Nothing was done."


def test_failing_database(profiles: Call, table: tuple[DynamoDBClient, str], caplog: pytest.LogCaptureFixture) -> None:
    client, name = table
    client.delete_table(TableName=name)
    reply = profiles(event("agent_profiles"))["response"]["functionResponse"]
    assert reply["responseState"] == "FAILURE"
    assert "The database refused the call" in reply["responseBody"]["TEXT"]["body"]
    assert "A tool failed" in caplog.text
    assert "Fleance" not in caplog.text


def test_the_console_event_saves_a_theory(table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch) -> None:
    theories = theories_with(FixedAgentSearch("[1] …"), table, monkeypatch)
    sent = event("agent_theories")
    reply = theories(sent)
    assert body(reply) == "Saved the theory “The third murderer”."
    assert reply["response"]["actionGroup"] == "theories"
    assert rows(table) == [("default#console-user", "THEORIES#scripts#NOW#theory#the third murderer")]
    said = body(theories(call_of(sent, "list_theories")))
    assert "- The third murderer (1970-01-01): The third murderer, who joins" in said


def test_every_theory_tool(table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch) -> None:
    theories = theories_with(FixedAgentSearch("[1] …"), table, monkeypatch)

    def said(function: str, **arguments: str) -> str:
        return body(theories(call_of(event("agent_theories"), function, **arguments)))

    theories(event("agent_theories"))
    assert said("append_to_theory", title="murderer", addition="He comes late.").endswith("is Ross.\n| He comes late.")
    assert said("amend_theory", title="murderer", statement="It is Macbeth.").startswith("Amended the theory")
    assert said("rename_theory", title="murderer", new_title="The third man").startswith("Renamed the theory")
    assert said("get_theory", title="the third man").startswith(
        "The theory “The third man”, saved on 1970-01-01:\n| It"
    )
    assert said("judge_theory", title="The third man", verdict="open").startswith("Verdicts are not kept here.")
    assert said("delete_theory", title="The third man").startswith("Deleted the theory “The third man”.")
    assert said("list_theories") == "You have no theories."
    assert said("restore_theory").endswith("It reads:\n| It is Macbeth.")
    assert said("restore_theory", title="The third man", version="1").endswith("at the park, is Ross.")


def test_evidence_is_of_the_sessions_base(table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch) -> None:
    agent_search = FixedAgentSearch("[1] Episode: Macbeth\nBut who did bid thee join with us?")
    theories = theories_with(agent_search, table, monkeypatch)
    reply = body(theories(call_of(event("agent_theories"), "search_evidence", query="who did bid thee join")))
    assert "But who did bid thee join with us?" in reply
    assert agent_search.searches == [(Principal("default", "console-user"), "scripts", "who did bid thee join")]


def test_failed_search_is_no_empty_result(table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch) -> None:
    theories = theories_with(BrokenAgentSearch(""), table, monkeypatch)
    reply = theories(call_of(event("agent_theories"), "search_evidence", query="who"))["response"]
    assert reply["functionResponse"]["responseState"] == "FAILURE"


@pytest.mark.parametrize(
    ("name", "wired"),
    [
        (
            "agent_profiles",
            "list_profiles list_theories get_profile save_profile append_to_profile amend_profile rename_profile "
            "delete_profile restore_profile",
        ),
        (
            "agent_theories",
            "save_theory list_theories list_profiles get_theory append_to_theory amend_theory rename_theory "
            "delete_theory restore_theory search_evidence judge_theory",
        ),
    ],
)
def test_every_described_tool_is_wired(name: str, wired: str) -> None:
    described = json.loads((ROOT / "layers/shared/python/cicada/agents/tools.json").read_text("utf-8"))
    functions = {each["name"]: set(each["parameters"]) for each in described[name.removeprefix("agent_")]["functions"]}
    module = loaded(name)
    assert " ".join(functions) == wired
    for function, parameters in functions.items():
        assert set(getattr(module, function).__code__.co_varnames) - {"session"} == parameters
    assert set(module.app._tools) == set(functions)


def test_what_a_search_shows_is_recorded(
    table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch, audited: RecordingTrail
) -> None:
    class Showing(FixedAgentSearch):
        def search(
            self, principal: Principal, knowledge_base: str, query: str, evidence: TurnEvidence | None = None
        ) -> str:
            note_shown([ShownDocument(knowledge_base, "macbeth.json", "v1")])
            return super().search(principal, knowledge_base, query)

    sent = call_of(event("agent_theories"), "search_evidence", query="the third murderer")
    sent["sessionAttributes"] |= {"tenant": "acme", "user": "u1", "login": "ann", "request": f"{REQUEST}#2"}
    theories_with(Showing("| Who did bid thee join with us?"), table, monkeypatch)(sent)
    [shown] = audited.shown
    assert (shown.tenant, shown.user, shown.login) == ("acme", "u1", "ann")
    assert (shown.request_id, shown.attempt, shown.outcome) == (REQUEST, 2, "tool")
    assert shown.documents == (ShownDocument(shown.knowledge_base, "macbeth.json", "v1"),)


def test_a_tool_that_shows_no_document_leaves_no_record(profiles: Call, audited: RecordingTrail) -> None:
    profiles(event("agent_profiles"))
    assert audited.records == []
