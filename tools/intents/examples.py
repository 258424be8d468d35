"""What intents and changes are learnt from: labelled messages by several authors, one JSON object a line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cicada.answering.asked_writes import Kind
from cicada.errors import ConfigurationError
from cicada.understanding.plan import Intent

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER / "examples.jsonl"
CHANGES = FOLDER / "changes.jsonl"
CONCEPTS = FOLDER / "concepts.toml"
# Messages to invented stores of documents. They have a tool of their own (`tools.understanding`).
STORES = FOLDER.parent / "understanding" / "examples"
# One of so many messages to stores is learnt from.
_EVERY = 4

Concepts = dict[str, dict[str, list[str]]]


class Message(BaseModel):
    """`author`: one name a person; evaluations leave out whole authors.

    `changes`: what the message asks to be changed of the user's profiles and theories; `KINDS` says what there is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1)
    author: str = Field(min_length=1)
    language: str = Field(min_length=2)
    changes: tuple[Kind, ...] = ()


class Example(Message):
    """A message with its intent. `slice`: plain, trap or language."""

    intent: Intent
    slice: str | None = None


M = TypeVar("M", bound=Message)


def load_examples(path: Path | None = None) -> list[Example]:
    """The examples in the order of the file. Raises ConfigurationError, which names the line."""
    return load(Example, path or EXAMPLES)


def load_lessons() -> list[Example]:
    """What the intents are learnt from: the examples, and questions to stores of documents."""
    return [*load_examples(), *store_questions()]


def load_change_examples() -> list[Message]:
    """What the changes are learnt from: that of the intents, and messages of which only the changes are known."""
    return [*load_lessons(), *load(Message, CHANGES)]


def store_questions() -> list[Example]:
    """Questions on documents with metadata, which may speak of notes, tags and records, and mean no agent."""
    rows = [
        (path.parent.name, row["q"])
        for path in sorted(STORES.glob("*/*.jsonl"))
        if not path.name.endswith(".conversations.jsonl")
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        if row["s"] != "N"
    ]
    return [
        Example(text=text, author=f"store {author}", language="und", intent=Intent.SCRIPT_QUERY)
        for author, text in rows[::_EVERY]
    ]


def load(kind: type[M], path: Path) -> list[M]:
    """The messages of a file, one JSON object a line. Raises ConfigurationError, which names the line."""
    lines = path.read_text("utf-8").splitlines()
    return [_read(kind, line, path, number) for number, line in enumerate(lines, start=1) if line.strip()]


def check_new(example: Example, path: Path | None = None) -> None:
    """Raises ConfigurationError if the text is there already."""
    path = path or EXAMPLES
    for other in load_examples(path):
        if other.text.strip().casefold() == example.text.strip().casefold():
            raise ConfigurationError(
                f"The examples have this text already, as {other.intent.value}; edit its line in {path.name} instead."
            )


def add_example(example: Example, path: Path | None = None) -> None:
    """Append one example. Raises as `check_new` does."""
    check_new(example, path)
    with (path or EXAMPLES).open("a", encoding="utf-8") as file:
        file.write(json.dumps(example.model_dump(exclude_defaults=True), ensure_ascii=False) + "\n")


def load_concepts(path: Path = CONCEPTS) -> Concepts:
    """The words of each concept by language."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return {
        concept: {language: words.split(", ") for language, words in by_language.items()}
        for concept, by_language in tables.items()
    }


def digest(examples: Sequence[Message], concepts: Concepts) -> str:
    """SHA-256 of what a model is trained from; the model's file holds it."""
    lines = [example.model_dump(include={"text", "author", "intent", "changes"}) for example in examples]
    return hashlib.sha256(json.dumps([lines, concepts], ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _read(kind: type[M], line: str, path: Path, number: int) -> M:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        field = first["loc"][0] if first["loc"] else "the line"
        raise ConfigurationError(
            f"{path.name}, line {number}: {field}: {first['msg']}. Write a JSON object with {_needed(kind)}."
        ) from error


def _needed(kind: type[Message]) -> str:
    fields = [name for name, field in kind.model_fields.items() if field.is_required()]
    said = f"{', '.join(fields[:-1])} and {fields[-1]}"
    return f"{said}; the intent is one of {', '.join(Intent)}" if "intent" in fields else said
