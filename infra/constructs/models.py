"""Bedrock's models and inference profiles, as IAM names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from infra.model_regions import ANY_REGION, GLOBAL, model_regions, profile_parts
from infra.settings import StageSettings

_THROUGH = "bedrock:InferenceProfileArn"
_REQUESTED = "aws:RequestedRegion"


def allow_models(function: lambda_.Function, actions: Sequence[str], model_ids: Sequence[str], region: str) -> None:
    """Let the function invoke these models and inference profiles."""
    for statement in invocations(actions, model_ids, region):
        function.add_to_role_policy(statement)


def invocations(actions: Sequence[str], model_ids: Sequence[str], region: str) -> Iterator[iam.PolicyStatement]:
    """What AWS documents for invoking each of the models or profiles in the region.

    https://docs.aws.amazon.com/bedrock/latest/userguide/geographic-cross-region-inference.html
    https://docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html
    """
    for model_id in dict.fromkeys(model_ids):
        parts = profile_parts(model_id)
        if parts is None:
            yield _statement(actions, [foundation_model_arn(model_id)])
            continue
        geography, model = parts
        if geography == GLOBAL:
            yield from _global(actions, model_id, model)
        else:
            regions = model_regions().destinations(model_id, region)
            yield _statement([*actions, "bedrock:GetInferenceProfile"], [profile_arn(model_id)])
            models = [foundation_model_arn(model, each) for each in regions]
            yield _statement(actions, models, {_THROUGH: profile_arn(model_id)})


def _global(actions: Sequence[str], profile: str, model: str) -> Iterator[iam.PolicyStatement]:
    """A call that leaves the region names none: neither the model's ARN nor `aws:RequestedRegion` has one."""
    through = {_THROUGH: profile_arn(profile)}
    yield _statement([*actions, "bedrock:GetInferenceProfile"], [profile_arn(profile)], {_REQUESTED: Aws.REGION})
    yield _statement(actions, [foundation_model_arn(model)], {_REQUESTED: Aws.REGION, **through})
    yield _statement(actions, [foundation_model_arn(model, "")], {_REQUESTED: "unspecified", **through})


def _statement(
    actions: Sequence[str], resources: Sequence[str], conditions: dict[str, str] | None = None
) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=list(actions),
        resources=list(resources),
        conditions={"StringEquals": conditions} if conditions else None,
    )


def profile_arn(profile: str) -> str:
    """The inference profile in the stack's region."""
    return f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}:{Aws.ACCOUNT_ID}:inference-profile/{profile}"


def foundation_model_arn(model_id: str, region: str = Aws.REGION) -> str:
    """The model in a region, by default the stack's own."""
    return f"arn:{Aws.PARTITION}:bedrock:{region}::foundation-model/{model_id}"


def guardrail_arn(guardrail: str) -> str:
    """The guardrail, given as ID:VERSION, in the stack's region. Permissions know no versions."""
    id, _, _ = guardrail.partition(":")
    return f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}:{Aws.ACCOUNT_ID}:guardrail/{id}"


def models_in_any_region(settings: StageSettings) -> Iterator[str]:
    """ARNs with a wildcard for the region: of profiles whose regions are not in the table."""
    for model_id in settings.model_ids:
        parts = profile_parts(model_id)
        if parts is None or parts[0] == GLOBAL:
            continue
        if ANY_REGION in model_regions().destinations(model_id, settings.region):
            yield foundation_model_arn(parts[1], ANY_REGION)
