"""The built wheels are complete: each is installed where nothing else of the checkout can be imported."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from local.stage.settings import ROOT
from tests.clients.disturbing_server import TOKEN, DisturbingServer, answer, running
from tests.patience import PATIENCE_SECONDS

PACKAGES = Path(sysconfig.get_path("purelib"))
# Every subcommand is imported, with what it needs.
IMPORT_ALL = """
import importlib, pkgutil, cli
for each in pkgutil.walk_packages(cli.__path__, "cli."):
    importlib.import_module(each.name)
"""


def run(*command: object, cwd: Path, variables: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(project: Path, folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=project)
    [wheel] = folder.glob("*.whl")
    return wheel


def environment(folder: Path, *wheels: Path) -> Path:
    """An environment with these wheels alone; its `bin`."""
    venv.create(folder, symlinks=True)
    uv = Path(sys.executable).with_name("uv")
    run(uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", folder, *wheels, cwd=folder)
    return folder / "bin"


def site_packages(bin: Path) -> Path:
    [found] = bin.parent.glob("lib/python*/site-packages")
    return found


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT / "clients" / "python", tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("command"))


def test_the_program_of_the_docs_needs_nothing_but_the_client_and_websockets(client: Path, tmp_path: Path) -> None:
    bin = environment(tmp_path / "env", client)
    (site_packages(bin) / "websockets").symlink_to(PACKAGES / "websockets")
    [program] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python-client.md").read_text("utf-8"), re.DOTALL)
    with running(DisturbingServer(answer(["The queen ", "is dead [1]."]))) as server:
        variables = {"CICADA_URL": server.url, "CICADA_TOKEN": TOKEN}
        shown = run(bin / "python", "-c", program, "Who is dead?", cwd=tmp_path, variables=variables)
    assert shown == "The queen is dead [1].\n[1] Macbeth\n"


def test_the_command_starts_and_has_all_its_subcommands(client: Path, command: Path, tmp_path: Path) -> None:
    bin = environment(tmp_path / "env", client, command)
    # The packages that both depend on. The files that lead from there to the checkout are not read.
    (site_packages(bin) / "others.pth").write_text(f"{PACKAGES}\n")
    assert run(bin / "cicada", "--version", cwd=tmp_path) == "cicada 0.1.0\n"
    run(bin / "python", "-c", IMPORT_ALL, cwd=tmp_path)
