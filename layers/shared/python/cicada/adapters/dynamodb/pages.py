"""Reads the items of a query or a scan, which DynamoDB gives page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cicada.adapters.aws_errors import dynamo_errors


def items(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The items of all pages of `read`, a client's `query` or `scan`. A page is asked for when its first item is."""
    asked = dict(request)
    while True:
        with dynamo_errors():
            page = read(**asked)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]
