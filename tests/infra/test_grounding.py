"""`-c grounding=bedrock`: a guardrail of the stack judges sentences."""

from __future__ import annotations

import pytest

from infra.context_values import ContextValueError
from infra.settings import stage_settings
from tests.infra.conftest import template_of
from tests.infra.deployed import deployed
from tests.infra.policies import Call, Policies


def test_another_check_is_refused() -> None:
    context = {"stage": "dev", "region": "us-east-1", "grounding": "model"}
    with pytest.raises(
        ContextValueError, match="There is no check of sentences 'model': use -c grounding=words or bedrock"
    ):
        stage_settings(context.get)


def test_the_processor_asks_the_version_of_a_guardrail_that_has_nothing_but_the_check() -> None:
    stage = deployed("dev", grounding="bedrock")
    guardrail = stage.only("AWS::Bedrock::Guardrail")
    assert [key for key in guardrail if key.endswith("Config")] == ["ContextualGroundingPolicyConfig"]
    assert guardrail["ContextualGroundingPolicyConfig"] == {"FiltersConfig": [{"Threshold": 0.7, "Type": "GROUNDING"}]}
    id, version = stage.id_of("AWS::Bedrock::Guardrail"), stage.id_of("AWS::Bedrock::GuardrailVersion")
    asked = stage.environment("message-processor")["CICADA_GROUNDING_GUARDRAIL"]
    assert asked == f"{id}.GuardrailId:{version}.Version"


def test_only_the_processor_may_apply_it_and_nothing_is_made_without_being_asked_for() -> None:
    policies = Policies(template_of("dev", grounding="bedrock"))
    assert policies.allow(Call("message_processor", "bedrock:ApplyGuardrail", "grounding guardrail"))
    assert not policies.allow(Call("ws_message", "bedrock:ApplyGuardrail", "grounding guardrail"))
    assert not list(deployed("dev").of_kind("AWS::Bedrock::Guardrail"))
