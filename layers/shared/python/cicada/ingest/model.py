"""Values of ingest: an uploaded file, what is in it, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cicada.documents.model import DocumentKey, Passage


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An uploaded file's bytes. `name` is its file name; `version` changes with the bytes."""

    document: DocumentKey
    name: str
    content: bytes
    version: str


@dataclass(frozen=True, slots=True)
class ScriptMessage:
    """One speech, or with `is_direction` one stage direction, in plain text of one line."""

    chapter_id: str
    chapter_title: str
    message_id: int
    speaker: str
    text: str
    is_direction: bool = False


@dataclass(frozen=True, slots=True)
class Track:
    """A script's messages in one language, in the script's order."""

    language: str
    messages: tuple[ScriptMessage, ...]


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
class ParsedDocument:
    """What a file is searched by, and the parts of it that were left out."""

    passages: tuple[Passage, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of one file. `REJECTED` means that nothing of it was indexed: an earlier version still answers.

    `version` is that of the file's bytes, empty where they were not read.
    """

    document: DocumentKey
    outcome: Outcome
    passages: int
    problems: tuple[Problem, ...] = ()
    version: str = ""
