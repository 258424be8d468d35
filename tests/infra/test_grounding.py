"""`-c grounding=bedrock`: a guardrail of the stack judges sentences."""

from __future__ import annotations

from tests.infra.deployed import deployed, with_other_choices
from tests.infra.policies import Call, Policies


def test_the_processor_asks_the_version_of_a_guardrail_that_has_nothing_but_the_check() -> None:
    stage = with_other_choices()
    guardrail = stage.only("AWS::Bedrock::Guardrail")
    assert [key for key in guardrail if key.endswith("Config")] == ["ContextualGroundingPolicyConfig"]
    assert guardrail["ContextualGroundingPolicyConfig"] == {"FiltersConfig": [{"Threshold": 0.7, "Type": "GROUNDING"}]}
    id, version = stage.id_of("AWS::Bedrock::Guardrail"), stage.id_of("AWS::Bedrock::GuardrailVersion")
    asked = stage.environment("message-processor")["CICADA_GROUNDING_GUARDRAIL"]
    assert asked == f"{id}.GuardrailId:{version}.Version"


def test_only_the_processor_may_apply_it_and_nothing_is_made_without_being_asked_for() -> None:
    policies = Policies({"Resources": with_other_choices().resources})
    assert policies.allow(Call("message_processor", "bedrock:ApplyGuardrail", "grounding guardrail"))
    assert not policies.allow(Call("ws_message", "bedrock:ApplyGuardrail", "grounding guardrail"))
    assert not list(deployed("dev").of_kind("AWS::Bedrock::Guardrail"))
