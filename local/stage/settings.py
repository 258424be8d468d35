"""Settings of the local stage, from `make run NAME=value` or the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The folder where the stage's Python processes keep byte-code. The Makefile names it too, for the stage's own process.
BYTE_CODE = ROOT / ".build" / "byte-code"
REGION = "us-east-1"
ACCOUNT = "000000000000"


class StageError(Exception):
    """The stage cannot start; the message says what to do."""


@dataclass(frozen=True, slots=True)
class StageConfig:
    """Where the stage keeps its files and which ports it listens on, all on 127.0.0.1.

    `search`: `embedded` or `opensearch`. `opensearch_url`: a server that runs already, or empty to start one.
    `context`: the CDK context, for settings that differ from the defaults (infra/settings.py), by name.
    `bases`: the knowledge bases whose samples are ingested. `warm_up`: the functions are started before the first
    question. `model_url`: an OpenAI-compatible server that answers and plans, empty for the stand-in's own model.
    """

    folder: Path
    emulator_port: int
    bedrock_port: int
    page_port: int
    opensearch_port: int
    search: str
    opensearch_url: str
    context: Mapping[str, str] = field(default_factory=dict)
    bases: tuple[str, ...] = ("scripts", "store")
    warm_up: bool = True
    model_url: str = ""

    @property
    def aws_url(self) -> str:
        return f"http://127.0.0.1:{self.emulator_port}"

    @property
    def bedrock_url(self) -> str:
        return f"http://127.0.0.1:{self.bedrock_port}"

    @property
    def page_url(self) -> str:
        return f"http://127.0.0.1:{self.page_port}"

    @property
    def info_file(self) -> Path:
        """Addresses of the running stage's parts, as JSON; the clients read it."""
        return self.folder / "stage.json"

    @property
    def index_path(self) -> Path:
        return self.folder / "index.sqlite"

    @property
    def agents_file(self) -> Path:
        """The agents' file for the Bedrock stand-in."""
        return self.folder / "agents.json"


def load(environment: dict[str, str] | None = None) -> StageConfig:
    """Raises `StageError` for an invalid value."""
    values = dict(os.environ) if environment is None else environment
    search = values.get("SEARCH") or "embedded"
    if search not in ("embedded", "opensearch"):
        raise StageError(f"SEARCH={search} is not known: use SEARCH=embedded or SEARCH=opensearch.")
    return StageConfig(
        folder=Path(values.get("CICADA_STAGE_DIR") or ROOT / ".stage").resolve(),
        emulator_port=_port(values, "EMULATOR_PORT", 4566),
        bedrock_port=_port(values, "BEDROCK_PORT", 4567),
        page_port=_port(values, "PAGE_PORT", 4568),
        opensearch_port=_port(values, "OPENSEARCH_PORT", 4569),
        search=search,
        opensearch_url=values.get("CICADA_OPENSEARCH_URL", ""),
        model_url=values.get("CICADA_LLM_URL", ""),
    )


def inherited() -> dict[str, str]:
    """The base environment of the stage's processes: this one without AWS settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


def process_environment() -> dict[str, str]:
    """The environment of the stage's Python processes: `inherited`, with byte-code cached below .build.

    Without byte-code every process compiles all that it imports. The cache is used even where the environment forbids
    byte-code beside the sources.
    """
    return inherited() | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(BYTE_CODE)}


def _port(values: dict[str, str], name: str, default: int) -> int:
    text = values.get(name) or str(default)
    if not text.isdecimal() or not 1024 <= int(text) <= 65535:
        raise StageError(f"{name}={text} is not a port: use a number from 1024 to 65535.")
    return int(text)
