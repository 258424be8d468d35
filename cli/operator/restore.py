"""`cicada restore`: the rows of a copy that DynamoDB restored, put back into the table that the stage uses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Options, command, json_option, stack_option
from cli.aws_failures import aws_calls
from cli.errors import CommandError
from cli.screen import Screen, open_screen
from cli.text import to_json

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# The outputs of the stack. Connections are not restored: clients connect again.
_OUTPUTS = {"requests": "RequestsTable", "entries": "EntriesTable", "readers": "ReadersTable"}
# As many as boto3 has connections.
_AT_ONCE = 10


@command(
    "restore",
    short_help="put back rows of a table that were lost",
    help="Put the rows of a copy, which DynamoDB restored under another name, back into the table that the local"
    " stage, or with --stack a stage on AWS, uses. A row that the table has is newer and stays, one that has expired"
    " is left out. If it is interrupted, run it again.",
    epilog="example: cicada restore requests --from requests-restored --stack Cicada-prod",
)
@click.argument("table", metavar="TABLE", type=click.Choice(tuple(_OUTPUTS)), help="requests, entries or readers")
@click.option("--from", "copy", metavar="NAME", required=True, help="the table that DynamoDB restored")
@json_option
@stack_option
def restore(options: Options) -> int:
    """0, also if there was nothing to put back."""
    from cli.deployment_target import open_target  # imported late: boto3 is slow to import

    target = open_target(options.stack)
    client, table = target.client("dynamodb"), target.output(_OUTPUTS[options.table])
    screen = open_screen()
    with aws_calls():
        _check(client, options.copy, table)
        counts = _put_back(client, options.copy, table, screen)
    screen.end_line()
    if options.json:
        print(to_json(counts))
    else:
        print(f"{counts['restored']} rows restored, {counts['kept']} were there, {counts['expired']} have expired.")
    return 0


def _check(client: DynamoDBClient, copy: str, table: str) -> None:
    """Raises `CommandError` for what is no copy of the table, or not yet."""
    if copy == table:
        raise CommandError(f"{copy} is the table that the stage uses; name the one that DynamoDB restored from it.", 2)
    try:
        found = client.describe_table(TableName=copy)["Table"]
    except client.exceptions.ResourceNotFoundException:
        raise CommandError(f"There is no table {copy}; `aws dynamodb list-tables` shows those there are.", 2) from None
    if found["KeySchema"] != client.describe_table(TableName=table)["Table"]["KeySchema"]:
        raise CommandError(f"{copy} has other keys than {table}: it was restored from another table.", 2)
    if found["TableStatus"] != "ACTIVE":
        raise CommandError(f"{copy} is not complete yet; try again when `aws dynamodb describe-table` calls it ACTIVE.")


def _put_back(client: DynamoDBClient, copy: str, table: str, screen: Screen) -> dict[str, int]:
    """How many rows were restored, kept as they are, and left out because they have expired."""
    counts = Counter({"restored": 0, "kept": 0, "expired": 0})
    put = partial(_outcome, client, table, time.time())
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for page in client.get_paginator("scan").paginate(TableName=copy, ConsistentRead=True):
            counts.update(threads.map(put, page["Items"]))
            screen.status(f"{counts.total()} rows read …")
    return dict(counts)


def _outcome(client: DynamoDBClient, table: str, now: float, row: Mapping[str, Any]) -> str:
    """Put the row back. Readers take a row that expires for one that is there until DynamoDB deletes it."""
    if float(row.get("expiresAt", {}).get("N", now)) < now:
        return "expired"
    try:
        client.put_item(TableName=table, Item=row, ConditionExpression="attribute_not_exists(pk)")
    except client.exceptions.ConditionalCheckFailedException:
        return "kept"
    return "restored"
