"""A sidecar as somebody edits it: what it says in texts, and its bytes with other texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cicada.errors import DocumentRejectedError
from cicada.ingest.metadata import Attribute, attribute
from cicada.ingest.model import EVERYONE
from cicada.ingest.sidecar import parse_sidecar, read_document

Fields = Mapping[str, Sequence[str]]


def written_fields(content: bytes | None) -> dict[str, tuple[str, ...]]:
    """The attributes as texts, in their order. Raises `DocumentRejectedError` if the sidecar is not understood."""
    attributes = read_document(content).attributes if content is not None else {}
    return {name: _texts(attribute(name, value)) for name, value in attributes.items()}


def viewers_in(content: bytes | None) -> tuple[str, ...] | None:
    """The viewers that a sidecar names, `EVERYONE` for all of the tenant; None for one that is not understood."""
    try:
        return read_document(content).viewer_names if content is not None else ()
    except DocumentRejectedError:
        return None


def sidecar_with(before: bytes | None, fields: Fields, viewers: Sequence[str]) -> bytes:
    """The sidecar with these attributes and viewers. A value that is as it was stays in its form.

    An attribute that was searched together with the text still is. Raises `DocumentRejectedError` for what a sidecar
    cannot say.
    """
    known = read_document(before).attributes if before is not None else {}
    written = {name: _value(name, list(texts), known.get(name)) for name, texts in fields.items()}
    content = json.dumps({"metadataAttributes": written, **_viewers(viewers)}, ensure_ascii=False, indent=1).encode()
    parse_sidecar(content)
    return content


def _texts(value: Attribute) -> tuple[str, ...]:
    return (value.text,) if isinstance(value.text, str) else value.text


def _value(name: str, texts: list[str], before: object) -> object:
    known = attribute(name, before) if before is not None else None
    if known and _texts(known) == tuple(texts):
        return before
    value: Any = texts[0] if len(texts) == 1 else texts
    if not (known and known.embedded):
        return value
    typed = {"type": "STRING", "stringValue": value}
    listed = {"type": "STRING_LIST", "stringListValue": value}
    return {"value": typed if len(texts) == 1 else listed, "includeForEmbedding": True}


def _viewers(names: Sequence[str]) -> dict[str, object]:
    if tuple(names) == EVERYONE:
        return {"readers": EVERYONE[0]}
    parted = (name.partition(":") for name in names)
    entries = [{"name": name, "type": kind.upper(), "access": "ALLOW"} for kind, _, name in parted]
    return {"accessControlList": entries} if entries else {}
