"""Bedrock's models and inference profiles: those that are a stage's own, and what IAM asks for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from aws_cdk import Aws
from aws_cdk import aws_bedrock as bedrock
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.function import configure
from infra.model_regions import ANY_REGION, GLOBAL, model_regions, profile_parts
from infra.settings import StageSettings

_THROUGH = "bedrock:InferenceProfileArn"
_REQUESTED = "aws:RequestedRegion"
# botocore: bedrock CreateInferenceProfileRequest.
_LONGEST_NAME = 64


class Models(Construct):
    """What functions may invoke. With `-c modelProfiles=on` the models that write are invoked by profiles of the stage.

    Such a profile is tagged as all of the stack is, and Bedrock bills its calls with its tags. It cannot be changed:
    another model is another profile, with another name and another id in the template.
    https://docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-application-inference-profiles.html
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self._settings = settings
        named = settings.writing_model_ids if settings.model_profiles else ()
        self._profiles = {each: self._profile(each) for each in named}

    def allow(self, function: lambda_.Function, actions: Sequence[str], model_ids: Sequence[str]) -> None:
        """Let the function invoke these models and inference profiles, and tell it the stage's own of them."""
        own = {each: profile.attr_inference_profile_arn for each, profile in self._profiles.items()}
        for statement in invocations(actions, model_ids, self._settings.region, own):
            function.add_to_role_policy(statement)
        if own:
            configure(function, {"model_profiles": ",".join(f"{each}={arn}" for each, arn in own.items())})

    def metered(self, model_id: str) -> str:
        """What CloudWatch counts the model's calls under: the id that it is invoked by."""
        profile = self._profiles.get(model_id)
        return profile.attr_inference_profile_id if profile else model_id

    def _profile(self, model_id: str) -> bedrock.CfnApplicationInferenceProfile:
        name = _hyphenated(f"{self._settings.prefix}-{model_id}")
        source = profile_arn(model_id) if profile_parts(model_id) else foundation_model_arn(model_id)
        return bedrock.CfnApplicationInferenceProfile(
            self,
            _hyphenated(model_id),
            inference_profile_name=name[:_LONGEST_NAME].rstrip("-"),
            description=f"Bills {model_id} to {self._settings.prefix}",
            model_source=bedrock.CfnApplicationInferenceProfile.InferenceProfileModelSourceProperty(copy_from=source),
        )


def _hyphenated(text: str) -> str:
    return re.sub("[^0-9A-Za-z]+", "-", text)


def invocations(
    actions: Sequence[str], model_ids: Sequence[str], region: str, own: Mapping[str, str] | None = None
) -> Iterator[iam.PolicyStatement]:
    """What AWS documents for invoking each of the models or profiles in the region.

    `own`: ARNs of the stage's profiles by what they copy, which has to be allowed besides.
    https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
    https://docs.aws.amazon.com/bedrock/latest/userguide/geographic-cross-region-inference.html
    https://docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html
    """
    for model_id in dict.fromkeys(model_ids):
        copies = [arn for each, arn in (own or {}).items() if each == model_id]
        if copies:
            yield _statement([*actions, "bedrock:GetInferenceProfile"], copies)
        parts = profile_parts(model_id)
        if parts is None:
            yield _statement(actions, [foundation_model_arn(model_id)])
            continue
        geography, model = parts
        through = {_THROUGH: [profile_arn(model_id), *copies]}
        if geography == GLOBAL:
            yield from _global(actions, model_id, model, through)
        else:
            regions = model_regions().destinations(model_id, region)
            yield _statement([*actions, "bedrock:GetInferenceProfile"], [profile_arn(model_id)])
            yield _statement(actions, [foundation_model_arn(model, each) for each in regions], through)


def _global(
    actions: Sequence[str], profile: str, model: str, through: Mapping[str, list[str]]
) -> Iterator[iam.PolicyStatement]:
    """A call that leaves the region names none: neither the model's ARN nor `aws:RequestedRegion` has one."""
    here, elsewhere = {_REQUESTED: [Aws.REGION]}, {_REQUESTED: ["unspecified"]}
    yield _statement([*actions, "bedrock:GetInferenceProfile"], [profile_arn(profile)], here)
    yield _statement(actions, [foundation_model_arn(model)], {**here, **through})
    yield _statement(actions, [foundation_model_arn(model, "")], {**elsewhere, **through})


def _statement(
    actions: Sequence[str], resources: Sequence[str], conditions: Mapping[str, list[str]] | None = None
) -> iam.PolicyStatement:
    # One value is written as itself, so that the template stays as it was.
    equals = {key: values[0] if len(values) == 1 else values for key, values in (conditions or {}).items()}
    return iam.PolicyStatement(
        actions=list(actions), resources=list(resources), conditions={"StringEquals": equals} if equals else None
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
