"""The messages that the heads learn from: invented stores, and what was typed to them, by authors who saw no rules.

`examples/<author>/<store>.schema.json` is a store; `<store>.jsonl` has single messages, `<store>.conversations.jsonl`
conversations. `guide.md` says what the keys of a label mean; authors were given it, and nothing else of the project.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from cicada.documents.catalogue import Operation
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.vocabulary import Vocabulary, compiled

FOLDER = Path(__file__).with_name("examples")


@dataclass(frozen=True)
class Store:
    """A schema with its author, the day of its messages, and the name of who asks."""

    name: str
    author: str
    schema: Schema
    now: date
    asker: str
    vocabulary: Vocabulary


@dataclass(frozen=True)
class Label:
    """What a message means, whole: after what came before. Keys as in `guide.md`."""

    strategy: str
    filters: dict[str, Any] = field(default_factory=dict)
    aggregates: tuple[tuple[Operation, str], ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    sort: tuple[str, str] | None = None
    top: int | None = None
    named: tuple[str, ...] = ()
    topic: str = ""
    relation: str = "new"
    wants_documents: bool = False


@dataclass(frozen=True)
class Message:
    """A message to a store. `before`: the turn before it in a conversation."""

    store: Store
    text: str
    label: Label
    before: Message | None = None


def load(folder: Path = FOLDER) -> list[Message]:
    """All messages: single ones, and the turns of conversations."""
    found: list[Message] = []
    for path in sorted(folder.glob("*/*.schema.json")):
        store = _store(path)
        base = path.name.removesuffix(".schema.json")
        found += [_message(store, row, None) for row in _rows(path.with_name(f"{base}.jsonl"))]
        for conversation in _rows(path.with_name(f"{base}.conversations.jsonl")):
            before: Message | None = None
            for turn in conversation["turns"]:
                before = _message(store, turn, before)
                found.append(before)
    return found


def digest(folder: Path = FOLDER) -> str:
    """Changes with any example."""
    paths = sorted([*folder.glob("*/*.json"), *folder.glob("*/*.jsonl")])
    parts = [f"{path.relative_to(folder).as_posix()}\n{path.read_text('utf-8')}" for path in paths]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())


def _store(path: Path) -> Store:
    said = json.loads(path.read_text("utf-8"))
    fields = {
        name: SchemaField(
            name,
            FieldType(each["type"]),
            tuple(map(str, each.get("values", ()))),
            {value: tuple(words) for value, words in each.get("synonyms", {}).items()},
            words=tuple(said.get("words", {}).get(name, ())),
        )
        for name, each in said["fields"].items()
    }
    schema = Schema(fields=fields, items=tuple(said["items"]))
    author = path.parent.name
    name = f"{author}/{path.name.removesuffix('.schema.json')}"
    return Store(name, author, schema, date.fromisoformat(said["now"]), said.get("asker", ""), compiled(schema))


def _message(store: Store, row: dict[str, Any], before: Message | None) -> Message:
    label = Label(
        strategy=row["s"],
        filters=row.get("f", {}),
        aggregates=tuple((operation, name) for operation, name in row.get("agg", ())),
        group=tuple(row.get("by", ())),
        fields=tuple(row.get("show", ())),
        sort=(row["sort"][0], row["sort"][1]) if row.get("sort") else None,
        top=row.get("top"),
        named=tuple(row.get("doc", ())),
        topic=row.get("topic", ""),
        relation=row.get("rel", "new"),
        wants_documents=row.get("list", False),
    )
    return Message(store, row["q"], label, before)
