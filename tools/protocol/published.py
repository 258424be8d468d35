"""The protocol as files, for programs and for authors of clients in other languages."""

from __future__ import annotations

import json
from pathlib import Path

from tools.protocol.asyncapi import document
from tools.protocol.schemas import commands_schema, frames_schema

FOLDER = Path(__file__).parents[2] / "docs" / "protocol"


def published() -> dict[str, str]:
    """The text of each file, by its name in `FOLDER`."""
    files = {
        "asyncapi.json": document(),
        "commands.schema.json": commands_schema(),
        "frames.schema.json": frames_schema(),
    }
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in files.items()}
