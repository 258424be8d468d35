"""The sidecar of an uploaded file, `<name>.metadata.json`: attributes to filter by, and who may read the document.

    {
      "metadataAttributes": {
        "department": "legal", "year": 2024, "public": false, "topics": ["returns", "refunds"],
        "product": {"value": {"type": "STRING", "stringValue": "Atlas"}, "includeForEmbedding": true},
        "_title": "Returns policy", "_language_code": "en"
      },
      "accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}]
    }

The form is that of Amazon Bedrock's knowledge bases, as is the limit of 10 KB:
https://docs.aws.amazon.com/bedrock/latest/userguide/s3-data-source-connector.html
The access control list is that of its managed knowledge bases and of Amazon Kendra, which write Name, Type and Access;
`_language_code` and names with `_` in front are Kendra's: https://docs.aws.amazon.com/kendra/latest/dg/s3-metadata.html

A sidecar is used whole or not at all. What is not understood in it might have kept somebody from reading, so the
document is refused then: an unknown key, a key that stands there twice, a DENY, an empty list of readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cicada.errors import DocumentRejected
from cicada.ingest.attributes import REJECTED, Attribute, attribute, attribute_name, refused
from cicada.ingest.markup import one_line
from cicada.ingest.model import SIDECAR_BYTES, Problem
from cicada.languages.detection import LANGUAGES

# Beside the text of a passage, of which an embedding model sees about 1,000 characters.
MAX_EMBEDDED = 300
# Each is a term of each passage's row in the index.
MAX_ATTRIBUTES = 50

TITLE, LANGUAGE = "_title", "_language_code"
_ATTRIBUTES, _READERS = "metadataAttributes", "accessControlList"
_KEYS = {_ATTRIBUTES, _READERS, "AccessControlList"}


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What a sidecar says. `readers` is empty for a document that everybody of the tenant may read.

    `metadata`: the attributes as texts (see `Attribute`); `embedded`: "name: value" of those that are searched together
    with the text.
    """

    metadata: Mapping[str, str] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    title: str = ""
    language: str = ""
    embedded: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def language_or(self, other: str) -> tuple[str, tuple[Problem, ...]]:
        """The code of a known language: the sidecar's, else `other`, else English; a problem if it is unknown."""
        if not self.language:
            return known_language(other) or "en", ()
        if known := known_language(self.language):
            return known, ()
        reason = (
            f"{LANGUAGE} '{self.language[:40]}' is not known, so the document is read as English; use one of "
            f"{', '.join(sorted(LANGUAGES))}."
        )
        return "en", (Problem("sidecar", reason, "unknown_language"),)


def known_language(tag: str) -> str:
    """The ISO 639-1 code of a language tag such as `pt-BR`, empty where the language is not known."""
    code = tag.strip().replace("_", "-").partition("-")[0].lower()
    return code if code in LANGUAGES else ""


def parse_sidecar(content: bytes | None) -> Sidecar:
    """What the sidecar says; None for a file that has none. `DocumentRejected` if any of it is not understood."""
    if content is None:
        return Sidecar()
    document = _object(_json(content), "The sidecar")
    if unknown := sorted(document.keys() - _KEYS):
        raise refused(f"has the unknown key '{unknown[0][:40]}'; it may have {_ATTRIBUTES} and {_READERS}")
    attributes = _object(document.get(_ATTRIBUTES, {}), f"{_ATTRIBUTES} of the sidecar")
    if len(attributes) > MAX_ATTRIBUTES:
        raise refused(f"has more than {MAX_ATTRIBUTES} attributes; leave out what nobody filters by")
    values = {attribute_name(name): attribute(name, value) for name, value in attributes.items()}
    embedded, problems = _embedded(values)
    return Sidecar(
        metadata={name: value.text for name, value in values.items() if name not in (TITLE, LANGUAGE)},
        readers=_readers(document),
        title=one_line(_reserved(values, TITLE)),
        language=_reserved(values, LANGUAGE),
        embedded=embedded,
        problems=problems,
    )


def _json(content: bytes) -> object:
    if len(content) > SIDECAR_BYTES:
        raise refused("is larger than 10 KB; shorten it")
    try:
        text = content.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise refused(f"is not in UTF-8 (byte {error.start + 1}); save it as UTF-8 and upload it again") from error
    except json.JSONDecodeError as error:
        raise refused(f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise refused("is nested too deeply, or holds a number of thousands of digits") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise refused("has a key twice in one object, so which of its values was meant is unknown")
    return made


def _no_number(name: str) -> NoReturn:
    raise refused(f"holds {name}, which is not JSON")


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DocumentRejected(f"{what} must be a JSON object; correct it and upload it again.", REJECTED)
    return value


def _reserved(values: Mapping[str, Attribute], name: str) -> str:
    return values[name].shown.strip() if name in values else ""


def _embedded(values: Mapping[str, Attribute]) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    kept: list[str] = []
    left: list[str] = []
    room = MAX_EMBEDDED
    for name, value in values.items():
        text = one_line(f"{name.lstrip('_')}: {value.shown}")
        if not value.embedded or name in (TITLE, LANGUAGE):
            continue
        if len(text) <= room:
            kept.append(text)
            room -= len(text)
        else:
            left.append(name)
    if not left:
        return tuple(kept), ()
    reason = (
        f"Together the attributes with includeForEmbedding are longer than {MAX_EMBEDDED} characters; searched only as "
        f"filters: {', '.join(left)}."
    )
    return tuple(kept), (Problem("sidecar", reason[:500], "too_large"),)


def _readers(document: Mapping[str, Any]) -> tuple[str, ...]:
    lists = [document[key] for key in (_READERS, "AccessControlList") if key in document]
    if not lists:
        return ()
    if len(lists) > 1 or not isinstance(lists[0], list) or not lists[0]:
        raise refused(
            f"has an {_READERS} that is no list, empty, or there twice; name the readers, or leave it out to let "
            "everybody of the tenant read the document"
        )
    return tuple(sorted(set(_named(lists[0]))))


def _named(entries: list[object]) -> Iterator[str]:
    for number, value in enumerate(entries, start=1):
        entry = _object(value, f"Entry {number} of the sidecar's {_READERS}")
        fields = {key.lower(): value for key, value in entry.items()}
        name, kind, access = fields.get("name"), fields.get("type"), fields.get("access")
        if len(fields) != len(entry) or fields.keys() != {"name", "type", "access"}:
            raise refused(f"must name in entry {number} of its {_READERS} a name, a type and an access, and no more")
        if access == "DENY":
            raise refused(
                f"denies access in entry {number} of its {_READERS}, and here access can only be allowed; name those "
                "who may read the document instead"
            )
        if access != "ALLOW" or kind not in ("USER", "GROUP") or not isinstance(name, str) or not _is_plain(name):
            raise refused(f"must have in entry {number} of its {_READERS} a name, type USER or GROUP, and access ALLOW")
        yield f"{str(kind).lower()}:{name}"


def _is_plain(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip()
