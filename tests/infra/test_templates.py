"""What the CDK app deploys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest
from msgspec import Struct

from cicada.settings import (
    AdministrationSettings,
    AgentToolSettings,
    AuditSettings,
    AuthorizerSettings,
    CommandGuardSettings,
    ConnectionSettings,
    ConversationSettings,
    EntrySettings,
    IngestSettings,
    OpeningSettings,
    ProcessorSettings,
    SignOutSettings,
    load,
)
from tests.infra.deployed import Deployed, deployed, with_additions
from tests.infra.test_permissions import DEPLOYMENTS

ROUTES = [
    "$connect",
    "$default",
    "$disconnect",
    "addUser",
    "cancel",
    "changeSession",
    "deleteSession",
    "describeDocument",
    "disableUser",
    "enableUser",
    "eraseMine",
    "feedback",
    "history",
    "listDocuments",
    "listKnowledgeBases",
    "listMore",
    "listUsers",
    "openDocument",
    "openShared",
    "ping",
    "readFailures",
    "readFeedback",
    "readUse",
    "removeDocument",
    "resume",
    "sendMessage",
    "setGroups",
    "shareSession",
    "signOutEverywhere",
    "unshareSession",
    "uploadDocument",
]


class CommandSettings(Struct, frozen=True):
    """The settings of the functions behind commands."""

    command_guard: CommandGuardSettings
    conversation: ConversationSettings


class ControlSettings(CommandSettings, frozen=True):
    """The settings of the function behind most commands, which deletes profiles and theories too."""

    entries: EntrySettings


class OpenSettings(Struct, frozen=True):
    """The settings of the function that opens documents."""

    command_guard: CommandGuardSettings
    opening: OpeningSettings


class EndSettings(Struct, frozen=True):
    """The settings of the function that ends sign-ins."""

    command_guard: CommandGuardSettings
    sign_out: SignOutSettings


class AdminSettings(Struct, frozen=True):
    """The settings of the function that changes accounts."""

    command_guard: CommandGuardSettings
    administration: AdministrationSettings
    connections: ConnectionSettings


SETTINGS: dict[str, type[Struct]] = {
    "authorizer": AuthorizerSettings,
    "ws-connect": CommandGuardSettings,
    "ws-disconnect": ConnectionSettings,
    "ws-message": CommandSettings,
    "ws-resume": CommandSettings,
    "ws-control": ControlSettings,
    "ws-open": OpenSettings,
    "ws-sign-out": EndSettings,
    "ws-admin": AdminSettings,
    "message-processor": ProcessorSettings,
    "ingest-document": IngestSettings,
    "agent-profiles": EntrySettings,
    "agent-theories": AgentToolSettings,
}
# They write audit records: of connections, answers, what is shown again, opened, or found by an agent's search, and
# of conversations that are deleted.
AUDITED = {"authorizer", "ws-connect", "ws-message", "ws-resume", "ws-control", "ws-open", "ws-admin"}
AUDITED |= {"message-processor", "agent-theories"}
# Only Bedrock Agents call them; otherwise the processor runs the tools itself.
AGENT_FUNCTIONS = {"agent-profiles", "agent-theories"}


EVERY = pytest.mark.parametrize("name", ["local", "dev", "prod"])


@pytest.fixture
def local() -> Deployed:
    return deployed("local")


def test_every_route_of_the_protocol_is_there_and_connecting_is_authorized(stage: Deployed) -> None:
    routes = [each for _, each in stage.of_kind("AWS::ApiGatewayV2::Route")]
    assert sorted(route["RouteKey"] for route in routes) == ROUTES
    assert [route["RouteKey"] for route in routes if route.get("AuthorizationType") == "CUSTOM"] == ["$connect"]
    # Replies go back on every route but those of the connection.
    assert len([*stage.of_kind("AWS::ApiGatewayV2::RouteResponse")]) == len(ROUTES) - 2


@EVERY
@pytest.mark.parametrize("function", SETTINGS)
def test_every_function_has_the_settings_that_it_loads(name: str, function: str) -> None:
    environment = deployed(name, "bedrock").environment(function)
    load(SETTINGS[function], environment)
    if function in AUDITED:
        load(AuditSettings, environment)


def test_uploads_are_announced_to_ingest(stage: Deployed) -> None:
    queues = stage.only("Custom::S3BucketNotifications")["NotificationConfiguration"]["QueueConfigurations"]
    assert {event for queue in queues for event in queue["Events"]} == {"s3:ObjectCreated:*", "s3:ObjectRemoved:*"}
    assert all(queue["Filter"]["Key"]["FilterRules"] == [{"Name": "prefix", "Value": "documents/"}] for queue in queues)


def test_the_layers_are_built_for_the_functions_runtime(stage: Deployed) -> None:
    layers = [each for _, each in stage.of_kind("AWS::Lambda::LayerVersion")]
    # The layers of the CDK's own functions contain the AWS command line.
    for layer in [each for each in layers if each.get("Description") != "/opt/awscli/aws"]:
        assert (layer["CompatibleRuntimes"], layer["CompatibleArchitectures"]) == (["python3.13"], ["arm64"])
    for function in stage.functions().values():
        assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])


@EVERY
def test_every_function_is_traced(name: str) -> None:
    named = deployed(name, "bedrock").functions()
    assert set(named) == set(SETTINGS)
    assert [name for name, each in named.items() if each.get("TracingConfig") != {"Mode": "Active"}] == []


def test_traces_of_the_local_stage_go_where_the_context_says_and_nowhere_else(local: Deployed) -> None:
    variable = "AWS_XRAY_DAEMON_ADDRESS"
    assert variable not in local.environment("message-processor")
    traced = deployed("local", tracesAddress="127.0.0.1:2000").environment("message-processor")
    assert traced[variable] == "127.0.0.1:2000"


def test_no_stage_on_aws_sets_what_lambda_reserves(stage: Deployed) -> None:
    assert [name for function in stage.functions() for name in stage.environment(function) if "XRAY" in name] == []


@EVERY
def test_only_ingest_has_the_layer_that_reads_documents(name: str) -> None:
    functions = deployed(name).functions()
    having = [name for name, each in functions.items() if "Documents" in json.dumps(each["Layers"])]
    assert having == ["ingest-document"]
    # Lambda takes no more: https://docs.aws.amazon.com/lambda/latest/dg/chapter-layers.html
    assert all(len(each["Layers"]) <= 5 for each in functions.values())


def test_the_collection_searches_vectors_and_scales_to_zero(stage: Deployed) -> None:
    assert stage.only("AWS::OpenSearchServerless::CollectionGroup")["Generation"] == "NEXTGEN"
    assert stage.only("AWS::OpenSearchServerless::Collection")["Type"] == "VECTORSEARCH"


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_the_service_accepts_the_names_of_its_policies(name: str) -> None:
    """`PolicyName` in botocore's opensearchserverless."""
    for kind in ("AccessPolicy", "SecurityPolicy"):
        named = [each["Name"] for _, each in deployed(name, "bedrock").of_kind(f"AWS::OpenSearchServerless::{kind}")]
        assert named
        assert [each for each in named if not re.fullmatch("[a-z][a-z0-9-]{2,31}", each)] == []


