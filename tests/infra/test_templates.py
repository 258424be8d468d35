"""What the CDK app deploys."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from app import build
from cicada.adapters.opensearch.schema import index_body, index_name
from cicada.retrieval.bm25 import Bm25
from cicada.settings import (
    AgentToolSettings,
    AuthorizerSettings,
    ConnectionSettings,
    ConversationSettings,
    IngestSettings,
    ProcessorSettings,
    ProfileToolSettings,
    load,
)
from infra.settings import UnknownStageError
from tests.infra.conftest import properties, template_of

ROUTES = ["$connect", "$default", "$disconnect", "cancel", "history", "ping", "resume", "sendMessage"]
SETTINGS = {
    "authorizer": AuthorizerSettings,
    "ws-connect": ConnectionSettings,
    "ws-disconnect": ConnectionSettings,
    "ws-message": ConversationSettings,
    "ws-resume": ConversationSettings,
    "ws-control": ConversationSettings,
    "message-processor": ProcessorSettings,
    "ingest-document": IngestSettings,
    "agent-profiles": ProfileToolSettings,
    "agent-theories": AgentToolSettings,
}


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
    load(SETTINGS[function], variables(template_of(stage), function))


def test_uploads_are_announced_to_ingest(aws: Template) -> None:
    [notifications] = properties(aws, "Custom::S3BucketNotifications")
    queues = notifications["NotificationConfiguration"]["QueueConfigurations"]
    assert sorted(event for queue in queues for event in queue["Events"]) == [
        "s3:ObjectCreated:*",
        "s3:ObjectRemoved:*",
    ]
    assert all(queue["Filter"]["Key"]["FilterRules"] == [{"Name": "prefix", "Value": "documents/"}] for queue in queues)


def test_the_layers_are_built_for_the_functions_runtime(aws: Template) -> None:
    for layer in properties(aws, "AWS::Lambda::LayerVersion"):
        assert layer["CompatibleRuntimes"] == ["python3.13"]
        assert layer["CompatibleArchitectures"] == ["arm64"]
    for function in properties(aws, "AWS::Lambda::Function"):
        if function.get("FunctionName", "").startswith("cicada-"):
            assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])


@pytest.mark.parametrize("stage", ["local", "dev", "prod"])
def test_only_ingest_has_the_layer_that_reads_documents(stage: str) -> None:
    template = template_of(stage)
    named = [each for each in properties(template, "AWS::Lambda::Function") if "Layers" in each]
    having = [each["FunctionName"] for each in named if "Documents" in json.dumps(each["Layers"])]
    assert [name.endswith("ingest-document") for name in having] == [True]
    # Lambda takes no more: https://docs.aws.amazon.com/lambda/latest/dg/chapter-layers.html
    assert all(len(each["Layers"]) <= 5 for each in named)


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_collection_has_the_librarys_index(stage: str) -> None:
    template = template_of(stage)
    template.has_resource_properties("AWS::OpenSearchServerless::CollectionGroup", {"Generation": "NEXTGEN"})
    template.has_resource_properties("AWS::OpenSearchServerless::Collection", {"Type": "VECTORSEARCH"})
    [index] = properties(template, "AWS::OpenSearchServerless::Index")
    environment = variables(template, "message-processor")
    model, dimension = environment["CICADA_EMBEDDING_MODEL_ID"], int(environment["CICADA_EMBEDDING_DIMENSION"])
    assert index["IndexName"] == index_name(model, dimension)
    engine = environment["CICADA_OPENSEARCH_VECTOR_ENGINE"]
    expected = index_body(model, dimension, engine, Bm25())["mappings"]["properties"]
    assert {name: _lower_camel(field) for name, field in index["Mappings"]["Properties"].items()} == expected


def _lower_camel(field: dict[str, object]) -> dict[str, object]:
    """CloudFormation's names for what OpenSearch calls `space_type` and so on."""
    names = {"SpaceType": "space_type"}
    return {
        names.get(name, name[0].lower() + name[1:]): _lower_camel(value) if isinstance(value, dict) else value
        for name, value in field.items()
    }


def test_each_searching_role_has_a_data_policy_and_only_ingest_may_write(aws: Template) -> None:
    policies = properties(aws, "AWS::OpenSearchServerless::AccessPolicy")
    writers = [each["Name"] for each in policies if "aoss:WriteDocument" in json.dumps(each["Policy"])]
    assert [name.rsplit("-", 1)[1] for name in writers] == ["ingestdocument"]
    assert all(len(each["Name"]) <= 32 for each in policies)


def test_an_account_without_agents_can_do_without_them() -> None:
    template = template_of("dev", "converse")
    template.resource_count_is("AWS::Bedrock::Agent", 0)
    assert variables(template, "message-processor")["CICADA_AGENTS"] == "converse"


