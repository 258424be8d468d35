"""`-c modelProfiles=on`: models are invoked by inference profiles that are tagged as the stage's own."""

from __future__ import annotations

import re

import pytest

from cicada.settings import ModelProfileSettings
from infra.settings import stage_settings
from tests.infra.conftest import template_of
from tests.infra.deployed import Deployed, deployed
from tests.infra.policies import Call, Policies
from tests.infra.test_permissions import DEPLOYMENTS

KIND = "AWS::Bedrock::ApplicationInferenceProfile"
CONTEXT = DEPLOYMENTS["inference profiles of the stage's own"]
# botocore: bedrock CreateInferenceProfileRequest.
NAME, DESCRIPTION = re.compile("([0-9a-zA-Z][ _-]?)+"), re.compile("([0-9a-zA-Z:.][ _-]?)+")


def copied(stage: Deployed) -> dict[str, str]:
    """The profiles' ids by what they copy."""
    return {stage.text(each["ModelSource"]["CopyFrom"]): id for id, each in stage.of_kind(KIND)}


def test_by_default_models_are_invoked_by_their_own_ids() -> None:
    stage = deployed("dev")
    assert not copied(stage)
    assert "CICADA_MODEL_PROFILES" not in stage.environment("message-processor")


def test_the_roles_that_call_models_have_the_tag_of_the_stage() -> None:
    roles = [
        role for id, role in deployed("dev").of_kind("AWS::IAM::Role") if "MessageProcessor" in id or "Ingest" in id
    ]
    assert len(roles) >= 2
    assert all({"Key": "stage", "Value": "dev"} in role["Tags"] for role in roles)


def test_every_model_that_writes_has_a_profile_with_the_tags_of_the_stage() -> None:
    stage = deployed(**CONTEXT)
    settings = stage_settings({"region": "us-east-1", **CONTEXT}.get)
    arn = "arn:aws:bedrock:us-east-1"
    assert {each.rpartition("/")[2] for each in copied(stage)} == set(settings.writing_model_ids)
    assert f"{arn}:111122223333:inference-profile/us.amazon.nova-lite-v1:0" in copied(stage)
    assert f"{arn}::foundation-model/{CONTEXT['cardModel']}" in copied(stage)
    for _, profile in stage.of_kind(KIND):
        assert {"Key": "stage", "Value": "dev"} in profile["Tags"]
        assert NAME.fullmatch(profile["InferenceProfileName"])
        assert len(profile["InferenceProfileName"]) <= 64
        assert DESCRIPTION.fullmatch(profile["Description"])
    assert len({each["InferenceProfileName"] for _, each in stage.of_kind(KIND)}) == len(copied(stage))


@pytest.mark.parametrize("function", ["message-processor", "ingest-document"])
def test_functions_are_told_the_profile_of_each_model_and_keep_its_id(function: str) -> None:
    stage = deployed(**CONTEXT)
    environment = {name: stage.text(value) for name, value in stage.environment(function).items()}
    own = ModelProfileSettings(environment["CICADA_MODEL_PROFILES"]).by_model
    assert {arn.rpartition(".")[0] for arn in own.values()} == set(copied(stage).values())
    named = environment.get("CICADA_CHAT_MODEL_IDS") or environment["CICADA_CONTEXT_MODEL_ID"]
    assert set(named.split(",")) <= set(own)


def test_a_model_is_not_invoked_through_the_profile_of_another() -> None:
    policies = Policies(template_of(**CONTEXT))
    action, model = "bedrock:InvokeModelWithResponseStream", "foundation-model/amazon.nova-lite-v1:0"
    through = {"bedrock:InferenceProfileArn": "profile of us.amazon.nova-lite-v1:0"}
    elsewhere = Call("message_processor", action, f"arn:aws:bedrock:us-west-2::{model}", through)
    another = {"bedrock:InferenceProfileArn": "profile of somebody.else-v1:0"}
    assert policies.allow(elsewhere)
    assert not policies.allow(Call(elsewhere.principal, action, elsewhere.resource, another))


def test_the_dashboard_counts_the_calls_under_the_profile_and_names_the_model() -> None:
    stage = deployed(**CONTEXT)
    body = stage.text(stage.only("AWS::CloudWatch::Dashboard")["DashboardBody"])
    own = copied(stage)["arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.amazon.nova-lite-v1:0"]
    assert f'"InvocationLatency","ModelId","{own}.InferenceProfileId",{{"label":"us.amazon.nova-lite-v1:0"' in body
