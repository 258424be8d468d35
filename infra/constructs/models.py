"""Bedrock's models, as IAM names them."""

from __future__ import annotations

import re

from aws_cdk import Aws

_PROFILE = re.compile(r"(?:us|us-gov|eu|apac|jp|au|ca|global)\.(.+)")


def model_arns(model_id: str) -> list[str]:
    """The ARNs to allow for invoking a model: the model's own, or an inference profile's and its model's in any region.

    AWS may change the regions of a cross-region profile, so the region is a wildcard there, the model is not.
    """
    profile = _PROFILE.fullmatch(model_id)
    if profile is None:
        return [foundation_model_arn(model_id)]
    return [
        f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}:{Aws.ACCOUNT_ID}:inference-profile/{model_id}",
        f"arn:{Aws.PARTITION}:bedrock:*::foundation-model/{profile[1]}",
    ]


def foundation_model_arn(model_id: str) -> str:
    """The model in the stack's own region."""
    return f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}::foundation-model/{model_id}"
