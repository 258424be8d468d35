"""Documents and their passages, where a passage stands, and which ones a search may find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from cicada.documents.versions import version_order

MetadataValue: TypeAlias = str | float | bool | tuple[str, ...]
"""A field's value. A date is its ISO text (`2026-01-31`); a keyword list is a tuple."""


class KnowledgeBaseKey(Struct, frozen=True):
    """Identity of a knowledge base, the documents that a question is answered from; it belongs to one tenant."""

    tenant: str
    knowledge_base: str


class DocumentKey(Struct, frozen=True):
    """Identity of a document; re-ingesting a changed file keeps the key and changes the version."""

    base_key: KnowledgeBaseKey
    document_id: str


class ScriptLocator(Struct, frozen=True, tag=True):
    """Where in a script a passage stands: `first_message` to `last_message`, both inclusive, of one chapter."""

    episode_id: str
    episode_name: str
    chapter_id: str
    chapter_title: str
    first_message: int
    last_message: int
    speakers: tuple[str, ...]


class SectionLocator(Struct, frozen=True, tag=True):
    """Where in a prose document a passage stands: the headings above it, outermost first."""

    path: tuple[str, ...]


Locator = ScriptLocator | SectionLocator


class Passage(Struct, frozen=True):
    """A piece of a document, the unit of search and citation.

    `text` is what an answer is built from. `context` (title, place, speakers) is searched together with the
    text and never shown to the answering model as evidence. `metadata`: the fields to filter by.
    `readers`: who may read it, by name (`user:<id>`, `group:<name>`); empty for all users of the tenant.
    """

    passage_id: str
    document: DocumentKey
    version: str
    title: str
    text: str
    context: str
    locator: Locator
    language: str = "en"
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    readers: tuple[str, ...] = ()

    @property
    def chapter(self) -> str:
        """The chapter of a script that it is from; empty for a passage of a written document."""
        return self.locator.chapter_id if isinstance(self.locator, ScriptLocator) else ""


ROW = "#row"
"""The field by which a passage is known for a record, a row of a table: the number of the row in its table, from 1."""

TABLE = "#table"
"""The field of a record that names its table: the title of its document, and the heading that it stands under."""


def passage_id_at(document_id: str, number: int) -> str:
    """The id of a document's passage at this place, counted from 0. In order of ids passages are in the document's."""
    return f"{document_id}#{number:06d}"


# As many letters of a version as tell two versions of a document apart.
_VERSION_LENGTH = 12


def passage_number(passage_id: str) -> int | None:
    """The place of a passage in its document, as `passage_id_at` counts; None for an id of another form."""
    digits = passage_id.rpartition("#")[2]
    return int(digits) if digits.isdecimal() else None


def place_name(passage: Passage) -> str | None:
    """A short name of the passage within its document: its number, and the version in which it has that number."""
    number = passage_number(passage.passage_id)
    return None if number is None else f"{number}@{passage.version[:_VERSION_LENGTH]}"


class Subject(Struct, frozen=True):
    """A document, or a part of one.

    `document`: the words that name the document; empty where none does. `section`: the words or the number of the part
    (`chapter 3`, `3.4`); empty for the whole document. `if_short`: it is only where something happens, so that it is
    read if all of it fits, and else the message is searched for.
    """

    document: str = ""
    section: str = ""
    if_short: bool = False


Scalar: TypeAlias = str | float | bool
"""One value of a field. A date is its ISO text (`2026-01-31`), so that texts compare as dates do."""


class AnyOf(Struct, frozen=True):
    """The field has one of these values; of a list field, one of its values is among them."""

    field: str
    values: frozenset[Scalar]


class NoneOf(Struct, frozen=True):
    """The field has none of these values; a document without the field matches."""

    field: str
    values: frozenset[Scalar]


class Range(Struct, frozen=True):
    """The field's number, date or version is within the bounds; None is no bound.

    A document without the field does not match. Where the bounds are versions, values are compared as versions are.
    `least` and `most` are included, `above` and `below` are not.
    """

    field: str
    least: float | str | None = None
    above: float | str | None = None
    most: float | str | None = None
    below: float | str | None = None

    @property
    def of_versions(self) -> Range:
        """The same bounds as texts that sort as versions do."""
        return Range(self.field, *map(version_order, (self.least, self.above, self.most, self.below)))


class Exists(Struct, frozen=True):
    """The field has a value, or with `present` False has none."""

    field: str
    present: bool = True


class Contains(Struct, frozen=True):
    """The field's text, or one of a list, has this text in it, in whatever case."""

    field: str
    text: str


Condition: TypeAlias = AnyOf | NoneOf | Range | Exists | Contains


class PassageFilter(Struct, frozen=True):
    """The documents and passages that a search may return, always of one knowledge base and so of one tenant.

    All `conditions` must hold. `document_ids`: None for all documents.
    `reader`: the user's viewer names; a document that names viewers is returned only if one of them matches. None lets
    every viewer's documents through: `permissions.every_document` alone makes it, for operators.
    """

    base_key: KnowledgeBaseKey
    document_ids: frozenset[str] | None = None
    conditions: tuple[Condition, ...] = ()
    reader: frozenset[str] | None = frozenset()

    @property
    def readable(self) -> PassageFilter:
        """All of the knowledge base that its viewer may read."""
        return PassageFilter(self.base_key, reader=self.reader)


def meets(metadata: Mapping[str, MetadataValue], conditions: tuple[Condition, ...]) -> bool:
    """Whether a document with this metadata meets all conditions."""
    return all(_holds(condition, _scalars(metadata.get(condition.field))) for condition in conditions)


def _holds(condition: Condition, found: tuple[Scalar, ...]) -> bool:
    if isinstance(condition, AnyOf):
        return _among(found, condition.values)
    if isinstance(condition, NoneOf):
        return not _among(found, condition.values)
    if isinstance(condition, Exists):
        return bool(found) is condition.present
    if isinstance(condition, Contains):
        return any(isinstance(each, str) and condition.text.casefold() in each.casefold() for each in found)
    return any(_within(value, condition) for value in found)


def _among(found: tuple[Scalar, ...], values: frozenset[Scalar]) -> bool:
    # True equals 1 in Python; as values of a field they differ.
    wanted = {(isinstance(each, bool), each) for each in values}
    return any((isinstance(each, bool), each) in wanted for each in found)


def _within(value: Scalar, bounds: Range) -> bool:
    given = [each for each in (bounds.least, bounds.above, bounds.most, bounds.below) if each is not None]
    if isinstance(value, bool) or any(isinstance(each, str) != isinstance(value, str) for each in given):
        return False
    if not given and isinstance(value, str):
        return False
    if any(version_order(each) for each in given):
        if (version := version_order(value)) is None:
            return False
        value, bounds = version, bounds.of_versions
    return (
        (bounds.least is None or value >= bounds.least)  # type: ignore[operator]
        and (bounds.above is None or value > bounds.above)  # type: ignore[operator]
        and (bounds.most is None or value <= bounds.most)  # type: ignore[operator]
        and (bounds.below is None or value < bounds.below)  # type: ignore[operator]
    )


def _scalars(value: MetadataValue | None) -> tuple[Scalar, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
