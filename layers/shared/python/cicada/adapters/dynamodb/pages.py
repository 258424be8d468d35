"""Reads the items of a query or a scan, which DynamoDB gives page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cicada.adapters.aws_errors import dynamo_errors


def items(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The items of all pages of `read`, a client's `query` or `scan`. A page is asked for when its first item is."""
    for page in pages(read, request):
        yield from page["Items"]


def pages(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages, each asked for when it is wanted. All but the last one have a `LastEvaluatedKey`."""
    asked = dict(request)
    while True:
        with dynamo_errors():
            page = read(**asked)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]
