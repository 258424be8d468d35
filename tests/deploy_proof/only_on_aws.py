"""What shows that parts work which the emulator does not have."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tests.deploy_proof.report import ProofError
from tests.deploy_proof.target import Target

# API Gateway delivers its log within minutes.
_PATIENCE_SECONDS = 300
_POLL_SECONDS = 5


def collection_is_active(target: Target) -> str:
    details = target.client("opensearchserverless").batch_get_collection(names=[target.prefix])["collectionDetails"]
    states = [each["status"] for each in details]
    if states != ["ACTIVE"]:
        raise ProofError(f"The collection {target.prefix} should be ACTIVE: {states}.")
    return f"the collection {target.prefix} is ACTIVE"


def api_writes_its_log(target: Target, patience_seconds: float = _PATIENCE_SECONDS) -> str:
    """The connections of the steps before are in the access log, so API Gateway has a role to write it by."""
    [group] = [name for id, name in _log_groups(target) if "AccessLog" in id]
    logs = target.client("logs")
    deadline = time.monotonic() + patience_seconds
    while not (events := logs.filter_log_events(logGroupName=group, limit=1)["events"]):
        if time.monotonic() >= deadline:
            raise ProofError(f"The access log {group} is empty {patience_seconds:.0f} s after a connection.")
        time.sleep(_POLL_SECONDS)
    return f"the access log has lines such as {events[0]['message']}"


def _log_groups(target: Target) -> Iterator[tuple[str, Any]]:
    pages = target.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=target.stack)
    for page in pages:
        for each in page["StackResourceSummaries"]:
            if each["ResourceType"] == "AWS::Logs::LogGroup":
                yield each["LogicalResourceId"], each["PhysicalResourceId"]
