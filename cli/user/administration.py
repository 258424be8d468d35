"""`cicada administration`: what administrators read of their tenant, as the page shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from cli.arguments import Group, Options, Run, command, json_option, together
from cli.screen import open_screen
from cli.text import clean_line, counted, to_json
from cli.user.client import open_client, system_options, user_option

if TYPE_CHECKING:
    from cicada_client.accounts import Failures, Ratings, Use
    from cicada_client.client import Client

Rows: TypeAlias = Sequence[Sequence[str]]
_common = together(json_option, system_options, user_option)


def _days_option(most: int) -> Callable[[Run], Run]:
    return click.option(
        "--days",
        metavar="N",
        type=click.IntRange(1, most),
        default=7,
        help=f"the last N days, 1 to {most} (default: 7)",
    )


@command(
    "use",
    short_help="show the tokens of each day and what they cost",
    help="The tokens of language models that your tenant has used by day in UTC, where the stage limits them, with an"
    " estimate of their cost where the models' prices are known.",
    epilog="example: cicada administration use --user alice",
)
@_days_option(7)
@_common
def use(options: Options) -> int:
    """0."""
    return _shown(options, lambda client: client.read_use(options.days), _use_tables)


@command(
    "feedback",
    short_help="show what users think of answers",
    help="The ratings of answers to questions of your tenant by day in UTC, and the latest with reasons and comments."
    " Neither the users nor the questions are shown.",
    epilog="example: cicada administration feedback --days 31 --user alice",
)
@_days_option(31)
@_common
def feedback(options: Options) -> int:
    """0, also if there is none."""
    return _shown(options, lambda client: client.read_feedback(options.days), _ratings_tables)


@command(
    "failures",
    short_help="show which requests failed",
    help="The questions of your tenant that ended in an error, by day in UTC and code, and the ids of the latest, by"
    " which operators find them with `cicada trace`.",
    epilog="example: cicada administration failures --user alice",
)
@_days_option(31)
@_common
def failures(options: Options) -> int:
    """0, also if there is none."""
    return _shown(options, lambda client: client.read_failures(options.days), _failures_tables)


administration = Group(
    "administration",
    short_help="what administrators read of their tenant",
    help="The use, the ratings and the failed requests of your tenant, for its administrators. Each read is recorded.",
    epilog="example: cicada administration failures --user alice",
    commands=(use, feedback, failures),
)


def _shown(options: Options, read: Callable[[Client], Any], tables: Callable[[Any], tuple[Sequence[Rows], str]]) -> int:
    with open_client(options, open_screen().observe) as client:
        found = read(client)
    if options.json:
        print(to_json(asdict(found)))
        return 0
    shown, sentence = tables(found)
    for rows in shown:
        if len(rows) > 1:
            open_screen().table([[clean_line(cell) for cell in row] for row in rows], wrapped=True)
    print(sentence)
    return 0


def _use_tables(found: Use) -> tuple[Sequence[Rows], str]:
    if found.limit is None:
        return (), "Tokens are not counted here, because the stage has no limit of them."
    cost = [f"${found.dollars[day]:,.2f}" if day in found.dollars else "" for day, _ in found.days]
    rows = [
        ("DAY", "TOKENS", "ABOUT"),
        *((*_day(*each), dollars) for each, dollars in zip(found.days, cost, strict=True)),
    ]
    priced = f" Costs are estimates by list prices of {clean_line(found.prices_of)}." if found.prices_of else ""
    return [rows], f"{found.limit:,} tokens may be used in a day.{priced}"


def _day(day: str, tokens: int) -> tuple[str, str]:
    return day, f"{tokens:,}"


def _ratings_tables(found: Ratings) -> tuple[Sequence[Rows], str]:
    days = [("DAY", "GOOD", "BAD"), *((day, str(good), str(bad)) for day, good, bad in found.days)]
    latest = [("ASKED", "BASE", "RATING", "WHY", "REQUEST")]
    for each in found.latest:
        why = ": ".join(filter(None, [", ".join(each.reasons), each.comment]))
        latest.append((each.asked_at, each.knowledge_base, each.rating, why, each.request_id))
    return [days, latest], _total(sum(good + bad for _, good, bad in found.days), "rated", complete=found.complete)


def _failures_tables(found: Failures) -> tuple[Sequence[Rows], str]:
    days = [("DAY", "CODE", "REQUESTS"), *((day, code, str(number)) for day, code, number in found.days)]
    latest = [("ASKED", "BASE", "CODE", "REQUEST")]
    latest += [(each.asked_at, each.knowledge_base, each.code, each.request_id) for each in found.latest]
    return [days, latest], _total(sum(number for *_, number in found.days), "failed", complete=found.complete)


def _total(number: int, how: str, *, complete: bool) -> str:
    more = "" if complete else " There are more: only the latest were counted."
    return f"{counted(number, 'request')} {how}.{more}"
