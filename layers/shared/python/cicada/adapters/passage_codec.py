"""The parts of a passage that an index keeps and does not search, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cicada.documents.model import Locator, ScriptLocator, SectionLocator


def locator_to_json(locator: Locator) -> str:
    if isinstance(locator, SectionLocator):
        return _dumps({"path": locator.path})
    names = ScriptLocator.__slots__
    return _dumps({name: getattr(locator, name) for name in names})


def locator_from_json(text: str) -> Locator:
    values = json.loads(text)
    if "path" in values:
        return SectionLocator(tuple(values["path"]))
    return ScriptLocator(**{**values, "speakers": tuple(values["speakers"])})


def metadata_to_json(metadata: Mapping[str, str]) -> str:
    return _dumps(dict(metadata))


def metadata_from_json(text: str) -> dict[str, str]:
    values: dict[str, str] = json.loads(text)
    return values


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
