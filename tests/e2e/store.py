"""A part of the sample store, ingested on the stage, and what its files say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clients.documents.files import uploads_of
from clients.documents.uploader import Uploader
from local.stage.aws import aws_client
from local.stage.settings import ROOT
from tests.chaos.target import Target
from tests.e2e.wire import Events, ask, connected, receive_all
from tests.patience import PATIENCE_SECONDS

BASE = "store"
GROUP = "hr-confidential"
CONFIDENTIAL = "policy-hr-003.md"
"""For the group alone."""
_FOLDER = ROOT / "samples" / "store"
_CHOSEN = {
    "sop": "qa-001 qa-003 qa-004 qa-006 qa-009 qa-011 qa-014 qa-019 mfg-002 mfg-003 mfg-007 it-005 hr-004 lab-007",
    "policy": "hr-002 hr-003 hr-007 hr-009 qa-001 qa-005 qa-006 sc-002",
    "contract": "2019-002 2020-004 2022-014 2023-005 2023-017 2024-001",
    "report": "2021-003 2024-013 2025-018 2026-002",
}

Fields = Mapping[str, str]


def fields_of_files() -> dict[str, Fields]:
    """The lines of each chosen file's front matter, by document id."""
    found: dict[str, Fields] = {}
    for name in (f"{kind}-{number}" for kind, numbers in _CHOSEN.items() for number in numbers.split()):
        _, front, _ = (_FOLDER / f"{name}.md").read_text("utf-8").split("---\n", 2)
        found[f"{name}.md"] = dict(line.split(": ", 1) for line in front.splitlines())
    return found


@dataclass(frozen=True, slots=True)
class Store:
    """The chosen documents by id, with the fields of their files."""

    documents: Mapping[str, Fields]

    def ids(self, wanted: Callable[[Fields], bool], *groups: str) -> set[str]:
        """The ids of wanted documents that a user of these groups may see."""
        return {
            name
            for name, fields in self.documents.items()
            if wanted(fields) and _readable(fields.get("readers", ""), groups)
        }


def ingested(stage: Target) -> Store:
    """The chosen documents, searchable."""
    documents = fields_of_files()
    uploader = Uploader(aws_client(stage.config, "s3"), stage.info["outputs"]["DocumentsBucket"], PATIENCE_SECONDS)
    results = list(uploader.ingest(uploads_of([_FOLDER / name for name in documents], "default", BASE)))
    assert {result.outcome for result in results} == {"indexed"}
    return Store(documents)


def everything(fields: Fields) -> bool:
    """Every document is wanted."""
    return bool(fields)


def asked(stage: Target, message: str, user: str = "alice", **fields: object) -> Events:
    """The whole answer to a question on the store."""
    with connected(stage.url, stage.token(user)) as wire:
        ask(wire, message, knowledgeBase=BASE, **fields)
        return receive_all(wire, Events())


def last(events: Events) -> dict[str, Any]:
    """The last event."""
    return events.by_seq[max(events.by_seq)]


def listings(events: Events) -> list[dict[str, Any]]:
    return [event for _, event in sorted(events.by_seq.items()) if event["type"] == "listing"]


def listed(events: Events) -> list[str]:
    """Ids of the listed documents, in order."""
    return [document["documentId"] for event in listings(events) for document in event["documents"]]


def sources(events: Events) -> list[dict[str, Any]]:
    found = (event for _, event in sorted(events.by_seq.items()) if event["type"] == "sources")
    return list({source["n"]: source for event in found for source in event["sources"]}.values())


def _readable(readers: str, groups: tuple[str, ...]) -> bool:
    return not readers or any(f'"group:{group}"' in readers for group in groups)
