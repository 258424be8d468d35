"""Whether Bedrock is about to retire a model, and what replaces it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from cli.aws_failures import code_of
from cli.operator.findings import Finding
from infra.model_regions import model_regions, profile_parts

UNKNOWN_MODEL = frozenset({"ResourceNotFoundException", "ValidationException"})


def base_model(bedrock: Any, model_id: str) -> Mapping[str, Any] | None:
    """What Bedrock says of the model, of a profile's model, or nothing if only the profile is known in this region."""
    if not is_profile(model_id):
        return dict(bedrock.get_foundation_model(modelIdentifier=model_id)["modelDetails"])
    profile = bedrock.get_inference_profile(inferenceProfileIdentifier=model_id)
    try:
        base = profile["models"][0]["modelArn"].rpartition("/")[2]
        return dict(bedrock.get_foundation_model(modelIdentifier=base)["modelDetails"])
    except ClientError as error:
        if code_of(error) not in UNKNOWN_MODEL:
            raise
        return None


def is_profile(model_id: str) -> bool:
    """Whether the id names a profile that AWS defines, or its ARN; accounts define application inference profiles."""
    return profile_parts(model_id) is not None or "inference-profile/" in model_id


def retirement(model_id: str, details: Mapping[str, Any]) -> str | None:
    """A sentence on a model that Bedrock calls `LEGACY`, with what to do; None for an active one.

    New accounts cannot use legacy models, and others lose them when they do not use them for a while:
    https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle.html
    """
    lifecycle = details.get("modelLifecycle", {})
    if lifecycle.get("status") != "LEGACY":
        return None
    dearer, ends = (_day(lifecycle.get(name)) for name in ("publicExtendedAccessTime", "endOfLifeTime"))
    said = f"{model_id} is a legacy model, which new accounts cannot use"
    said += f"; it may cost more from {dearer}" if dearer else ""
    said += f"; it ends on {ends}" if ends else ""
    return f"{said}: {_instead(model_id, str(details.get('modelId', '')))}"


def retiring(bedrock: Any, model_ids: Sequence[str]) -> Iterator[Finding]:
    """A note on each of the models that is a legacy one. What Bedrock does not know is passed over."""
    for model_id in model_ids:
        try:
            details = base_model(bedrock, model_id)
        except ClientError as error:
            if code_of(error) not in UNKNOWN_MODEL:
                raise
            continue
        if details and (said := retirement(model_id, details)):
            yield Finding("models", "note", said)


def _instead(model_id: str, base: str) -> str:
    successor = model_regions().successors.get(base)
    if successor is None:
        return "deploy with an active model, as docs/regions.md says."
    parts = profile_parts(model_id)
    same = f"{parts[0]}.{successor}" if parts else successor
    known = same if model_regions().callers(same) else f"{successor}, as docs/regions.md says where it is offered"
    if "embed" in successor:
        return f"deploy with -c embeddingModel={known}, and ingest all documents again: its index is a new one."
    return f"deploy with {known} in its place, and measure your own questions first (docs/regions.md)."


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""
