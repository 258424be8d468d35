"""What the tests of the command share: the command run in this process, what it is asked about, and who types."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.__main__ import main
from cli.deployment_target import DeploymentTarget
from tests.clients.disturbing_server import TOKEN, DisturbingServer


class Shell:
    """Runs `cicada` with these arguments and gives its exit code; what it printed is read once."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.read = capsys.readouterr

    def __call__(self, *arguments: str) -> int:
        return main(arguments)

    def out(self) -> str:
        return self.read().out

    def err(self) -> str:
        return self.read().err

    def lines(self) -> list[str]:
        return self.out().splitlines()

    def json(self) -> Any:
        return json.loads(self.out())


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


class Typing(io.StringIO):
    """Standard input with a person at it, who types this."""

    def isatty(self) -> bool:
        return True


def at_server(server: DisturbingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the environment name the server, and a token that it lets in."""
    monkeypatch.setenv("CICADA_URL", server.url)
    monkeypatch.setenv("CICADA_TOKEN", TOKEN)


def replace_operation(monkeypatch: pytest.MonkeyPatch, operation: str, make: Callable[[Any], Any]) -> None:
    """Have every client of the command do what `make` makes of its own operation."""
    made = DeploymentTarget.client

    def client(self: DeploymentTarget, service: Any, *more: Any, **named: Any) -> Any:
        found: Any = made(self, service, *more, **named)
        if hasattr(found, operation):
            setattr(found, operation, make(getattr(found, operation)))
        return found

    monkeypatch.setattr(DeploymentTarget, "client", client)


@pytest.fixture
def local_stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """A local stage that answers, with these outputs."""

    def running(**outputs: str) -> None:
        fields = {"websocketUrl": "ws://127.0.0.1:1", "endpointUrl": "http://127.0.0.1:1", "region": "us-east-1"}
        fields |= {"clientId": "c", "users": [], "functions": {}, "outputs": outputs}  # type: ignore[dict-item]
        (tmp_path / "stage.json").write_text(json.dumps(fields))
        monkeypatch.setenv("CICADA_STAGE_FILE", str(tmp_path / "stage.json"))
        monkeypatch.setattr("cli.local_stage._answers", lambda url: True)

    return running
