"""The steps of one request, read from its rows and from its processor's log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from cicada.adapters.dynamodb.request_items import read_head, read_question
from cicada.adapters.dynamodb.table import Item
from cicada.conversation.model import AnswerRecord, Head
from cli.aws_failures import aws_calls
from cli.errors import CommandError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_SEARCH = ("planning", "searching", "routing", "ranking")
_GATE = (*_SEARCH, "judging", "gate")


@dataclass(frozen=True, slots=True)
class Step:
    """`at`: epoch seconds. `said`: what happened, in words without any text of the conversation."""

    at: float
    name: str
    said: str


@dataclass(frozen=True, slots=True)
class Story:
    """The steps in the order of time. `logged`: whether the processor's log has any of them."""

    request_id: str
    tenant: str
    user: str
    status: str
    logged: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """The rows of a request."""

    tenant: str
    user: str
    request_id: str
    head: Head
    events: tuple[Item, ...]


def stored_request(client: DynamoDBClient, table: str, name: str) -> StoredRequest:
    """The request of this name: its id, for which all of the table is read, or `tenant#user#id`, which is its key.

    Raises `CommandError` if there is none of that name, or more than one.
    """
    keys = [name]
    if name.count("#") < 2:
        values = {":head": {"S": "HEAD"}, ":id": {"S": f"#{name}"}}
        condition = "sk = :head AND contains(pk, :id)"
        found = items(client, "scan", table, FilterExpression=condition, ExpressionAttributeValues=values)
        keys = [each["pk"]["S"] for each in found if each["pk"]["S"].endswith(f"#{name}")]
    if len(keys) > 1:
        raise CommandError(f"There are several requests {name}: say which, as {' or '.join(sorted(keys))}.", 2)
    rows: list[Item] = []
    for key in keys:
        values = {":pk": {"S": key}}
        rows += items(client, "query", table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues=values)
    heads = [read_head(each) for each in rows if each["sk"]["S"] == "HEAD"]
    events = [each for each in rows if each["sk"]["S"].startswith("E#")]
    # The rows of one that has expired or is being deleted go one by one.
    if not heads or not any("question" in each for each in events[:1]):
        raise CommandError(f"There is no request {name}: check its id. What has expired is not kept.")
    tenant, user, request_id = keys[0].split("#", 2)
    return StoredRequest(tenant, user, request_id, heads[0], tuple(events[: heads[0].last_seq]))


def items(client: DynamoDBClient, operation: Literal["query", "scan"], table: str, **request: Any) -> Iterator[Item]:
    """The items of all pages. Raises `CommandError` for what DynamoDB refuses."""
    with aws_calls():
        for page in client.get_paginator(operation).paginate(TableName=table, ConsistentRead=True, **request):
            yield from page["Items"]


def story(stored: StoredRequest, log: Iterable[Mapping[str, Any]]) -> Story:
    """`log`: events of CloudWatch Logs in which the request's id occurs."""
    lines = list(_lines(log, stored.request_id))
    steps = [*_accepted(stored), *_logged(lines), *_sent(stored.events), *_measured(stored, _model(lines))]
    ordered = tuple(sorted(steps, key=lambda each: each.at))
    return Story(stored.request_id, stored.tenant, stored.user, stored.head.status, bool(lines), ordered)


def _accepted(stored: StoredRequest) -> Iterator[Step]:
    question = read_question(stored.events[0])
    said = f"accepted for {question.knowledge_base} in the session {question.session_id}"
    yield Step(stored.head.created_at, "frame", said)


def _lines(log: Iterable[Mapping[str, Any]], request_id: str) -> Iterator[dict[str, Any]]:
    """The structured lines of the request."""
    for event in log:
        with suppress(ValueError):
            line = json.loads(event["message"])
            if isinstance(line, dict) and line.get("requestId") == request_id:
                yield {"at": _time(line, event["timestamp"] / 1000), **line}


def _time(line: Mapping[str, Any], arrived: float) -> float:
    """The time that Powertools wrote into the line: the emulator gives all of an invocation the time of its end."""
    with suppress(ValueError, KeyError, TypeError):
        return datetime.fromisoformat(line["timestamp"]).timestamp()
    return arrived


