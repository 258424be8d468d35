"""The running local stage, as described by the file that it writes."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cli.errors import CommandError

_START = "run `make run` first"
_ANSWER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Stage:
    """The running local stage. `everything` is the whole file; the other fields are taken from it."""

    everything: Mapping[str, Any]
    websocket_url: str
    endpoint_url: str
    region: str
    client_id: str
    passwords: Mapping[str, str]
    functions: Mapping[str, str]

    def password(self, user: str | None) -> tuple[str, str]:
        """A sample user's name and password; the first user's for None."""
        names = list(self.passwords)
        name = names[0] if user is None and names else user
        if name is None or name not in self.passwords:
            raise CommandError(f"The local stage has no user {name}; it has {', '.join(names) or 'none'}.", 2)
        return name, self.passwords[name]


def read_stage(path: Path) -> Stage:
    """The stage that the file describes. Raises `CommandError` if there is none or it does not answer."""
    stage = _parsed(path)
    if not _answers(stage.endpoint_url):
        raise CommandError(f"The local stage does not answer at {stage.endpoint_url}: {_START}.")
    return stage


def _parsed(path: Path) -> Stage:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return Stage(
            everything=fields,
            websocket_url=fields["websocketUrl"],
            endpoint_url=fields["endpointUrl"],
            region=fields["region"],
            client_id=fields["clientId"],
            passwords={user["name"]: user["password"] for user in fields["users"]},
            functions=fields["functions"],
        )
    except FileNotFoundError:
        raise CommandError(f"The local stage is not running ({path} is missing): {_START}.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} cannot be used: {_START}.") from error


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=_ANSWER_SECONDS):
            return True
    except OSError:
        return False
