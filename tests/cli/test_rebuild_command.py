"""`cicada rebuild`, run as an operator runs it, against a function that answers as scripted."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from cli import deployment_target
from tests.cli.conftest import Shell


def progress(state: str, copied: int = 0, run: str = "run-1") -> dict[str, Any]:
    return {"run": run, "state": state, "copied": copied, "documents": 3}


@dataclass
class ScriptedLambda:
    """Gives `results` in turn; an exception is raised, and while `pressed` is under way Ctrl-C is pressed."""

    results: list[Any]
    events: list[Mapping[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    pressed: str = ""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        self.names.add(FunctionName)
        self.events.append(json.loads(Payload))
        if self.events[-1]["rebuild"] == self.pressed:
            signal.raise_signal(signal.SIGINT)
        result = self.results.pop(0)
        if isinstance(result, BaseException):
            raise result
        failed = {"FunctionError": "Unhandled"} if "errorMessage" in result else {}
        return {"Payload": io.BytesIO(json.dumps(result).encode()), **failed}


@pytest.fixture
def function(
    monkeypatch: pytest.MonkeyPatch, local_stage: Callable[..., None]
) -> Iterator[Callable[..., ScriptedLambda]]:
    local_stage(IngestFunction="cicada-local-ingest-document")
    monkeypatch.setattr("cli.operator.rebuild.time.sleep", lambda seconds: None)

    def scripted(*results: Any) -> ScriptedLambda:
        made = ScriptedLambda(list(results))
        monkeypatch.setattr(
            deployment_target.DeploymentTarget, "client", lambda self, service, read_timeout_seconds=30: made
        )
        return made

    yield scripted


def test_rebuild_goes_on_until_the_end(function: Callable[..., ScriptedLambda], shell: Shell) -> None:
    made = function(progress("copying", 1), progress("copying", 2), progress("switched", 3))
    assert shell("rebuild") == 0
    assert shell.out() == "The new index answers: 3 documents.\n"
    # The first slice is over at once: until it is, nobody could say which run is to be dropped.
    assert made.events[0]["seconds"] == 0
    assert [(event["rebuild"], event.get("run")) for event in made.events] == [
        ("start", None),
        ("continue", "run-1"),
        ("continue", "run-1"),
    ]
    assert made.names == {"cicada-local-ingest-document"}


def test_json_is_the_last_progress(function: Callable[..., ScriptedLambda], shell: Shell) -> None:
    function(progress("switched", 3))
    assert shell("rebuild", "--json") == 0
    assert shell.json() == progress("switched", 3)


@pytest.mark.parametrize("results", [[progress("busy")], [progress("copying"), progress("busy")]])
def test_another_rebuild(function: Callable[..., ScriptedLambda], shell: Shell, results: list[Any]) -> None:
    made = function(*results)
    assert shell("rebuild") == 1
    assert "Another rebuild is under way" in shell.err()
    assert "abandon" not in [event["rebuild"] for event in made.events]


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (
            {"errorMessage": "The ground truth on a holds vectors\x1b of x."},
            "index goes on answering: The ground truth on a",
        ),
        ({"errorMessage": None}, "The rebuild failed"),
        (ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke"), "ResourceNotFoundException"),
        (ReadTimeoutError(endpoint_url="http://127.0.0.1"), "does not answer"),
    ],
)
def test_a_failure_is_one_sentence(
    function: Callable[..., ScriptedLambda], shell: Shell, failure: Any, sentence: str
) -> None:
    function(progress("copying"), failure)
    assert shell("rebuild") == 1
    said = shell.err()
    assert sentence in said
    assert said.count("\n") == 1
    assert "\x1b" not in said


def test_ctrl_c_drops_the_new_index(function: Callable[..., ScriptedLambda], shell: Shell) -> None:
    made = function(progress("copying"), KeyboardInterrupt(), progress("busy"), progress("abandoned"))
    assert shell("rebuild") == 130
    assert [event["rebuild"] for event in made.events] == ["start", "continue", "abandon", "abandon"]
    assert "the old index goes on answering" in shell.err()


@pytest.mark.parametrize(("pressed", "slices"), [("start", ["start"]), ("continue", ["start", "continue"])])
def test_ctrl_c_in_any_slice(
    function: Callable[..., ScriptedLambda], shell: Shell, pressed: str, slices: list[str]
) -> None:
    made = function(*[progress("copying")] * len(slices), progress("abandoned"))
    made.pressed = pressed
    assert shell("rebuild") == 130
    assert made.events[-1]["run"] == "run-1"
    assert [event["rebuild"] for event in made.events] == [*slices, "abandon"]
    assert shell.err() == "Stopping; the old index goes on answering.\nThe new index is dropped.\n"


def test_ctrl_c_in_the_last_slice_comes_too_late(function: Callable[..., ScriptedLambda], shell: Shell) -> None:
    made = function(progress("switched", 3))
    made.pressed = "start"
    assert shell("rebuild") == 0
    assert shell.out() == "The new index answers: 3 documents.\n"


def test_second_ctrl_c(function: Callable[..., ScriptedLambda], shell: Shell) -> None:
    made = function(KeyboardInterrupt())
    assert shell("rebuild") == 130
    assert [event["rebuild"] for event in made.events] == ["start"]
    assert "the next `cicada rebuild` drops it" in shell.err()