def bedrock_statements(template: Template) -> list[tuple[list[str], str]]:
    """Actions and resources."""
    found = []
    for policy in properties(template, "AWS::IAM::Policy"):
        for statement in policy["PolicyDocument"]["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            if any(action.startswith("bedrock:") for action in actions):
                found.append((actions, json.dumps(statement["Resource"])))
    return found


def test_no_policy_allows_everything_on_bedrock(aws: Template) -> None:
    for actions, allowed in bedrock_statements(aws):
        assert "*" not in allowed
        assert not any("*" in action for action in actions)


@pytest.mark.parametrize(
    ("rerank", "models"),
    [("cohere", ["cohere.rerank-v3-5:0", "amazon.rerank-v1:0"]), ("amazon", ["amazon.rerank-v1:0"]), ("local", [])],
)
def test_those_who_search_may_use_the_rerankers_that_the_context_names(rerank: str, models: list[str]) -> None:
    template = Template.from_stack(
        build(App(context={"stage": "dev", "rerank": rerank, "aws:cdk:bundling-stacks": []}))
    )
    statements = bedrock_statements(template)
    # Rerank knows no resources: with anything but * it is refused.
    assert [each for each in statements if "*" in each[1]] == [(["bedrock:Rerank"], '"*"')] * (2 if models else 0)
    for function in ("message-processor", "agent-theories"):
        named = function_named(template, function)["Environment"]["Variables"]["CICADA_RERANK_MODELS"]
        assert re.findall(r"foundation-model/([^,\"]+)", json.dumps(named)) == models
    for model in models:
        assert sum(f"foundation-model/{model}" in allowed for _, allowed in statements) == 2


def test_a_reranker_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownStageError, match="use -c rerank=local, amazon or cohere"):
        build(App(context={"stage": "dev", "rerank": "best"}))


def statements_of(template: Template, function: str) -> list[dict[str, Any]]:
    policies = properties(template, "AWS::IAM::Policy")
    return [
        statement
        for policy in policies
        if function in json.dumps(policy["Roles"])
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def test_ingest_alone_may_change_the_ground_truth(aws: Template) -> None:
    for policy in properties(aws, "AWS::IAM::Policy"):
        about_truth = "/truth/*" in json.dumps(policy)
        assert about_truth == ("IngestDocument" in json.dumps(policy["Roles"]))
    actions = {
        action
        for statement in statements_of(aws, "IngestDocument")
        if "/truth/*" in json.dumps(statement["Resource"])
        for action in (statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]])
    }
    assert {"s3:GetObject*", "s3:PutObject", "s3:DeleteObject*"} <= actions


def test_ingest_may_use_the_model_that_writes_on_contexts(aws: Template) -> None:
    model = variables(aws, "ingest-document")["CICADA_CONTEXT_MODEL_ID"]
    assert f"foundation-model/{model}" in json.dumps(statements_of(aws, "IngestDocument"))


def test_no_contexts_are_written_where_the_context_says_so(local: Template) -> None:
    assert variables(local, "ingest-document")["CICADA_CONTEXT_MODEL_ID"] == ""
    context = {"stage": "dev", "contextModel": "none", "aws:cdk:bundling-stacks": []}
    template = Template.from_stack(build(App(context=context)))
    assert variables(template, "ingest-document")["CICADA_CONTEXT_MODEL_ID"] == ""


def test_ingest_does_not_rerank(aws: Template) -> None:
    assert "CICADA_RERANK_MODELS" not in variables(aws, "ingest-document")


def test_an_inference_profile_may_be_invoked_in_the_regions_that_it_leads_to() -> None:
    context = {"stage": "dev", "chatModel": "eu.amazon.nova-lite-v1:0", "aws:cdk:bundling-stacks": []}
    template = Template.from_stack(build(App(context=context)))
    policies = json.dumps(properties(template, "AWS::IAM::Policy"))
    assert ":inference-profile/eu.amazon.nova-lite-v1:0" in policies
    assert ":bedrock:*::foundation-model/amazon.nova-lite-v1:0" in policies


def test_the_local_stage_has_what_the_emulator_knows_and_nothing_else(local: Template) -> None:
    kinds = {resource["Type"] for resource in local.to_json()["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith(("AWS::Bedrock", "AWS::OpenSearch"))]
    assert "AWS::ApiGatewayV2::RouteResponse" not in kinds


@pytest.mark.parametrize("context", [{"stage": "staging"}, {"stage": "dev", "agents": "none"}])
def test_an_unknown_stage_is_refused_with_the_known_ones(context: dict[str, str]) -> None:
    with pytest.raises(UnknownStageError, match="use -c"):
        build(App(context=context))
