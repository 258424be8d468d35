"""Values of ingest: an uploaded file, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cicada.documents.model import DocumentKey


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An uploaded file's bytes. `name` is its file name; `version` changes with the bytes."""

    document: DocumentKey
    name: str
    content: bytes
    version: str


class Outcome(StrEnum):
    """What an ingest ended in."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file. `place` says where in it, or is empty for the whole file."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of one file. `REJECTED` means that nothing of it was indexed."""

    document: DocumentKey
    outcome: Outcome
    passages: int
    problems: tuple[Problem, ...]