def _logged(lines: Iterable[Mapping[str, Any]]) -> Iterator[Step]:
    for line in lines:
        for name in ("queued", "taken"):
            if (at := line.get(f"{name}At")) is not None:
                yield Step(at, name, f"for the delivery that ended as {line.get('outcome')}")
        if "message" in line:
            said = ": ".join(str(line[name]) for name in ("message", "outcome", "code", "reason") if line.get(name))
            yield Step(line["at"], str(line.get("level", "log")).lower(), said)


def _model(lines: Iterable[Mapping[str, Any]]) -> str:
    """The model that the answer's metrics name; empty where there are none."""
    return next((str(line["Model"]) for line in reversed(list(lines)) if "_aws" in line and "Model" in line), "")


def _sent(events: Iterable[Item]) -> Iterator[Step]:
    """The stored events; chunks that follow each other are one step. Events of earlier versions have no times."""
    timed = [(each, json.loads(each["body"]["S"])) for each in events if "writtenAt" in each]
    for kind, group in groupby(timed, lambda each: str(each[1]["type"])):
        found = list(group)
        if kind == "chunk":
            characters = sum(len(body["content"]) for _, body in found)
            found, told = found[:1], [f", {len(found)} of them with {characters:,} characters"]
        else:
            told = [_told(body) for _, body in found]
        for (item, _), what in zip(found, told, strict=True):
            number = f"#{int(item['sk']['S'][2:])} of attempt {item['attempt']['N']}"
            yield Step(_at(item), "event", f"{number}: {kind}{what}")


def _at(item: Item) -> float:
    return float(item["writtenAt"]["N"])


def _told(body: Mapping[str, Any]) -> str:
    """What an event says without its texts."""
    said = [f" {body[name]}" for name in ("stage", "code") if name in body]
    return "".join([*said, *(f", {len(body[name])} {name}" for name in ("sources", "documents") if name in body)])


def _measured(stored: StoredRequest, model: str) -> Iterator[Step]:
    """What the record of the last attempt says. Its phases are sums of parts, so their ends are near the truth."""
    last = stored.events[-1]
    record = stored.head.record
    if record is None or "writtenAt" not in last:
        return
    ended, times = _at(last), record.timings
    began = ended - times.get("total", 0) / 1000
    plan = json.loads(last["body"]["S"]).get("plan") or {}

    def after(*phases: str) -> float:
        return min(ended, began + sum(times.get(each, 0) for each in phases) / 1000)

    if "planning" in times:
        yield Step(after("planning"), "planned", f"{_planned(record, plan)}, in {times['planning']} ms")
    if record.scores:
        yield Step(after(*_SEARCH), "searched", _searched(record))
    if "gate" in times:
        yield Step(after(*_GATE), "gate", f"{times['gate']} ms, {plan.get('withheld', 0)} withheld")
    if "firstToken" in times:
        yield Step(began + times["firstToken"] / 1000, "text", f"the first, after {times['firstToken']} ms")
    if record.output_tokens:
        yield Step(ended, "model", _wrote(record, model))
    how = f"failed: {record.code}" if record.code else stored.head.status
    yield Step(ended, "ended", f"{how} after {times.get('total', 0)} ms; path: {' '.join(record.path) or 'not known'}")


def _planned(record: AnswerRecord, plan: Mapping[str, Any]) -> str:
    by = [step.removeprefix("plan:") for step in record.path if step.startswith("plan:")]
    sure = f", confidence {plan['confidence']}" if plan.get("confidence") is not None else ""
    return f"{record.intent or 'unknown'} as {record.strategy or 'unknown'} by {' '.join(by) or 'unknown'}{sure}"


def _searched(record: AnswerRecord) -> str:
    spent = ", ".join(f"{each} {record.timings[each]} ms" for each in _SEARCH[1:] if each in record.timings)
    scores = " ".join("unjudged" if each is None else f"{each:.2f}" for each in record.scores)
    return f"{len(record.scores)} times ({spent}), evidence {scores}"


def _wrote(record: AnswerRecord, model: str) -> str:
    others = "".join(f", {step}" for step in record.path if step.startswith("model:"))
    refused = f", {record.refused_calls} calls refused" if record.refused_calls else ""
    tokens = f"{record.input_tokens} tokens read and {record.output_tokens} written"
    return f"{model or 'unknown'}, {tokens}{refused}{others}, stop: {record.stopped or 'normal'}"
