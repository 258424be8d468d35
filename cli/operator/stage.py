"""`cicada stage`: what runs where on the local stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from cli.arguments import Options, command
from cli.local_stage import read_stage
from cli.settings import read_settings
from cli.text import clean_line, to_json

_TITLES = {
    "websocketUrl": "WebSocket",
    "pageUrl": "Chat page",
    "endpointUrl": "AWS services",
    "bedrockUrl": "Bedrock",
    "search": "Search",
    "region": "Region",
    "userPoolId": "User pool",
    "clientId": "App client",
    "users": "Users",
    "functions": "Functions",
    "outputs": "Stack outputs",
    "processes": "Processes",
    "logs": "Logs",
    "python": "Python",
}


@command(
    "stage",
    short_help="show what runs where on the local stage",
    help="Show the addresses, sample users and stack outputs of the local stage that `make run` started.",
    epilog="example: cicada stage --json",
)
@click.option("--json", is_flag=True, help="print the same as one JSON object")
def stage(options: Options) -> int:
    """0 if the stage runs."""
    stage = read_stage(read_settings().stage_file)
    print(to_json(stage.everything) if options.json else "\n".join(_lines(stage.everything)))
    return 0


def _lines(fields: Mapping[str, Any]) -> Iterator[str]:
    for name in [*_TITLES, *(name for name in fields if name not in _TITLES)]:
        if name in fields:
            yield from _entry(_TITLES.get(name, name), _values(name, fields[name]))


def _entry(title: str, values: list[str]) -> Iterator[str]:
    for index, value in enumerate(values):
        yield clean_line(title if index == 0 else "").ljust(15) + clean_line(value)


def _values(name: str, value: Any) -> list[str]:
    if name == "users":
        return [_user(user) for user in value]
    if isinstance(value, dict):
        return [f"{key}: {item}" for key, item in value.items()]
    return [str(value)]


def _user(user: Mapping[str, str]) -> str:
    """The user's line, with the id that access lists name if the stage file has it."""
    sub = f", sub {user['sub']}" if "sub" in user else ""
    return f"{user['name']}, password {user['password']}{sub}"
