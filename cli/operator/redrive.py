"""`cicada redrive`: list the requests in the dead-letter queue, or queue them again."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command, stack_option
from cli.errors import CommandError, library_errors
from cli.text import clean_line, counted

if TYPE_CHECKING:
    from cli.deployment_target import DeploymentTarget
    from cli.operator.dead_letters import DeadLetter, Redriver

_OUTCOMES = {
    "queued": "queued again",
    "ended": "answered since; its dead letter is removed",
    "expired": "expired; its dead letter is removed",
    "running": "being answered; left where it is",
    "unreadable": "names no request; left where it is",
}
# The outputs of the stack, and the options that take their place.
_OPTIONS = {"RequestsTable": "table", "RequestsQueueUrl": "queue_url", "DeadLetterQueueUrl": "dead_letter_queue_url"}


@command(
    "redrive",
    short_help="answer the requests in the dead-letter queue again",
    help="Queue the requests in the dead-letter queue again: those of the local stage, or with --stack or"
    " the three names those of a stage on AWS, with the credentials that the AWS command line uses.",
    epilog="example: cicada redrive --list --stack Cicada-dev",
)
@click.option("--list", is_flag=True, help="only show what there is")
@stack_option
@click.option("--table", metavar="NAME", help="the table of requests on AWS")
@click.option("--queue-url", metavar="URL", help="the request queue on AWS")
@click.option("--dead-letter-queue-url", metavar="URL", help="the dead-letter queue on AWS")
def redrive(options: Options) -> int:
    """0, also when there is nothing to do; 1 if something is left that names no request or is being answered."""
    with library_errors():
        redriver = _open_redriver(_target(options))
        return _show(redriver) if options.list else _redrive(redriver)


def _target(options: Options) -> DeploymentTarget:
    from cli.deployment_target import aws_target, open_target  # imported late: boto3 is slow to import

    names = {output: getattr(options, option) for output, option in _OPTIONS.items()}
    if options.stack or not any(names.values()):
        return open_target(options.stack)
    if not all(names.values()):
        raise CommandError("Give all of --table, --queue-url and --dead-letter-queue-url, or --stack.", 2)
    return aws_target(names)


def _open_redriver(target: DeploymentTarget) -> Redriver:
    from cli.operator.dead_letters import redriver

    table, queue_url, dead_letter_queue_url = map(target.output, _OPTIONS)
    return redriver(target.client("dynamodb"), target.client("sqs"), table, queue_url, dead_letter_queue_url)


def _show(redriver: Redriver) -> int:
    letters = redriver.look()
    now = time.time()
    for letter in letters:
        print(
            f"{_name(letter)}  {clean_line(letter.reason or 'given up by the queue'):24}  {_age(now - letter.sent_at)}"
        )
    print(f"{counted(len(letters), 'dead letter')} shown, about {redriver.dead_letters.count()} in the queue.")
    return 0


def _redrive(redriver: Redriver) -> int:
    outcomes: Counter[str] = Counter()
    for letter, outcome in redriver.redrive():
        outcomes[outcome] += 1
        print(f"{_name(letter)}  {_OUTCOMES[outcome]}")
    print(f"{counted(outcomes.total(), 'dead letter')}, {outcomes['queued']} queued again.")
    return 1 if outcomes["running"] or outcomes["unreadable"] else 0


def _name(letter: DeadLetter) -> str:
    return clean_line(letter.key.request_id if letter.key else "(no request)").ljust(36)


def _age(seconds: float) -> str:
    """The age in the largest unit of which it is at least one."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(0, int(seconds))} s"
