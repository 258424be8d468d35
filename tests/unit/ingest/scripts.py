"""Scripts for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest.episodes import Episodes, parse_episodes
from cicada.ingest.model import SourceFile

ROOT = Path(__file__).parents[3]
SCRIPTS = KnowledgeBaseKey("default", "scripts")
MACBETH = DocumentKey(SCRIPTS, "macbeth.json")


def shipped_episodes() -> Episodes:
    return parse_episodes((ROOT / "functions/ingest_document/episodes.toml").read_text("utf-8"))


def play(name: str) -> bytes:
    return (ROOT / f"samples/{name}.json").read_bytes()


def source(document_id: str, content: bytes = b"[]", version: str = "v1") -> SourceFile:
    return SourceFile(DocumentKey(SCRIPTS, document_id), document_id.rpartition("/")[2], content, version)


def speech(message_id: int, text: str, speaker: object = "Seyton", **fields: object) -> dict[str, Any]:
    record = {"type": "MSGSET", "messageId": message_id, "speaker": speaker, "textENG": text, "chapterId": "5.5"}
    return record | fields


def script(*records: object) -> bytes:
    return json.dumps({"messages": records}).encode()
