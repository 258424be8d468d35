"""The AWS emulator, MiniStack, in a virtual environment of its own."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from local.origin_guard import page_origins
from local.stage.aws import client_environment
from local.stage.processes import Running, start
from local.stage.settings import REGION, ROOT, StageConfig, StageError, inherited, process_environment

EMULATOR = "emulator"
# Its exit statuses when it has stored its state: once it has, it no longer catches the SIGTERM that the guard repeats.
STATE_STORED = (0, 256 - signal.SIGTERM)
_PYTHON = ROOT / ".build" / "emulator" / "bin" / "python"


def state_folder(config: StageConfig) -> Path:
    """The emulator's state. Stored addresses contain the port, so it is usable with the same port only."""
    return config.folder / f"emulator-{config.emulator_port}"


def start_emulator(config: StageConfig) -> Running:
    """Start it with the state of its last orderly shutdown."""
    if not _PYTHON.exists():
        raise StageError("The emulator is not installed: run `make setup`.")
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
    log = config.folder / "logs" / "emulator.log"
    command = [str(_PYTHON), "-m", "local.guarded_emulator", *page_origins(config.page_port)]
    return start(EMULATOR, command, environment, log, f"{config.aws_url}/_ministack/health")


def start_bedrock(config: StageConfig) -> Running:
    """Start the Bedrock stand-in."""
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
