"""Bedrock's models, as IAM names them."""

from __future__ import annotations

from aws_cdk import Aws


def foundation_model_arn(model_id: str) -> str:
    """The ARN of a foundation model in the stack's region."""
    return f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}::foundation-model/{model_id}"