def test_on_the_local_stage_the_functions_that_use_an_index_have_its_engine(local: Deployed) -> None:
    functions = local.functions()
    having = {name for name, each in functions.items() if "Engine" in json.dumps(each["Layers"])}
    assert having == {name for name in functions if "CICADA_SEARCH_ENGINE" in local.environment(name)} != set()
    assert "Engine" not in json.dumps(deployed("dev").resources)


def test_no_stage_needs_bedrock_agents_unless_they_are_asked_for(stage: Deployed) -> None:
    """They are closed to new customers (docs/agents.md)."""
    assert not [each for each in stage.resources.values() if each["Type"].startswith("AWS::Bedrock::")]
    assert stage.environment("message-processor")["CICADA_AGENTS"] == "converse"
    assert len([*deployed("dev", "bedrock").of_kind("AWS::Bedrock::Agent")]) == 2


@pytest.mark.parametrize("agents", ["converse", "bedrock"])
@EVERY
def test_the_agents_functions_are_deployed_where_bedrock_agents_call_them(name: str, agents: str) -> None:
    """Tests switch the local stage's processor to Bedrock Agents."""
    there = agents == "bedrock" or name == "local"
    assert set(deployed(name, agents).functions()) == {
        each for each in SETTINGS if there or each not in AGENT_FUNCTIONS
    }


@pytest.mark.parametrize(
    ("context", "models"),
    [
        (DEPLOYMENTS["reranked by Cohere"], ["cohere.rerank-v3-5:0", "amazon.rerank-v1:0"]),
        (DEPLOYMENTS["Bedrock agents"], []),
    ],
)
def test_those_who_search_have_the_rerankers_that_the_context_names(
    context: Mapping[str, str], models: list[str]
) -> None:
    found = deployed(**context)
    for function in ("message-processor", "agent-theories"):
        assert re.findall(r"foundation-model/([^,]+)", found.environment(function)["CICADA_RERANK_MODELS"]) == models
    assert "CICADA_RERANK_MODELS" not in found.environment("ingest-document")


def test_no_tenant_is_the_default_unless_it_is_asked_for(stage: Deployed, local: Deployed) -> None:
    assert stage.environment("authorizer")["CICADA_DEFAULT_TENANT"] == ""
    assert "DefaultTenant" not in stage.outputs
    assert local.environment("authorizer")["CICADA_DEFAULT_TENANT"] == "default"
    assert with_additions().outputs["DefaultTenant"]["Value"] == "acme"


def test_no_contexts_are_written_where_the_context_says_so(local: Deployed) -> None:
    for found in (local, with_additions()):
        assert found.environment("ingest-document")["CICADA_CONTEXT_MODEL_ID"] == ""


def test_the_local_stage_has_what_the_emulator_knows_and_nothing_else(local: Deployed) -> None:
    kinds = {resource["Type"] for resource in local.resources.values()}
    assert not [kind for kind in kinds if kind.startswith(("AWS::Bedrock", "AWS::OpenSearch"))]
    assert "AWS::ApiGatewayV2::RouteResponse" not in kinds
