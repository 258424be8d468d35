"""Whether the models that a stage is deployed with can be used in an account and a region."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from botocore.exceptions import ClientError, EndpointConnectionError

from cli.aws_failures import code_of
from cli.errors import CommandError
from cli.operator.findings import Finding, checked
from cli.operator.model_lifecycle import UNKNOWN_MODEL, base_model, is_profile, retirement
from infra.settings import StageSettings

_ELSEWHERE = "deploy with models or inference profiles of this region, or set AWS_REGION to another"


def bedrock_findings(settings: StageSettings, client: Callable[[str], Any], region: str) -> list[Finding]:
    """Findings, one or more for each model."""
    bedrock = client("bedrock")
    empty: list[str] = []
    found = checked("model quotas", partial(_empty_quotas, client("service-quotas"), empty))
    for model_id in settings.model_ids:
        found += checked("models", partial(_model, bedrock, model_id, region, empty))
    if settings.guardrail:
        found += checked("guardrail", partial(_guardrail, bedrock, settings.guardrail, region))
    return found


def _guardrail(bedrock: Any, guardrail: str, region: str) -> Iterator[Finding]:
    id, _, version = guardrail.partition(":")
    try:
        found = bedrock.get_guardrail(guardrailIdentifier=id, guardrailVersion=version)
    except ClientError as error:
        if code_of(error) not in UNKNOWN_MODEL:
            raise
        hint = "look it up by `aws bedrock list-guardrails`, and give -c guardrail=ID:VERSION"
        yield Finding("guardrail", "problem", f"{guardrail} is not in {region}: {hint}.")
        return
    if found.get("crossRegionDetails"):
        hint = "which the stage's role does not allow: make one without a guardrail profile"
        yield Finding("guardrail", "problem", f"{guardrail} may answer in other regions, {hint}.")
        return
    ready = found["status"] == "READY"
    yield Finding("guardrail", "ok" if ready else "problem", f"{found['name']} ({guardrail}) is {found['status']}.")


def _model(bedrock: Any, model_id: str, region: str, empty: list[str]) -> Iterator[Finding]:
    try:
        base = base_model(bedrock, model_id)
    except ClientError as error:
        if code_of(error) not in UNKNOWN_MODEL:
            raise
        yield Finding("models", "problem", f"{model_id} is not in {region}: {_ELSEWHERE}.")
        return
    except EndpointConnectionError as error:
        raise CommandError(f"Bedrock is not in {region}: set AWS_REGION to a region that has it.") from error
    problem = (retirement(model_id, base) or _why_not(bedrock, base, model_id, empty)) if base else None
    yield Finding("models", "problem" if problem else "ok", problem or f"{model_id} can be used.")


def _why_not(bedrock: Any, details: Mapping[str, Any], model_id: str, empty: list[str]) -> str | None:
    profile = is_profile(model_id)
    if not profile and "ON_DEMAND" not in details.get("inferenceTypesSupported", ["ON_DEMAND"]):
        return f"{model_id} can be called through an inference profile only: {_ELSEWHERE}."
    access = bedrock.get_foundation_model_availability(modelId=details["modelId"])
    return _closed(access, model_id, is_profile=profile) or _without_quota(details, empty, is_profile=profile)


def _closed(access: Mapping[str, Any], model_id: str, *, is_profile: bool) -> str | None:
    """https://docs.aws.amazon.com/bedrock/latest/APIReference/API_GetFoundationModelAvailability.html

    An agreement that is missing is made by the first call, if the caller may subscribe:
    https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html
    """
    if access.get("regionAvailability") == "NOT_AVAILABLE" and not is_profile:
        return f"{model_id} is not available in this region: {_ELSEWHERE}."
    if access.get("authorizationStatus") == "NOT_AUTHORIZED":
        return f"{model_id} is not allowed in this account: ask the administrator of the AWS organization."
    agreement = access.get("agreementAvailability", {})
    states = (agreement.get("status"), access.get("entitlementAvailability"))
    if "NOT_AVAILABLE" not in states and "ERROR" not in states:
        return None
    reason = agreement.get("errorMessage") or "its terms are not accepted"
    return f"{model_id} is not open to this account ({reason}): open it once in the model catalog of Bedrock's console."


def _without_quota(details: Mapping[str, Any], empty: list[str], *, is_profile: bool) -> str | None:
    """The quotas are named as "On-demand InvokeModel tokens per minute for Amazon Nova Lite", or "Cross-Region …"."""
    title = f"for {details.get('providerName', '')} {details.get('modelName', '')}".lower()
    kind = "cross-region" if is_profile else "on-demand"
    name = next((each for each in empty if each.lower().startswith(kind) and each.lower().endswith(title)), None)
    if name is None:
        return None
    return f"the quota '{name}' of this account is 0: ask for more in Service Quotas, Amazon Bedrock."


def _empty_quotas(client: Any, into: list[str]) -> Iterator[Finding]:
    """The quotas that are 0, as they may be in a new account.

    https://docs.aws.amazon.com/bedrock/latest/userguide/quotas-runtime.html
    """
    for page in client.get_paginator("list_service_quotas").paginate(ServiceCode="bedrock"):
        into += [each["QuotaName"] for each in page["Quotas"] if each.get("Value") == 0]
    yield from ()
