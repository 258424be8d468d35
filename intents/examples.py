"""The examples that intents are learnt from: labelled messages by several authors, one JSON object a line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cicada.errors import ConfigurationError
from cicada.planning.model import Intent

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER / "examples.jsonl"
CONCEPTS = FOLDER / "concepts.toml"


class Example(BaseModel):
    """`author`: one name a person; evaluations leave out whole authors. `slice`: plain, trap or language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1)
    intent: Intent
    author: str = Field(min_length=1)
    language: str = Field(min_length=2)
    slice: str | None = None


def load_examples(path: Path | None = None) -> list[Example]:
    """The examples in the order of the file. Raises ConfigurationError, which names the line."""
    path = path or EXAMPLES
    lines = path.read_text("utf-8").splitlines()
    return [_example(line, path, number) for number, line in enumerate(lines, start=1) if line.strip()]


def add_example(example: Example, path: Path | None = None) -> None:
    """Append one example. Raises ConfigurationError if the text is there already."""
    path = path or EXAMPLES
    for other in load_examples(path):
        if other.text.strip().casefold() == example.text.strip().casefold():
            raise ConfigurationError(
                f"The examples have this text already, as {other.intent.value}; edit its line in {path.name} instead."
            )
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(example.model_dump(mode="json", exclude_none=True), ensure_ascii=False) + "\n")


def load_concepts(path: Path = CONCEPTS) -> dict[str, dict[str, list[str]]]:
    """The words of each concept by language."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return {
        concept: {language: words.split(", ") for language, words in by_language.items()}
        for concept, by_language in tables.items()
    }


def digest(examples: Sequence[Example], concepts: dict[str, dict[str, list[str]]]) -> str:
    """SHA-256 of what a model is trained from; the model file holds it."""
    lines = [[example.text, example.intent.value, example.author] for example in examples]
    return hashlib.sha256(json.dumps([lines, concepts], ensure_ascii=False).encode()).hexdigest()


def _example(line: str, path: Path, number: int) -> Example:
    try:
        return Example.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = first["loc"][0] if first["loc"] else "the line"
        raise ConfigurationError(
            f"{path.name}, line {number}: {field}: {first['msg']}. Write a JSON object with text, intent, author and "
            f"language; the intent is one of {', '.join(Intent)}."
        ) from error
