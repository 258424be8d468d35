"""`cicada ask`: one question, one answer."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from cicada_client.answer import Answer
from cicada_client.events import Event, Source
from cicada_client.listing import Listing
from cicada_client.plan import Plan
from cli.arguments import Options, command
from cli.errors import CommandError
from cli.interrupt import cancelling
from cli.screen import Screen, open_screen
from cli.text import to_json
from cli.user.client import open_client, question_options, require_session, scope
from cli.user.rendering import collect, render_answer


@command(
    "ask",
    short_help="ask one question",
    help="Ask one question and show the answer as it comes, then the documents that it lists and the sources"
    " that it cites. Ctrl-C cancels the answer.",
    epilog="example: cicada ask 'Who murders Duncan?' --user alice --stack Cicada-dev",
)
@click.argument("question", help='the question; "-" reads it from standard input')
@click.option("--json", is_flag=True, help="print one JSON object when the answer is whole")
@question_options
def ask(options: Options) -> int:
    """0 for a complete answer, 1 for a failed or cancelled one."""
    message = _question(options.question)
    screen = open_screen()
    request_id = str(uuid.uuid4())
    with open_client(options, screen.observe) as client, cancelling(lambda: client.cancel(request_id)):
        require_session(client, options.session)
        events = client.ask(message, options.session, options.knowledge_base, scope(options), request_id)
        answer = collect(events, screen) if options.json else _render(events, screen, options)
    if options.json:
        print(to_json(as_json(answer)))
    return 0 if answer.status == "complete" else 1


def _render(events: Iterator[Event], screen: Screen, options: Options) -> Answer:
    return render_answer(events, screen, explain=options.explain, next_page=_next_page)


def _next_page(answer: Answer) -> str:
    return f"`cicada ask more --session {answer.session_id}` shows the next page"


def as_json(answer: Answer) -> dict[str, Any]:
    """The answer under the protocol's names. `failure` is null unless `status` is `failed`.

    `listing` is null unless the answer is a list of documents; `plan` is null until the answer is complete.
    """
    failure = answer.failure
    return {
        "requestId": answer.request_id,
        "sessionId": answer.session_id,
        "knowledgeBase": answer.knowledge_base,
        "status": answer.status,
        "text": answer.text,
        "sources": [_source(source) for source in answer.sources],
        "listing": answer.listing and _listing(answer.listing),
        "usage": dict(answer.usage),
        "timings": dict(answer.timings),
        "path": list(answer.path),
        "confidence": answer.confidence,
        "plan": answer.plan and _plan(answer.plan),
        "checked": answer.checked,
        "unsupported": [asdict(each) for each in answer.unsupported],
        "failure": failure and {"error": failure.error, "code": failure.code, "retryable": failure.retryable},
    }


def _source(source: Source) -> dict[str, Any]:
    return {
        "n": source.n,
        "documentId": source.document_id,
        "title": source.title,
        "locator": {name: value for name, value in asdict(source.locator).items() if value},
        "excerpt": source.excerpt,
        "relevance": source.relevance,
        "fields": dict(source.fields or {}),
        "spans": [list(span) for span in source.spans],
    } | ({"passage": source.passage} if source.passage else {})


def _listing(listing: Listing) -> dict[str, Any]:
    listed: dict[str, Any] = {
        "total": listing.total,
        "documents": [
            {"documentId": each.document_id, "title": each.title, "fields": dict(each.fields)}
            | {"relevance": each.relevance}
            | ({"excerpt": each.excerpt, "reason": each.reason} if each.excerpt else {})
            for each in listing.documents
        ],
        "offset": listing.offset,
        "nextOffset": listing.next_offset,
    }
    if listing.columns:
        listed["columns"] = list(listing.columns)
    if listing.aggregates:
        listed["aggregates"] = [asdict(each) for each in listing.aggregates]
    if listing.grouped_by:
        groups = [asdict(each) | {"values": list(each.values)} for each in listing.groups]
        listed |= {"groupedBy": list(listing.grouped_by), "groups": groups, "groupCount": listing.group_count}
    return listed


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "strategy": plan.strategy,
        "knowledgeBase": plan.knowledge_base,
        "query": plan.query,
        "by": plan.by,
        "filters": list(plan.filters),
        "documents": plan.documents,
        "withheld": plan.withheld,
        "confidence": plan.confidence,
    }


def _question(argument: str) -> str:
    message = sys.stdin.read() if argument == "-" else argument
    if not message.strip():
        raise CommandError("The question is empty.", 2)
    return message.strip()
