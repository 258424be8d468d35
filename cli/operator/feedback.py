"""`cicada feedback`: what users think of their answers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from cicada_client.answer import Answer
from cicada_client.events import parse_event
from cli.arguments import Group, Options, command, json_option, stack_option
from cli.errors import library_errors
from cli.screen import open_screen
from cli.text import clean_line, counted, to_json

if TYPE_CHECKING:
    from cicada.adapters.dynamodb.request_log import DynamoRequestLog
    from cicada.conversation.model import AnswerFeedback, Head, RequestKey

    Rated = tuple[RequestKey, Head, AnswerFeedback]

_HEAD = ("TIME", "TENANT", "USER", "RATING", "WHY", "REQUEST")
# Turns of a session before the one that was rated.
_EARLIER = 20

_rating_option = click.option("--rating", type=click.Choice(("good", "bad")), help="only these")


@command(
    "list",
    short_help="show what users think of answers",
    help="The ratings of answers with their reasons and comments, the latest first. The questions are in the export.",
    epilog="example: cicada feedback list --rating bad --stack Cicada-dev",
)
@_rating_option
@json_option
@stack_option
def list_(options: Options) -> int:
    """0, also if there is none."""
    _, rated = _rated(options)
    found = [_fields(key, said) for key, _, said in rated]
    if options.json:
        print(to_json({"feedback": found}))
        return 0
    rows = [(each["at"], each["tenant"], each["user"], each["rating"], _why(each), each["requestId"]) for each in found]
    if rows:
        open_screen().table([_HEAD, *rows], wrapped=True)
    print(f"{counted(len(rows), 'answer')} rated.")
    return 0


@command(
    "export",
    short_help="print rated questions as a file for eval answers and calibrate",
    help="Print one conversation a line in the form of `cicada eval answers`: the rated question with the earlier"
    " ones of its session, and of an answer that was rated good what it showed, as what must come of it. Of one that"
    " was rated bad only the question is known: write yourself what must come of it. The file has users' own words.",
    epilog="example: cicada feedback export --rating good --stack Cicada-dev > rated.jsonl",
)
@_rating_option
@stack_option
def export(options: Options) -> int:
    """0, also if there is none."""
    log, rated = _rated(options)
    with library_errors():
        for key, head, said in rated:
            print(json.dumps(_conversation(log, key, head, said.rating), ensure_ascii=False))
    return 0


feedback = Group(
    "feedback",
    short_help="what users think of their answers",
    help="What users think of their answers: for people, and as questions for the evaluation.",
    epilog="example: cicada feedback list --rating bad --stack Cicada-dev",
    commands=(list_, export),
)


def _rated(options: Options) -> tuple[DynamoRequestLog, list[Rated]]:
    """The rated requests, latest first: all of the table is read, as no index has them."""
    from cicada.adapters.dynamodb.request_items import read_head  # imported late: the library is slow to import
    from cicada.adapters.dynamodb.request_log import DynamoRequestLog
    from cicada.conversation.model import RequestKey
    from cicada.identity import Principal
    from cli.deployment_target import open_target
    from cli.operator.request_story import items

    target = open_target(options.stack)
    client, table = target.client("dynamodb"), target.output("RequestsTable")
    # What has expired is deleted some days later, and its questions are not read any more.
    condition = "sk = :head AND attribute_exists(feedback) AND expiresAt > :now"
    values = {":head": {"S": "HEAD"}, ":now": {"N": str(int(time.time()))}}
    found: list[Rated] = []
    for item in items(client, "scan", table, FilterExpression=condition, ExpressionAttributeValues=values):
        tenant, user, request_id = item["pk"]["S"].split("#", 2)
        head = read_head(item)
        if head.feedback and options.rating in (None, head.feedback.rating):
            found.append((RequestKey(Principal(tenant, user), request_id), head, head.feedback))
    found.sort(key=lambda each: -each[2].at)
    return DynamoRequestLog(client, table, time.time), found


def _why(fields: Mapping[str, Any]) -> str:
    return clean_line(": ".join(filter(None, [", ".join(fields["reasons"]), fields["comment"]])))


def _fields(key: RequestKey, said: AnswerFeedback) -> dict[str, Any]:
    return {
        "at": datetime.fromtimestamp(said.at, UTC).isoformat(timespec="seconds"),
        "tenant": key.principal.tenant,
        "user": key.principal.user,
        "rating": said.rating,
        "reasons": said.reasons,
        "comment": said.comment,
        "requestId": key.request_id,
    }


def _conversation(log: DynamoRequestLog, key: RequestKey, head: Head, rating: str) -> dict[str, Any]:
    from cicada.conversation.model import RequestKey

    earlier = reversed(log.turns(key.principal, head.session_id, head.created_at, _EARLIER))
    keys = [*(RequestKey(key.principal, each.request_id) for each in earlier), key]
    asked = [each for each in map(log.question, keys) if each]
    turns: list[dict[str, Any]] = [{"message": each.message} for each in asked]
    if rating == "good" and (expected := _shown(log, key, head)):
        turns[-1]["expect"] = expected
    return {"id": key.request_id, "group": rating, "knowledgeBase": asked[-1].knowledge_base, "turns": turns}


def _shown(log: DynamoRequestLog, key: RequestKey, head: Head) -> dict[str, Any]:
    """What an answer showed: the documents that it cites, else all of its sources; or that it found no answer."""
    if head.record and head.record.scores and not any(_writes(step) for step in head.record.path):
        return {"answered": False}
    answer = Answer()
    for stored in log.events(key, 0, head.last_seq):
        if event := parse_event(json.loads(stored.body) | {"requestId": key.request_id, "seq": stored.seq}):
            answer = answer.then(event)
    documents = list(dict.fromkeys(each.document_id for each in answer.cited or answer.sources))
    return {"documents_any": documents} if documents else {}


def _writes(step: str) -> bool:
    """Whether a model or an agent writes text in this step of an answer's path."""
    return step == "generate" or step.startswith("agent:")
