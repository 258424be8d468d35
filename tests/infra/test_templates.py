"""What the CDK app deploys."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct

from cicada.settings import (
    AgentToolSettings,
    AuditSettings,
    AuthorizerSettings,
    CommandGuardSettings,
    ConnectionSettings,
    ConversationSettings,
    IngestSettings,
    ProcessorSettings,
    ProfileToolSettings,
    SignOutSettings,
    load,
)
from infra.context_values import ContextValueError
from infra.settings import stage_settings
from tests.infra.conftest import properties, template_of
from tests.infra.deployed import deployed

if TYPE_CHECKING:
    from aws_cdk.assertions import Template

ROUTES = [
    "$connect",
    "$default",
    "$disconnect",
    "cancel",
    "history",
    "ping",
    "resume",
    "sendMessage",
    "signOutEverywhere",
]


class CommandSettings(Struct, frozen=True):
    """The settings of the functions behind commands."""

    command_guard: CommandGuardSettings
    conversation: ConversationSettings


class EndSettings(Struct, frozen=True):
    """The settings of the function that ends sign-ins."""

    command_guard: CommandGuardSettings
    sign_out: SignOutSettings


SETTINGS: dict[str, type[Struct]] = {
    "authorizer": AuthorizerSettings,
    "ws-connect": CommandGuardSettings,
    "ws-disconnect": ConnectionSettings,
    "ws-message": CommandSettings,
    "ws-resume": CommandSettings,
    "ws-control": CommandSettings,
    "ws-sign-out": EndSettings,
    "message-processor": ProcessorSettings,
    "ingest-document": IngestSettings,
    "agent-profiles": ProfileToolSettings,
    "agent-theories": AgentToolSettings,
}
# They write audit records: of connections, of answers, of what is shown again, and of what an agent's search shows.
AUDITED = {"authorizer", "ws-connect", "ws-message", "ws-resume", "message-processor", "agent-theories"}
# Only Bedrock Agents call them; otherwise the processor runs the tools itself.
AGENT_FUNCTIONS = {"agent-profiles", "agent-theories"}


def function_named(template: Template, ending: str) -> dict[str, Any]:
    functions = properties(template, "AWS::Lambda::Function")
    return next(each for each in functions if each.get("FunctionName", "").endswith(ending))


def variables(template: Template, function: str) -> dict[str, str]:
    """The function's environment; what CloudFormation fills in is a text here."""
    named = next(
        each
        for each in properties(template, "AWS::Lambda::Function")
        if each.get("FunctionName", "").endswith(function)
    )
    found = named["Environment"]["Variables"]
    return {name: value if isinstance(value, str) else "filled-in" for name, value in found.items()}


def test_every_route_of_the_protocol_is_there_and_connecting_is_authorized(aws: Template) -> None:
    routes = properties(aws, "AWS::ApiGatewayV2::Route")
    assert sorted(route["RouteKey"] for route in routes) == ROUTES
    authorized = [route["RouteKey"] for route in routes if route.get("AuthorizationType") == "CUSTOM"]
    assert authorized == ["$connect"]


def test_replies_go_back_on_every_route_but_the_connection_ones(aws: Template) -> None:
    aws.resource_count_is("AWS::ApiGatewayV2::RouteResponse", len(ROUTES) - 2)


@pytest.mark.parametrize("stage", ["local", "dev", "prod"])
@pytest.mark.parametrize("function", SETTINGS)
def test_every_function_has_the_settings_that_it_loads(stage: str, function: str) -> None:
    environment = variables(template_of(stage, agents="bedrock"), function)
    load(SETTINGS[function], environment)
    if function in AUDITED:
        load(AuditSettings, environment)


