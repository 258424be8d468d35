"""A deployment's options reach the functions that they are for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.infra.deployed import Deployed, deployed, with_additions

AGENT_MODEL = "amazon.agent-v1:0"
CHOSEN = {
    "chatModel": ("message-processor", "CICADA_CHAT_MODEL_IDS", "amazon.chat-v1:0"),
    "firstTextSeconds": ("message-processor", "CICADA_FIRST_TEXT_SECONDS", "7"),
    "nextTextSeconds": ("message-processor", "CICADA_NEXT_TEXT_SECONDS", "30"),
    "chatTemperature": ("message-processor", "CICADA_CHAT_TEMPERATURE", "0.7"),
    "chatMaxTokens": ("message-processor", "CICADA_CHAT_MAX_TOKENS", "99"),
    "agents": ("message-processor", "CICADA_AGENTS", "bedrock"),
    "agentModel": ("message-processor", "CICADA_AGENT_MODEL_ID", AGENT_MODEL),
    "requestDays": ("ws-message", "CICADA_RETENTION_SECONDS", "259200"),
    "leaseSeconds": ("message-processor", "CICADA_LEASE_SECONDS", "21"),
    "queryModel": ("agent-theories", "CICADA_QUERY_MODEL_ID", "amazon.query-v1:0"),
    "planner": ("message-processor", "CICADA_PLANNER", "rules"),
    "planModels": ("message-processor", "CICADA_PLAN_MODEL_IDS", "amazon.plan-v1:0,amazon.plan-v2:0"),
    "contextModel": ("ingest-document", "CICADA_CONTEXT_MODEL_ID", "amazon.context-v1:0"),
    "cardModel": ("ingest-document", "CICADA_CARD_MODEL_ID", "amazon.card-v1:0"),
    "messagesPerMinute": ("ws-message", "CICADA_MESSAGES_PER_MINUTE", "7"),
    "defaultTenant": ("authorizer", "CICADA_DEFAULT_TENANT", "acme"),
    "commandsPerMinute": ("ws-control", "CICADA_COMMANDS_PER_MINUTE", "77"),
    "connectionsPerUser": ("ws-connect", "CICADA_CONNECTIONS_PER_USER", "4"),
    "requestsInFlight": ("ws-message", "CICADA_REQUESTS_IN_FLIGHT", "3"),
}


@pytest.fixture(scope="module")
def chosen() -> Deployed:
    context = {name: value for name, (_, _, value) in CHOSEN.items()} | {"requestDays": "3"}
    return deployed("dev", **context)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_context_value_reaches_the_function_that_it_is_for(chosen: Deployed, name: str) -> None:
    function, variable, value = CHOSEN[name]
    assert chosen.environment(function)[variable] == value
    default = deployed("dev", "converse" if function == "message-processor" else "bedrock")
    assert default.environment(function)[variable] != value


def test_one_chat_model_may_have_others_to_fall_back_to() -> None:
    processor = with_additions().environment("message-processor")
    assert processor["CICADA_CHAT_MODEL_IDS"] == "amazon.chat-v1:0,amazon.chat-v2:0"


def agents(stage: Deployed) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Each agent with its alias, by the agent's name without the stage's."""
    aliases = {stage.text(each["AgentId"]): each for _, each in stage.of_kind("AWS::Bedrock::AgentAlias")}
    found = stage.of_kind("AWS::Bedrock::Agent")
    return {each["AgentName"].split("-", 2)[2]: (each, aliases[f"{id}.AgentId"]) for id, each in found}


def test_another_model_for_the_agents_is_a_new_version_behind_their_aliases(chosen: Deployed) -> None:
    """An alias points to the version of its last update."""
    before, after = agents(deployed("dev", "bedrock")), agents(chosen)
    for name, (agent, alias) in after.items():
        assert agent["FoundationModel"] == AGENT_MODEL != before[name][0]["FoundationModel"]
        assert alias["Description"] != before[name][1]["Description"]
        assert alias["AgentAliasName"] == "dev"


def test_the_same_agents_keep_their_version() -> None:
    before, after = (agents(deployed(stage, "bedrock")) for stage in ("dev", "prod"))
    for name, (_, alias) in after.items():
        assert alias["Description"] == before[name][1]["Description"]


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_an_agent_has_the_librarys_instruction_and_tools_and_is_ready_when_deployed(stage: str) -> None:
    described = json.loads(Path("layers/shared/python/cicada/agents/tools.json").read_text("utf-8"))
    template = deployed(stage, "bedrock")
    found = agents(template)
    assert set(found) == set(described)
    for name, (agent, _) in found.items():
        assert agent["Instruction"] == described[name]["instruction"]
        assert agent["AutoPrepare"]
        [group] = agent["ActionGroups"]
        executor = template.resources[group["ActionGroupExecutor"]["Lambda"]["Fn::GetAtt"][0]]
        assert executor["Properties"]["FunctionName"].endswith(f"agent-{name}")
        assert group["ActionGroupName"] == name
        assert [lower(each) for each in group["FunctionSchema"]["Functions"]] == described[name]["functions"]


def lower(value: Any) -> Any:
    """CloudFormation's names as the library writes them."""
    if not isinstance(value, dict):
        return value
    return {name[0].lower() + name[1:]: lower(each) for name, each in value.items()}
