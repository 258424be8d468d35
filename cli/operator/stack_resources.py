"""The parts of a deployed stack, by their CloudFormation type."""

from __future__ import annotations

from typing import Any


def resources_of(cloudformation: Any, stack: str) -> dict[str, dict[str, str]]:
    """By type, then logical id: the physical id."""
    found: dict[str, dict[str, str]] = {}
    for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack):
        for each in page["StackResourceSummaries"]:
            if each.get("PhysicalResourceId") and each["ResourceStatus"] != "DELETE_COMPLETE":
                found.setdefault(each["ResourceType"], {})[each["LogicalResourceId"]] = each["PhysicalResourceId"]
    return found