def test_uploads_are_announced_to_ingest(aws: Template) -> None:
    [notifications] = properties(aws, "Custom::S3BucketNotifications")
    queues = notifications["NotificationConfiguration"]["QueueConfigurations"]
    assert sorted(event for queue in queues for event in queue["Events"]) == [
        "s3:ObjectCreated:*",
        "s3:ObjectRemoved:*",
    ]
    assert all(queue["Filter"]["Key"]["FilterRules"] == [{"Name": "prefix", "Value": "documents/"}] for queue in queues)


def test_the_layers_are_built_for_the_functions_runtime(aws: Template) -> None:
    layers = properties(aws, "AWS::Lambda::LayerVersion")
    # The layers of the CDK's own functions contain the AWS command line.
    for layer in [each for each in layers if each.get("Description") != "/opt/awscli/aws"]:
        assert layer["CompatibleRuntimes"] == ["python3.13"]
        assert layer["CompatibleArchitectures"] == ["arm64"]
    for function in properties(aws, "AWS::Lambda::Function"):
        if function.get("FunctionName", "").startswith("cicada-"):
            assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])


@pytest.mark.parametrize("stage", ["local", "dev", "prod"])
def test_every_function_is_traced(stage: str) -> None:
    named = [
        each
        for each in properties(template_of(stage, agents="bedrock"), "AWS::Lambda::Function")
        if each.get("FunctionName", "").startswith("cicada-")
    ]
    assert len(named) == len(SETTINGS)
    assert [each["FunctionName"] for each in named if each.get("TracingConfig") != {"Mode": "Active"}] == []


def test_traces_of_the_local_stage_go_where_the_context_says_and_nowhere_else(local: Template) -> None:
    assert "AWS_XRAY_DAEMON_ADDRESS" not in variables(local, "message-processor")
    traced = variables(template_of("local", tracesAddress="127.0.0.1:2000"), "message-processor")
    assert traced["AWS_XRAY_DAEMON_ADDRESS"] == "127.0.0.1:2000"


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_no_stage_on_aws_sets_what_lambda_reserves(stage: str) -> None:
    for each in properties(template_of(stage), "AWS::Lambda::Function"):
        assert not [name for name in each.get("Environment", {}).get("Variables", {}) if "XRAY" in name]


@pytest.mark.parametrize("stage", ["local", "dev", "prod"])
def test_only_ingest_has_the_layer_that_reads_documents(stage: str) -> None:
    template = template_of(stage)
    named = [each for each in properties(template, "AWS::Lambda::Function") if "Layers" in each]
    having = [each["FunctionName"] for each in named if "Documents" in json.dumps(each["Layers"])]
    assert [name.endswith("ingest-document") for name in having] == [True]
    # Lambda takes no more: https://docs.aws.amazon.com/lambda/latest/dg/chapter-layers.html
    assert all(len(each["Layers"]) <= 5 for each in named)


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_collection_searches_vectors_and_scales_to_zero(stage: str) -> None:
    template = template_of(stage)
    template.has_resource_properties("AWS::OpenSearchServerless::CollectionGroup", {"Generation": "NEXTGEN"})
    template.has_resource_properties("AWS::OpenSearchServerless::Collection", {"Type": "VECTORSEARCH"})


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_service_accepts_the_names_of_its_policies(stage: str) -> None:
    """`PolicyName` in botocore's opensearchserverless."""
    template = template_of(stage, agents="bedrock")
    for kind in ("AccessPolicy", "SecurityPolicy"):
        names = [each["Name"] for each in properties(template, f"AWS::OpenSearchServerless::{kind}")]
        assert names
        assert [name for name in names if not re.fullmatch("[a-z][a-z0-9-]{2,31}", name)] == []


def test_on_the_local_stage_the_functions_that_use_an_index_have_its_engine(local: Template) -> None:
    named = [each for each in properties(local, "AWS::Lambda::Function") if "Layers" in each]
    having = {each["FunctionName"] for each in named if "Engine" in json.dumps(each["Layers"])}
    using = {each["FunctionName"] for each in named if "CICADA_SEARCH_ENGINE" in each["Environment"]["Variables"]}
    assert having == using != set()
    assert "Engine" not in json.dumps(template_of("dev").to_json())


