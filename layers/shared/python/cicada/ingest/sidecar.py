"""The sidecar of an uploaded file, `<name>.metadata.json`: attributes to filter by, and who may read the document.

    {
      "metadataAttributes": {
        "department": "legal", "year": 2024, "public": false, "topics": ["returns", "refunds"],
        "product": {"value": {"type": "STRING", "stringValue": "Atlas"}, "includeForEmbedding": true},
        "_title": "Returns policy", "_language_code": "en"
      },
      "accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}]
    }

`"readers": "everyone"` instead of the access control list opens the document to all users of the tenant.


The form is that of Amazon Bedrock's knowledge bases, as is the limit of 10 KB:
https://docs.aws.amazon.com/bedrock/latest/userguide/s3-data-source-connector.html
The access control list is that of its managed knowledge bases and of Amazon Kendra, which write Name, Type and Access;
`_language_code` and names with `_` in front are Kendra's: https://docs.aws.amazon.com/kendra/latest/dg/s3-metadata.html

A sidecar is used completely or not at all. Anything not understood might have restricted readers, so the document is
rejected: for an unknown key, a duplicate key, a DENY, or an empty list of readers.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from cicada.ingest.attributes import Attribute, attribute
from cicada.ingest.markup import plain_line
from cicada.ingest.model import Problem
from cicada.ingest.sidecar_form import read_document
from cicada.languages.detection import LANGUAGES

# Beside the text of a passage, of which an embedding model sees about 1,000 characters.
MAX_EMBEDDED = 300
TITLE, LANGUAGE = "_title", "_language_code"


class Sidecar(Struct, frozen=True):
    """A parsed sidecar. `readers` is empty if it names none, `EVERYONE` for all users of the tenant.

    `metadata`: the attributes as texts and lists of them (see `Attribute`); `embedded`: "name: value" of
    those that are searched together with the text.
    """

    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
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
    """Parse a sidecar; `content` is None for a file without one. `DocumentRejectedError` if it is not understood."""
    if content is None:
        return Sidecar()
    document = read_document(content)
    values = {name: attribute(name, value) for name, value in document.attributes.items()}
    embedded, problems = _embedded(values)
    return Sidecar(
        metadata={name: value.text for name, value in values.items() if name not in (TITLE, LANGUAGE)},
        readers=document.reader_names,
        title=plain_line(_reserved(values, TITLE)),
        language=_reserved(values, LANGUAGE),
        embedded=embedded,
        problems=problems,
    )


def _reserved(values: Mapping[str, Attribute], name: str) -> str:
    return values[name].shown.strip() if name in values else ""


def _embedded(values: Mapping[str, Attribute]) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    kept: list[str] = []
    left: list[str] = []
    room = MAX_EMBEDDED
    for name, value in values.items():
        text = plain_line(f"{name.lstrip('_')}: {value.shown}")
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
