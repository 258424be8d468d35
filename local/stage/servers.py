"""The stage's servers: the AWS emulator, the Bedrock stand-in, the chat page, and OpenSearch where it is asked for."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local import opensearch
from local.origin_guard import page_origins
from local.stage.aws import client_environment, deployed_name
from local.stage.private_file import write_private
from local.stage.processes import Running, start
from local.stage.settings import REGION, ROOT, StageConfig, StageError, inherited, process_environment

EMULATOR = "emulator"
# Its exit statuses when it has stored its state: once it has, it no longer catches the SIGTERM that the guard repeats.
STATE_STORED = (0, 256 - signal.SIGTERM)
# MiniStack has a virtual environment of its own.
_PYTHON = ROOT / ".build" / "emulator" / "bin" / "python"
_TOOLS = ROOT / "layers" / "shared" / "python" / "cicada" / "agents" / "tools.json"
EXAMPLES = (
    "Who tells Macbeth that the queen is dead?",
    "What does Hamlet say about sleep and dreams?",
    "My theory: Macbeth is afraid of Banquo. Does the text support it?",
    "Create a character profile for Banquo: a general who suspects Macbeth",
)


def state_folder(config: StageConfig) -> Path:
    """The emulator's state. Stored addresses contain the port, so it is usable with the same port only."""
    return config.folder / f"emulator-{config.emulator_port}"


def start_emulator(config: StageConfig) -> Running:
    """Start it with the state of its last orderly shutdown."""
    if not _PYTHON.exists():
        raise StageError("The emulator is not installed: run `make setup`.")
    log = config.folder / "logs" / "emulator.log"
    command = [str(_PYTHON), "-m", "local.guarded_emulator", *page_origins(config.page_port)]
    return start(EMULATOR, command, _emulator_environment(config), log, f"{config.aws_url}/_ministack/health")


def _emulator_environment(config: StageConfig) -> dict[str, str]:
    state = state_folder(config)
    temporary = config.folder / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    environment = inherited() | {
        "GATEWAY_PORT": str(config.emulator_port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_REGION": REGION,
        "PERSIST_STATE": "1",
        # It enforces the functions' IAM roles, like AWS.
        "AUTH": "true",
        "STATE_DIR": str(state / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(state / "s3"),
        # Two servers that are not used here.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        # The functions' code is unpacked there; it is deleted with the stage.
        "TMPDIR": str(temporary),
        "PATH": f"{_PYTHON.parent}:{inherited().get('PATH', '')}",
        # Its byte-code lies beside its modules, below .build. Elsewhere than beside the modules, the functions, which
        # inherit this environment, would not find the byte-code of their layers.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    for name in ("VIRTUAL_ENV", "PYTHONPYCACHEPREFIX"):
        environment.pop(name, None)
    return environment


def start_bedrock(config: StageConfig) -> Running:
    """Start the Bedrock stand-in, with the agents and the functions of their tools."""
    _write_agents(config)
    environment = (
        process_environment()
        | client_environment(config)
        | {
            "CICADA_AGENTS_FILE": str(config.agents_file),
            "CICADA_LLM_URL": config.model_url,
            # Several texts are embedded in parallel, a thread each; more threads within each would only wait for each
            # other.
            "OPENBLAS_NUM_THREADS": "1",
        }
    )
    command = [sys.executable, "-m", "local.bedrock", "--port", str(config.bedrock_port)]
    log = config.folder / "logs" / "bedrock.log"
    return start("Bedrock stand-in", command, environment, log, f"{config.bedrock_url}/health")


def _write_agents(config: StageConfig) -> None:
    """Write the file. On the local stage, the agents' ids are their names."""
    described = json.loads(_TOOLS.read_text("utf-8"))
    agents = {
        name: {
            "name": name,
            "instruction": agent["instruction"],
            "actionGroups": [{"name": name, "lambda": deployed_name(f"agent_{name}"), "functions": agent["functions"]}],
        }
        for name, agent in described.items()
    }
    config.agents_file.write_text(json.dumps({"agents": agents}, indent=2), "utf-8")


def start_page(config: StageConfig, info: dict[str, Any]) -> Running:
    """Start the chat page's server; the page reads from `/config.json` where to connect and to sign in."""
    page_config = {
        "websocketUrl": info["websocketUrl"],
        # The emulator does not return the chosen subprotocol, which browsers require.
        "tokenIn": "query",
        "cognitoUrl": info["endpointUrl"],
        "clientId": info["clientId"],
        "userPoolId": info["userPoolId"],
        # The stack's default (infra/settings.py).
        "mfa": "optional",
        # So too the group of the first sample user (local/stage/users.py).
        "administrators": "administrators",
        "users": info["users"],
        "examples": EXAMPLES,
    }
    file = config.folder / "page.json"
    write_private(file, json.dumps(page_config))
    command = [sys.executable, "-m", "local.page", "--port", str(config.page_port), "--config", str(file)]
    log = config.folder / "logs" / "page.log"
    return start("chat page", command, process_environment(), log, f"{config.page_url}/config.json")


def start_opensearch(config: StageConfig, say: Callable[[str], None]) -> Running:
    """Start OpenSearch. The distribution is fetched once for all stages; each stage has its own data."""
    distribution = opensearch.prepare(ROOT / ".build" / "opensearch", say)
    log = config.folder / "logs" / "opensearch.log"
    return opensearch.start(distribution, config.folder / "opensearch", config.opensearch_port, log, say)
