"""Processes of the stage: they end together, with everything that they started."""

from __future__ import annotations

import fcntl
import json
import signal
import sys
import urllib.request
from pathlib import Path

import pytest

from local.stage.isolated import free_port
from local.stage.processes import Running, finish, start, stop_all, wait_until
from local.stage.servers import start_bedrock, start_emulator
from local.stage.settings import StageConfig, inherited, process_environment
from tests.patience import PATIENCE_SECONDS

# On SIGTERM it says so in a file, and ends with 0 as soon as the others have said so too.
PEER = """
import pathlib, signal, sys, time
folder, name, others, patience = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3].split(), float(sys.argv[4])
def end(*_):
    (folder / f"{name}.ending").touch()
    deadline = time.monotonic() + patience
    while not all((folder / f"{other}.ending").exists() for other in others):
        if time.monotonic() > deadline:
            sys.exit(3)
        time.sleep(0.01)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
(folder / f"{name}.ready").touch()
time.sleep(600)
"""
# Less than the guard waits before it kills.
PEER_PATIENCE = 5
# Its child holds a lock for as long as it lives.
PARENT = """
import subprocess, sys
child = "import fcntl, sys, time; file = open(sys.argv[1], 'a'); fcntl.flock(file, fcntl.LOCK_EX);"
child += "file.write('held'); file.flush(); time.sleep(600)"
subprocess.run([sys.executable, "-c", child, sys.argv[1]])
"""
# A process like the emulator: it ends when its child has ended, which it starts once more if that ends too early.
RESTARTING = """
import pathlib, signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda *_: None)
for name in ("first", "second"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    pathlib.Path(sys.argv[1], name).touch()
    child.wait()
"""


def peer(folder: Path, name: str, others: str) -> Running:
    command = [sys.executable, "-c", PEER, str(folder), name, others, str(PEER_PATIENCE)]
    running = start(name, command, inherited(), folder / "log")
    wait_until((folder / f"{name}.ready").exists, running)
    return running


def test_all_are_told_to_end_before_any_is_waited_for(tmp_path: Path) -> None:
    processes = [
        peer(tmp_path, "first", "second third"),
        peer(tmp_path, "second", "first"),
        peer(tmp_path, "third", ""),
    ]
    assert stop_all(processes) == {"first": 0, "second": 0, "third": 0}


def test_a_child_that_is_started_at_the_end_is_ended_too(tmp_path: Path) -> None:
    running = start("parent", [sys.executable, "-c", RESTARTING, str(tmp_path)], inherited(), tmp_path / "log")
    wait_until((tmp_path / "first").exists, running)
    assert stop_all([running]) == {"parent": 0}
    assert (tmp_path / "second").exists()


def test_no_child_is_left(tmp_path: Path) -> None:
    file = tmp_path / "child"
    running = start("parent", [sys.executable, "-c", PARENT, str(file)], inherited(), tmp_path / "log")
    wait_until(lambda: file.exists() and bool(file.read_text()), running)
    stop_all([running])
    with file.open("a") as lock:
        # Waits forever if the child lives.
        fcntl.flock(lock, fcntl.LOCK_EX)


def test_byte_code_is_cached_below_the_build_folder_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    said = "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    assert finish("python", [sys.executable, "-c", said], process_environment(), tmp_path / "log") == 0
    decided, prefix = (tmp_path / "log").read_text().split()
    assert decided == "False"
    assert prefix.endswith(".build/byte-code")


def test_the_functions_find_the_byte_code_of_their_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They inherit the emulator's environment: with the variable their byte-code would be looked for elsewhere."""
    environments = {}

    def note(name: str, command: list[str], environment: dict[str, str], log: Path, url: str) -> None:
        environments[name] = environment

    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "elsewhere")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr("local.stage.servers.start", note)
    monkeypatch.setattr("local.stage.servers._PYTHON", tmp_path)
    config = StageConfig(tmp_path, 1, 2, 3, 4, "embedded", "")
    start_emulator(config)
    start_bedrock(config)
    assert "PYTHONPYCACHEPREFIX" not in environments["emulator"]
    assert environments["emulator"]["PYTHONDONTWRITEBYTECODE"] == ""
    assert environments["Bedrock stand-in"]["PYTHONPYCACHEPREFIX"].endswith(".build/byte-code")


def test_the_stand_in_ends_in_order_though_it_is_asked_for_a_long_answer(tmp_path: Path) -> None:
    """Uvicorn would wait for the end of the answer, until the guard kills it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "local.bedrock", "--embedder", "hash", "--port", str(port)]
    environment = process_environment() | {"CICADA_TOKENS_PER_SECOND": "0.01"}
    running = start("Bedrock stand-in", command, environment, tmp_path / "log", f"{url}/health")
    running.wait_until_ready()
    asked = json.dumps({"messages": [{"role": "user", "content": [{"text": "Hello! Who are you?"}]}]}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/model/any/converse-stream", asked, headers)  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - loopback
        assert answer.read(1)
        assert stop_all([running]) == {"Bedrock stand-in": 256 - signal.SIGTERM}
