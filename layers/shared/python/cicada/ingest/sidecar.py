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
The access control list is that of its managed knowledge bases and of Amazon Kendra, which write Name, Type and
Access; `_language_code` and names with `_` in front are Kendra's:
https://docs.aws.amazon.com/kendra/latest/dg/s3-metadata.html

A sidecar is used completely or not at all. Anything not understood might have restricted viewers, so the document is
rejected: for an unknown key, a duplicate key, a DENY, or an empty access list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

from msgspec import Struct, field
from pydantic import AfterValidator, Field, ValidationError, model_validator

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import restricts
from cicada.ingest.markup import plain_line
from cicada.ingest.metadata import REJECTED, Attribute, AttributeName, StrictModel, attribute, refused
from cicada.ingest.model import EVERYONE, MISNAMED_SIDECAR, SIDECAR_BYTES, Problem
from cicada.languages.terms import LANGUAGES
from cicada.permissions import NAME_RULE, can_be_named

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# Each is a term of each passage's row in the index.
MAX_ATTRIBUTES = 50

_ATTRIBUTES, _ACCESS_LIST = "metadataAttributes", "accessControlList"


def _possible(name: str) -> str:
    if not can_be_named(name):
        raise ValueError("is no name of a user or a group")
    return name


def _everyone(name: str) -> str:
    if name != EVERYONE[0]:
        raise ValueError("is not everyone")
    return name


class _Viewer(StrictModel):
    """An entry of the access control list. Keys count in any case: Kendra writes Name."""

    name: Annotated[str, AfterValidator(_possible)]
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


_AccessList = Annotated[tuple[_Viewer, ...], Field(min_length=1, strict=False)]


class SidecarDocument(StrictModel):
    """The attributes as they were written; the viewers under one of the two names of their list."""

    attributes: dict[AttributeName, object] = Field(default_factory=dict, alias=_ATTRIBUTES, max_length=MAX_ATTRIBUTES)
    viewers: _AccessList = Field((), alias=_ACCESS_LIST)
    kendra_viewers: _AccessList = Field((), alias="AccessControlList")
    everyone: Annotated[str, AfterValidator(_everyone)] = Field("", alias="readers")

    @property
    def viewer_names(self) -> tuple[str, ...]:
        """Unique names with their type as prefix: `group:staff`, `user:ann`; or `EVERYONE`."""
        if self.everyone:
            return EVERYONE
        viewers = self.viewers or self.kendra_viewers
        return tuple(sorted({f"{each.type.lower()}:{each.name}" for each in viewers}))


def read_document(content: bytes) -> SidecarDocument:
    """The sidecar's keys and values. `DocumentRejectedError` if any of it is not understood."""
    if content == MISNAMED_SIDECAR:
        raise refused("has a name in another case; upload it again as <file name>.metadata.json, and delete this one")
    try:
        document = SidecarDocument.model_validate(_json(content))
    except ValidationError as error:
        raise _refusal(_first(error)) from None
    if sum(map(bool, (document.viewers, document.kendra_viewers, document.everyone))) > 1:
        raise _refused_access_list()
    for name, value in document.attributes.items():
        if restricts(name, value):
            raise refused(
                f"names readers in the attribute '{name[:40]}', where they do not count; name them in {_ACCESS_LIST}, "
                f"beside {_ATTRIBUTES}"
            )
    return document


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


def _first(error: ValidationError) -> ErrorDetails:
    """The error to report: an unknown key at the top level first, because its mistyped original is then missing."""
    found = error.errors(include_url=False)
    return next((each for each in found if _is_unknown_key(each)), found[0])


def _is_unknown_key(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden" and len(error["loc"]) == 1


def _refusal(error: ErrorDetails) -> DocumentRejectedError:
    place = error["loc"]
    if not place:
        return _no_object("The sidecar")
    if _is_unknown_key(error):
        return refused(f"has the unknown key '{str(place[0])[:40]}'; it may have {_ATTRIBUTES} and {_ACCESS_LIST}")
    if place[0] == "readers":
        return refused(f'must have "everyone" as its readers; name users and groups in {_ACCESS_LIST}')
    if place[0] == _ATTRIBUTES:
        return _refused_attributes(error)
    return _refused_viewer(int(place[1]) + 1, error) if len(place) > 1 else _refused_access_list()


def _refused_attributes(error: ErrorDetails) -> DocumentRejectedError:
    if len(error["loc"]) > 1:
        return refused("has an attribute name that is empty, longer than 200 characters or not plain text")
    if error["type"] == "too_long":
        return refused(f"has more than {MAX_ATTRIBUTES} attributes; leave out what nobody filters by")
    return _no_object(f"{_ATTRIBUTES} of the sidecar")


def _refused_access_list() -> DocumentRejectedError:
    return refused(
        f"has an {_ACCESS_LIST} that is no list, empty, or there twice; name the readers there, or write "
        '"readers": "everyone" instead'
    )


def _refused_viewer(number: int, error: ErrorDetails) -> DocumentRejectedError:
    entry = f"entry {number} of its {_ACCESS_LIST}"
    if error["type"] == "model_type":
        return _no_object(f"Entry {number} of the sidecar's {_ACCESS_LIST}")
    if error["type"] in ("missing", "extra_forbidden") or len(error["loc"]) < 3:
        return refused(f"must name in {entry} a name, a type and an access, and no more")
    if error["loc"][2] == "access" and error["input"] == "DENY":
        return refused(
            f"denies access in {entry}, and here access can only be allowed; name those who may read the document "
            "instead"
        )
    if error["loc"][2] == "name":
        return refused(f"has in {entry} a name that no user and no group can have: {NAME_RULE}")
    return refused(f"must have in {entry} a name, type USER or GROUP, and access ALLOW")


def _no_object(what: str) -> DocumentRejectedError:
    return DocumentRejectedError(f"{what} must be a JSON object; correct it and upload it again.", REJECTED)


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
        readers=document.viewer_names,
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


# A sidecar as somebody edits it: what it says in texts, and its bytes with other texts.


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


def sidecar_with(before: bytes | None, fields: Mapping[str, Sequence[str]], viewers: Sequence[str]) -> bytes:
    """The sidecar with these attributes and viewers. A value that is as it was stays in its form.

    An attribute that was searched together with the text still is. Raises `DocumentRejectedError` for what a sidecar
    cannot say.
    """
    known = read_document(before).attributes if before is not None else {}
    written = {name: _written_value(name, list(texts), known.get(name)) for name, texts in fields.items()}
    content = json.dumps({_ATTRIBUTES: written, **_written_viewers(viewers)}, ensure_ascii=False, indent=1).encode()
    parse_sidecar(content)
    return content


def _texts(value: Attribute) -> tuple[str, ...]:
    return (value.text,) if isinstance(value.text, str) else value.text


def _written_value(name: str, texts: list[str], before: object) -> object:
    known = attribute(name, before) if before is not None else None
    if known and _texts(known) == tuple(texts):
        return before
    value: Any = texts[0] if len(texts) == 1 else texts
    if not (known and known.embedded):
        return value
    typed = {"type": "STRING", "stringValue": value}
    listed = {"type": "STRING_LIST", "stringListValue": value}
    return {"value": typed if len(texts) == 1 else listed, "includeForEmbedding": True}


def _written_viewers(names: Sequence[str]) -> dict[str, object]:
    if tuple(names) == EVERYONE:
        return {"readers": EVERYONE[0]}
    parted = (name.partition(":") for name in names)
    entries = [{"name": name, "type": kind.upper(), "access": "ALLOW"} for kind, _, name in parted]
    return {_ACCESS_LIST: entries} if entries else {}
