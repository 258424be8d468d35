"""Gradual releases: callers reach aliases, and CodeDeploy moves these back by itself when an alarm rings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.concurrency import CHAT_FUNCTIONS
from tests.infra.deployed import Deployed, Properties, deployed
from tests.infra.test_retention import kept

SHIFTED = {*CHAT_FUNCTIONS, "ws_admin", "message_processor"}
ALIAS, GROUP, MAPPING = "AWS::Lambda::Alias", "AWS::CodeDeploy::DeploymentGroup", "AWS::Lambda::EventSourceMapping"


@pytest.fixture
def gradual() -> Deployed:
    return deployed("dev", releases="gradual")


@pytest.fixture
def urgent() -> Deployed:
    """With another setting too, of one function."""
    return deployed("dev", releases="urgent", chatMaxTokens="99")


def shifted(stage: Deployed) -> dict[str, str]:
    """The id of each alias, by the function that it is of."""
    return {stage.text(each["FunctionName"]).removeprefix("cicada-dev-"): id for id, each in stage.of_kind(ALIAS)}


def groups(stage: Deployed) -> list[Properties]:
    return [each for _, each in stage.of_kind(GROUP)]


def test_by_default_nothing_is_shifted() -> None:
    kinds = {each["Type"] for each in deployed("prod").resources.values()}
    assert not kinds & {ALIAS, GROUP, "AWS::Lambda::Version"}


def test_what_users_reach_is_shifted_and_ingest_is_not(gradual: Deployed) -> None:
    assert set(shifted(gradual)) == {name.replace("_", "-") for name in SHIFTED}


def test_every_route_and_the_authorizer_lead_to_aliases_that_the_api_may_call(gradual: Deployed) -> None:
    callers = gradual.of_kind("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Authorizer")
    uris = [json.dumps(each.get("IntegrationUri") or each["AuthorizerUri"]) for _, each in callers]
    aliases = set(shifted(gradual).values()) - {shifted(gradual)["message-processor"]}
    allowed = {each["FunctionName"].get("Ref") for _, each in gradual.of_kind("AWS::Lambda::Permission")}
    assert len(uris) > len(aliases)
    assert all(any(alias in uri for alias in aliases) for uri in uris)
    assert aliases <= allowed


def test_the_queue_goes_on_by_the_same_mapping_with_the_alias(gradual: Deployed) -> None:
    """Another mapping of the same queue and function would be refused."""
    mappings, before = dict(gradual.of_kind(MAPPING)), dict(deployed("dev").of_kind(MAPPING))
    assert mappings.keys() == before.keys()
    targets = [json.dumps(each["FunctionName"]) for each in mappings.values()]
    assert [":live" in target and shifted(gradual)["message-processor"] in target for target in sorted(targets)] == [
        True,
        False,
    ]


def test_an_alarm_that_a_faulty_release_rings_takes_all_of_it_back(gradual: Deployed) -> None:
    # Here only, as in `template_of`.
    from infra.constructs.releases import BRAKES

    for each in groups(gradual):
        alarms = [gradual.resources[alarm["Name"]["Ref"]] for alarm in each["AlarmConfiguration"]["Alarms"]]
        assert [alarm["Properties"]["AlarmName"] for alarm in alarms] == [f"cicada-dev-{brake}" for brake in BRAKES]
        assert "DEPLOYMENT_STOP_ON_ALARM" in each["AutoRollbackConfiguration"]["Events"]
        assert each["DeploymentConfigName"] == "CodeDeployDefault.LambdaLinear10PercentEvery3Minutes"
    policies = [
        gradual.resources[id]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"] for id in shifted(gradual).values()
    ]
    moved = {each["DeploymentGroupName"]["Ref"] for each in policies}
    assert moved == {id for id, _ in gradual.of_kind(GROUP)} and len(moved) == len(SHIFTED)


def test_an_urgent_release_is_stopped_by_no_alarm(urgent: Deployed) -> None:
    """CodeDeploy begins nothing while an alarm of the group rings, and this release may be what mends it."""
    assert {each["DeploymentConfigName"] for each in groups(urgent)} == {"CodeDeployDefault.LambdaAllAtOnce"}
    assert not any(each.get("AlarmConfiguration", {}).get("Alarms") for each in groups(urgent))


def test_another_setting_publishes_a_version_of_every_function(gradual: Deployed, urgent: Deployed) -> None:
    """A version keeps its variables, and a part that is replaced has the same id in them."""
    before, after = ({id for id, _ in stage.of_kind("AWS::Lambda::Version")} for stage in (gradual, urgent))
    assert len(before) == len(after) == len(SHIFTED)
    assert not before & after


def test_another_library_publishes_versions_too() -> None:
    """Without this flag the CDK looks at a function's own code alone, and the library is in a layer."""
    context = json.loads(Path("cdk.json").read_text("utf-8"))["context"]
    assert context["@aws-cdk/aws-lambda:recognizeLayerVersion"] is True


def test_dev_leaves_nothing_of_its_releases(gradual: Deployed) -> None:
    assert kept(gradual) == {}