def test_no_stage_needs_bedrock_agents_unless_they_are_asked_for(aws: Template) -> None:
    """They are closed to new customers (docs/agents.md)."""
    kinds = {resource["Type"] for resource in aws.to_json()["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith("AWS::Bedrock::")]
    assert variables(aws, "message-processor")["CICADA_AGENTS"] == "converse"
    template_of("dev", agents="bedrock").resource_count_is("AWS::Bedrock::Agent", 2)


@pytest.mark.parametrize(
    ("stage", "agents", "there"),
    [
        ("dev", "converse", False),
        ("prod", "converse", False),
        ("dev", "bedrock", True),
        ("prod", "bedrock", True),
        # Tests switch its processor to Bedrock Agents.
        ("local", "converse", True),
        ("local", "bedrock", True),
    ],
)
def test_the_agents_functions_are_deployed_where_bedrock_agents_call_them(
    stage: str, agents: str, *, there: bool
) -> None:
    found = set(deployed(stage, agents).functions())
    assert found == {name for name in SETTINGS if there or name not in AGENT_FUNCTIONS}


@pytest.mark.parametrize(
    ("rerank", "models"),
    [("cohere", ["cohere.rerank-v3-5:0", "amazon.rerank-v1:0"]), ("amazon", ["amazon.rerank-v1:0"]), ("local", [])],
)
def test_those_who_search_have_the_rerankers_that_the_context_names(rerank: str, models: list[str]) -> None:
    region = {"region": "eu-central-1"} if models else {}
    template = template_of("dev", agents="bedrock", rerank=rerank, **region)
    for function in ("message-processor", "agent-theories"):
        named = function_named(template, function)["Environment"]["Variables"]["CICADA_RERANK_MODELS"]
        assert re.findall(r"foundation-model/([^,\"]+)", json.dumps(named)) == models


def test_a_reranker_that_is_not_known_is_refused() -> None:
    with pytest.raises(ContextValueError, match="use -c rerank=local, amazon or cohere"):
        stage_settings({"stage": "dev", "rerank": "best"}.get)


def test_no_tenant_is_the_default_unless_it_is_asked_for(aws: Template, local: Template) -> None:
    assert variables(aws, "authorizer")["CICADA_DEFAULT_TENANT"] == ""
    assert "DefaultTenant" not in aws.to_json()["Outputs"]
    assert variables(local, "authorizer")["CICADA_DEFAULT_TENANT"] == "default"
    named = template_of("dev", defaultTenant="acme").to_json()
    assert named["Outputs"]["DefaultTenant"]["Value"] == "acme"


@pytest.mark.parametrize("name", ["a b", "-a", "acme_corp", "a" * 64, "acme\n"])
def test_a_default_tenant_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ContextValueError, match="use -c defaultTenant="):
        stage_settings({"stage": "dev", "region": "us-east-1", "defaultTenant": name}.get)


def test_no_contexts_are_written_where_the_context_says_so(local: Template) -> None:
    assert variables(local, "ingest-document")["CICADA_CONTEXT_MODEL_ID"] == ""
    template = template_of("dev", contextModel="none")
    assert variables(template, "ingest-document")["CICADA_CONTEXT_MODEL_ID"] == ""


def test_the_local_stage_has_what_the_emulator_knows_and_nothing_else(local: Template) -> None:
    kinds = {resource["Type"] for resource in local.to_json()["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith(("AWS::Bedrock", "AWS::OpenSearch"))]
    assert "AWS::ApiGatewayV2::RouteResponse" not in kinds


@pytest.mark.parametrize("context", [{"stage": "staging"}, {"stage": "dev", "agents": "none"}])
def test_an_unknown_stage_is_refused_with_the_known_ones(context: dict[str, str]) -> None:
    with pytest.raises(ContextValueError, match="use -c"):
        stage_settings(context.get)
