"""What the agents' heads learn from: labelled messages by several authors, one JSON object a line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from local.bedrock.agent_heads.request import ACTIONS, KINDS, STORES

EXAMPLES = Path(__file__).with_name("examples.jsonl")


class Example(BaseModel):
    """A message with what it asks for, and the words of it that are arguments; empty if the message has none.

    `earlier`: messages of the user before it. `text`: what is to be kept, or the claim that is to be tested. `store` is
    empty where no agent is meant.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    message: str = Field(min_length=1)
    author: str = Field(min_length=1)
    language: str = Field(min_length=2)
    action: Literal[ACTIONS]  # type: ignore[valid-type]
    store: Literal["", *STORES] = ""  # type: ignore[valid-type]
    kind: Literal["", *KINDS] = ""  # type: ignore[valid-type]
    name: str = ""
    text: str = ""
    new_name: str = ""
    version: str = ""
    earlier: tuple[str, ...] = ()


def load(path: Path = EXAMPLES) -> list[Example]:
    """The examples in the order of the file. Raises `pydantic.ValidationError`."""
    return [Example.model_validate_json(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def digest(examples: Sequence[Example]) -> str:
    """SHA-256 of what the heads learn from; their file holds it."""
    return hashlib.sha256("\n".join(each.model_dump_json() for each in examples).encode()).hexdigest()
