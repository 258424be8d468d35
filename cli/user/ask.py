"""`cicada ask`: one question, one answer."""

from __future__ import annotations

import argparse
import sys
import uuid
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cicada_client.answer import Answer
from cicada_client.events import Source
from cli.errors import CommandError
from cli.interrupt import cancelling
from cli.screen import open_screen
from cli.settings import read_settings
from cli.text import to_json
from cli.user.client import add_target_options, open_client, scope
from cli.user.rendering import collect, render_answer

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "ask",
        help="ask one question",
        description="Ask one question and show the answer as it comes, then the sources that it cites. Ctrl-C cancels"
        " the answer.",
    )
    parser.add_argument("question", help='the question; "-" reads it from standard input')
    parser.add_argument("--json", action="store_true", help="print one JSON object when the answer is whole")
    add_target_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 for a complete answer, 1 for a failed or cancelled one."""
    settings = read_settings()
    message = _question(options.question)
    screen = open_screen(settings)
    request_id = str(uuid.uuid4())
    with open_client(options, settings, screen.observe) as client, cancelling(lambda: client.cancel(request_id)):
        events = client.ask(message, options.session, options.knowledge_base, scope(options), request_id)
        answer = collect(events, screen) if options.json else render_answer(events, screen)
    if options.json:
        print(to_json(as_json(answer)))
    return 0 if answer.status == "complete" else 1


def as_json(answer: Answer) -> dict[str, Any]:
    """The answer under the protocol's names. `failure` is null unless `status` is `failed`."""
    failure = answer.failure
    return {
        "requestId": answer.request_id,
        "sessionId": answer.session_id,
        "knowledgeBase": answer.knowledge_base,
        "status": answer.status,
        "text": answer.text,
        "sources": [_source(source) for source in answer.sources],
        "usage": dict(answer.usage),
        "timings": dict(answer.timings),
        "path": list(answer.path),
        "confidence": answer.confidence,
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
    }


def _question(argument: str) -> str:
    message = sys.stdin.read() if argument == "-" else argument
    if not message.strip():
        raise CommandError("The question is empty.", 2)
    return message.strip()
