"""Every handler is imported as Lambda imports it: the layers and its own folder on the path, nothing set."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = sorted(folder.parent.name for folder in (ROOT / "functions").glob("*/handler.py"))
_IMPORT = """
import sys
sys.path[:0] = sys.argv[1:]
import handler
assert callable(handler.handler)
{}
print(*sys.modules)
"""
# What a question needs that no model plans: the settings of the bases, and the planners as they are wired.
_FIRST_QUESTION = """
from cicada.knowledge_bases.file import load_knowledge_bases
import cicada.adapters.bedrock.plan_model
import cicada.conversation.protocol as protocol
load_knowledge_bases()
protocol.parse_event(protocol.event_body(protocol.Chunk(content="Seyton.")))
protocol.parse_command('{"action": "ping"}')
"""
AGENTS = {"agent_profiles", "agent_theories"}
# What costs a cold start its time, and the functions that need it at import.
NEEDED = {
    "boto3": {name for name in FUNCTIONS if name != "authorizer"},
    "pydantic": {"ingest_document"},
    "jwt": {"authorizer"},
    "numpy": set[str](),
    "opensearchpy": set[str](),
    "sqlite3": set[str](),
    "bs4": set[str](),
    "docx": set[str](),
    "lxml": set[str](),
    "markdown_it": set[str](),
    "openpyxl": set[str](),
    "pypdf": set[str](),
    "yaml": set[str](),
    "moto": set[str](),
    # The ingest function, for which nobody waits, is at the limit without it (docs/decisions/0030).
    "aws_lambda_powertools.utilities.data_classes": set(FUNCTIONS) - {"ingest_document"},
    # Powertools' batch processor imports it.
    "asyncio": AGENTS | {"message_processor"},
}


@cache
def loaded_by(function: str, code: str = "") -> frozenset[str]:
    """Names of all modules after the import and the code, in a Python without site, environment and working folder."""
    paths = [ROOT / "functions" / function, ROOT / "layers/shared/python", Path(sysconfig.get_paths()["purelib"])]
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-P", "-c", _IMPORT.format(code), *map(str, paths)],
        env={},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return frozenset(done.stdout.split())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_is_imported_as_lambda_imports_it(function: str) -> None:
    assert {"handler", "cicada.bootstrap"} <= loaded_by(function)


@pytest.mark.parametrize("module", NEEDED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_loads_only_what_it_needs(function: str, module: str) -> None:
    assert module not in loaded_by(function) or function in NEEDED[module]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_loads_no_tests_and_no_tools(function: str) -> None:
    top = {module.partition(".")[0] for module in loaded_by(function)}
    assert top.isdisjoint(
        {"tests", "local", "infra", "evals", "bench", "tools", "cli", "clients", "cicada_client", "functions"}
    )


def test_a_question_that_no_model_plans_needs_no_pydantic() -> None:
    """What is put off from the import to the first question makes nobody wait less."""
    assert "pydantic" not in loaded_by("message_processor", _FIRST_QUESTION)
