"""The guardrail by which Bedrock judges whether passages carry an answer's sentences."""

from __future__ import annotations

from aws_cdk import aws_bedrock as bedrock
from constructs import Construct

# A sentence that scores less is marked. AWS's example has it for questions and answers.
_THRESHOLD = 0.7
_UNUSED = "The passages do not carry this."


class GroundingGuardrail(Construct):
    """`arn`, and `version` as ID:VERSION.

    It reads no question and no answer: the processor asks it about single sentences. Its messages are never shown.
    """

    def __init__(self, scope: Construct, id: str, *, name: str) -> None:
        super().__init__(scope, id)
        guardrail = bedrock.CfnGuardrail(
            self,
            "Guardrail",
            name=name,
            blocked_input_messaging=_UNUSED,
            blocked_outputs_messaging=_UNUSED,
            contextual_grounding_policy_config=bedrock.CfnGuardrail.ContextualGroundingPolicyConfigProperty(
                filters_config=[
                    bedrock.CfnGuardrail.ContextualGroundingFilterConfigProperty(type="GROUNDING", threshold=_THRESHOLD)
                ]
            ),
        )
        # A version is a copy: one of another threshold needs another id.
        version = bedrock.CfnGuardrailVersion(
            self, f"At{round(100 * _THRESHOLD)}", guardrail_identifier=guardrail.attr_guardrail_id
        )
        self.arn = guardrail.attr_guardrail_arn
        self.version = f"{guardrail.attr_guardrail_id}:{version.attr_version}"
