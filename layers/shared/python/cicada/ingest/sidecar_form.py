"""The schema of a sidecar: its keys and their values; anything else is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, Field, ValidationError, model_validator

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import restricts
from cicada.ingest.attributes import REJECTED, AttributeName, StrictModel, refused
from cicada.ingest.model import EVERYONE, MISNAMED_SIDECAR, SIDECAR_BYTES
from cicada.permissions.reader_form import NAME_RULE, can_be_named

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# Each is a term of each passage's row in the index.
MAX_ATTRIBUTES = 50

_ATTRIBUTES, _READERS = "metadataAttributes", "accessControlList"


def _possible(name: str) -> str:
    if not can_be_named(name):
        raise ValueError("is no name of a user or a group")
    return name


def _everyone(name: str) -> str:
    if name != EVERYONE[0]:
        raise ValueError("is not everyone")
    return name


class _Reader(StrictModel):
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


_Readers = Annotated[tuple[_Reader, ...], Field(min_length=1, strict=False)]


class SidecarDocument(StrictModel):
    """The attributes as they were written; the readers under one of the two names of their list."""

    attributes: dict[AttributeName, object] = Field(default_factory=dict, alias=_ATTRIBUTES, max_length=MAX_ATTRIBUTES)
    readers: _Readers = Field((), alias=_READERS)
    kendra_readers: _Readers = Field((), alias="AccessControlList")
    everyone: Annotated[str, AfterValidator(_everyone)] = Field("", alias="readers")

    @property
    def reader_names(self) -> tuple[str, ...]:
        """Unique names with their type as prefix: `group:staff`, `user:ann`; or `EVERYONE`."""
        if self.everyone:
            return EVERYONE
        readers = self.readers or self.kendra_readers
        return tuple(sorted({f"{each.type.lower()}:{each.name}" for each in readers}))


def read_document(content: bytes) -> SidecarDocument:
    """The sidecar's keys and values. `DocumentRejectedError` if any of it is not understood."""
    if content == MISNAMED_SIDECAR:
        raise refused("has a name in another case; upload it again as <file name>.metadata.json, and delete this one")
    try:
        document = SidecarDocument.model_validate(_json(content))
    except ValidationError as error:
        raise _refusal(_first(error)) from None
    if sum(map(bool, (document.readers, document.kendra_readers, document.everyone))) > 1:
        raise _refused_readers()
    for name, value in document.attributes.items():
        if restricts(name, value):
            raise refused(
                f"names readers in the attribute '{name[:40]}', where they do not count; name them in {_READERS}, "
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
        return refused(f"has the unknown key '{str(place[0])[:40]}'; it may have {_ATTRIBUTES} and {_READERS}")
    if place[0] == "readers":
        return refused(f'must have "everyone" as its readers; name users and groups in {_READERS}')
    if place[0] == _ATTRIBUTES:
        return _refused_attributes(error)
    return _refused_reader(int(place[1]) + 1, error) if len(place) > 1 else _refused_readers()


def _refused_attributes(error: ErrorDetails) -> DocumentRejectedError:
    if len(error["loc"]) > 1:
        return refused("has an attribute name that is empty, longer than 200 characters or not plain text")
    if error["type"] == "too_long":
        return refused(f"has more than {MAX_ATTRIBUTES} attributes; leave out what nobody filters by")
    return _no_object(f"{_ATTRIBUTES} of the sidecar")


def _refused_readers() -> DocumentRejectedError:
    return refused(
        f"has an {_READERS} that is no list, empty, or there twice; name the readers there, or write "
        '"readers": "everyone" instead'
    )


def _refused_reader(number: int, error: ErrorDetails) -> DocumentRejectedError:
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
    if error["loc"][2] == "name":
        return refused(f"has in {entry} a name that no user and no group can have: {NAME_RULE}")
    return refused(f"must have in {entry} a name, type USER or GROUP, and access ALLOW")


def _no_object(what: str) -> DocumentRejectedError:
    return DocumentRejectedError(f"{what} must be a JSON object; correct it and upload it again.", REJECTED)
