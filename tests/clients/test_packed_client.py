"""The JavaScript package is complete: packed, it is installed in an empty folder, run and compiled against."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from local.stage.settings import ROOT
from tests.clients.disturbing_server import TOKEN, DisturbingServer, answer, running
from tests.patience import PATIENCE_SECONDS
from tools.protocol.types import TYPES_FOLDER, types

TSC = (ROOT / "node_modules" / ".bin" / "tsc", "--noEmit", "--strict", "--checkJs", "--module", "nodenext")
# What Node declares in a package of its own.
NODE = "declare const process: { env: Record<string, string>; argv: string[]; stdout: { write(text: string): void } };"
TYPED = """
import { CicadaClient, CicadaError, type BaseSummary, type Command } from "cicada-client";

const client = new CicadaClient({ url: "wss://example.com", token: async () => ({ token: "t", validMs: 1_000 }) });
const bases: BaseSummary[] = await client.knowledgeBases();
const command: Command = { action: "cancel", requestId: "r" };
client.addEventListener("event", ({ detail }) => detail.type === "chunk" && detail.content.trim());
client.ask({ message: "Who?", knowledgeBase: bases[0]?.name, scope: { filters: [{ field: "status", op: "exists" }] } });
client.listMore({ answer: "r", offset: 20 }).catch((error) => error instanceof CicadaError && error.code);
"""


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the packed client and the program of the docs."""
    folder = tmp_path_factory.mktemp("project")
    packed = run("npm", "pack", "--silent", ROOT / "clients" / "javascript", cwd=folder)
    assert packed.returncode == 0, packed.stderr
    [tarball] = folder.glob("*.tgz")
    installed = run("npm", "install", "--silent", "--offline", "--no-package-lock", tarball, cwd=folder)
    assert installed.returncode == 0, installed.stderr
    [program] = re.findall(
        r"```javascript\n(.*?)```", (ROOT / "docs/javascript-client.md").read_text("utf-8"), re.DOTALL
    )
    (folder / "program.mjs").write_text(program, "utf-8")
    (folder / "node.d.ts").write_text(NODE, "utf-8")
    return folder


def test_the_program_of_the_docs_runs_with_the_packed_client_alone(project: Path) -> None:
    with running(DisturbingServer(answer(["The queen ", "is dead [1]."]))) as server:
        variables = ("env", f"CICADA_URL={server.url}", f"CICADA_TOKEN={TOKEN}")
        done = run(*variables, "node", "--experimental-websocket", "program.mjs", "Who is dead?", cwd=project)
    assert (done.stdout, done.returncode) == ("The queen is dead [1].\n[1] Macbeth\n", 0), done.stderr


def test_the_types_accept_right_programs_and_refuse_wrong_ones(project: Path) -> None:
    (project / "typed.mts").write_text(TYPED, "utf-8")
    right = run(*TSC, "node.d.ts", "program.mjs", "typed.mts", cwd=project)
    assert (right.stdout, right.returncode) == ("", 0)
    wrong = (
        TYPED.replace("message:", "mesage:").replace("detail.content", "detail.contents").replace('"cancel"', '"stop"')
    )
    (project / "wrong.mts").write_text(wrong, "utf-8")
    said = run(*TSC, "wrong.mts", cwd=project).stdout
    assert re.findall(r"wrong\.mts\((\d+),", said) == ["6", "7", "8"], said


def test_the_types_of_the_frames_are_those_that_the_models_make() -> None:
    """Otherwise `make protocol` writes them anew."""
    made = types()
    assert {name: (TYPES_FOLDER / name).read_text("utf-8") for name in made} == made
