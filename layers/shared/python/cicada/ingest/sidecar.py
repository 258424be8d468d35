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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, Field, ValidationError, model_validator

from cicada.errors import DocumentRejected
from cicada.ingest.attributes import REJECTED, Attribute, AttributeName, attribute, refused
from cicada.ingest.markup import one_line
from cicada.ingest.model import SIDECAR_BYTES, Problem
from cicada.languages.detection import LANGUAGES
from cicada.validation import Form

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# Beside the text of a passage, of which an embedding model sees about 1,000 characters.
MAX_EMBEDDED = 300
# Each is a term of each passage's row in the index.
MAX_ATTRIBUTES = 50

TITLE, LANGUAGE = "_title", "_language_code"
_ATTRIBUTES, _READERS = "metadataAttributes", "accessControlList"


def _plain(name: str) -> str:
    if not name or not name.isprintable() or name != name.strip():
        raise ValueError("is not plain text")
    return name


class _Reader(Form):
    """An entry of the access control list. Keys count in any case: Kendra writes Name."""

    name: Annotated[str, AfterValidator(_plain)]
    type: Literal["USER", "GROUP"]
    access: Literal["ALLOW"]

    @model_validator(mode="before")
    @classmethod
    def _in_lower_case(cls, entry: object) -> object:
        if not isinstance(entry, dict):
            return entry
        fields = {key.lower(): value for key, value in entry.items()}
        if len(fields) < len(entry):
            raise ValueError("has a key twice")
        return fields


_Readers = Annotated[tuple[_Reader, ...], Field(min_length=1, strict=False)]


class _Document(Form):
    attributes: dict[AttributeName, object] = Field(default_factory=dict, alias=_ATTRIBUTES, max_length=MAX_ATTRIBUTES)
    readers: _Readers = Field((), alias=_READERS)
    kendra_readers: _Readers = Field((), alias="AccessControlList")


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
    try:
        document = _Document.model_validate(_json(content))
    except ValidationError as error:
        raise _refusal(_first(error)) from None
    values = {name: attribute(name, value) for name, value in document.attributes.items()}
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


def _readers(document: _Document) -> tuple[str, ...]:
    if document.readers and document.kendra_readers:
        raise _refused_readers()
    readers = document.readers or document.kendra_readers
    return tuple(sorted({f"{each.type.lower()}:{each.name}" for each in readers}))


def _first(error: ValidationError) -> ErrorDetails:
    """A mistyped key of the file's own before all others: what it was meant for is missing."""
    found = error.errors(include_url=False)
    return next((each for each in found if _is_unknown_key(each)), found[0])


def _is_unknown_key(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden" and len(error["loc"]) == 1


def _refusal(error: ErrorDetails) -> DocumentRejected:
    place = error["loc"]
    if not place:
        return _no_object("The sidecar")
    if _is_unknown_key(error):
        return refused(f"has the unknown key '{str(place[0])[:40]}'; it may have {_ATTRIBUTES} and {_READERS}")
    if place[0] == _ATTRIBUTES:
        return _refused_attributes(error)
    return _refused_reader(int(place[1]) + 1, error) if len(place) > 1 else _refused_readers()


def _refused_attributes(error: ErrorDetails) -> DocumentRejected:
    if len(error["loc"]) > 1:
        return refused("has an attribute name that is empty, longer than 200 characters or not plain text")
    if error["type"] == "too_long":
        return refused(f"has more than {MAX_ATTRIBUTES} attributes; leave out what nobody filters by")
    return _no_object(f"{_ATTRIBUTES} of the sidecar")


def _refused_readers() -> DocumentRejected:
    return refused(
        f"has an {_READERS} that is no list, empty, or there twice; name the readers, or leave it out to let "
        "everybody of the tenant read the document"
    )


def _refused_reader(number: int, error: ErrorDetails) -> DocumentRejected:
    entry = f"entry {number} of its {_READERS}"
    if error["type"] == "model_type":
        return _no_object(f"Entry {number} of the sidecar's {_READERS}")
    if error["type"] in ("missing", "extra_forbidden") or len(error["loc"]) < 3:
        return refused(f"must name in {entry} a name, a type and an access, and no more")
    if error["loc"][2] == "access" and error["input"] == "DENY":
        return refused(
            f"denies access in {entry}, and here access can only be allowed; name those who may read the document "
            "instead"
        )
    return refused(f"must have in {entry} a name, type USER or GROUP, and access ALLOW")


def _no_object(what: str) -> DocumentRejected:
    return DocumentRejected(f"{what} must be a JSON object; correct it and upload it again.", REJECTED)
