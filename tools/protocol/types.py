"""The frames as TypeScript types, for the JavaScript client."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tools.protocol.schemas import Schema, commands_schema, frames_schema

_ROOT = Path(__file__).parents[2]
TYPES_FOLDER = _ROOT / "clients" / "javascript"
_OPTIONS = (
    "--no-additionalProperties",
    # Longer arrays are not written as one tuple for each length.
    "--maxItems=2",
    "--bannerComment=/** Written by `make protocol` from the models; do not edit. */",
)


def types() -> dict[str, str]:
    """The text of each file, by its name in `TYPES_FOLDER`."""
    return {
        "commands.d.ts": _declared(commands_schema() | {"title": "Command"}),
        "frames.d.ts": _declared(frames_schema() | {"title": "Frame"}),
    }


def _declared(schema: Schema) -> str:
    command = [str(_ROOT / "node_modules" / ".bin" / "json2ts"), *_OPTIONS]
    done = subprocess.run(command, input=json.dumps(schema), capture_output=True, text=True, check=True)
    return done.stdout
