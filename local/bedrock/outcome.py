"""A tool's result as a sentence, or as quoted evidence when the result has passages."""

import json
from collections.abc import Mapping
from typing import Any

from local.bedrock.embedder import Embedder
from local.bedrock.extractive import evidence
from local.bedrock.prompt import parse


def tell(result: str, failed: bool, arguments: Mapping[str, str], embedder: Embedder) -> str:
    """Raises EmbedderUnavailableError when the result has passages to quote from."""
    if failed:
        return f"That did not work: {_plain(result)}"
    passages = parse(result).passages
    if passages:
        return evidence(arguments.get("query", ""), passages, embedder)
    return _plain(result) or "Done."


def _plain(result: str) -> str:
    """Text stays as it is; JSON becomes lines."""
    text = result.strip()
    if not text.startswith(("{", "[")):
        return text
    try:
        return _lines(json.loads(text))
    except json.JSONDecodeError:
        return text


def _lines(value: Any) -> str:
    match value:
        case dict():
            return "; ".join(f"{key}: {_lines(inner)}" for key, inner in value.items())
        case list():
            return "\n".join(f"- {_lines(inner)}" for inner in value) if value else "There is nothing saved."
        case None:
            return "nothing"
        case _:
            return str(value)
