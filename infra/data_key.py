"""The key that encrypts a stage's data: AWS's own keys, one that the stack creates, or one of the operator's."""

from __future__ import annotations

import re

from infra.context_values import Context, ContextValueError, text

CREATE = "create"
_NONE = "none"
# The id as AWS::Bedrock::Agent has it, which the other kinds take as well.
_ARN = re.compile(r"arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{12}:key/[a-zA-Z0-9-]{36}")


def data_key(context: Context, region: str) -> str:
    """`-c dataKey=create` or the ARN of a symmetric key in the stack's region; empty for AWS's own keys."""
    value = text(context, "dataKey", _NONE)
    if value in (_NONE, CREATE):
        return "" if value == _NONE else CREATE
    found = _ARN.fullmatch(value)
    if found is None:
        raise ContextValueError(
            f"-c dataKey={value} is no key: use -c dataKey={_NONE}, {CREATE} or the ARN of a KMS key, "
            "arn:aws:kms:REGION:ACCOUNT:key/ID. The ARN of an alias cannot be used: CloudWatch Logs takes none."
        )
    if found[1] != region:
        raise ContextValueError(
            f"The key of -c dataKey is in {found[1]}, and the stack in {region}: give a key of {region}."
        )
    return value
