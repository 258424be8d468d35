"""What a knowledge base knows of each of its documents: its row, and its card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct, field

from cicada.documents.model import ROW, TABLE, Condition, DocumentKey, MetadataValue, Passage, Scalar
from cicada.documents.versions import version_order


class CardSection(Struct, frozen=True):
    """A part of the document under a heading: its passages number `first` to `last`, both inclusive, from 0.

    `keywords`: its salient terms, most salient first.
    """

    heading: str
    first: int
    last: int
    keywords: tuple[str, ...] = ()


class Related(Struct, frozen=True):
    """An edge of the document graph: another document of the base, with a weight of 0 to 1."""

    document_id: str
    weight: float


class Card(Struct, frozen=True):
    """What the document is about. `language`: of its text, ISO 639-1. `by`: the model that wrote it, or `rules`.

    `topic_tags`: salient terms, most salient first. `question_hints`: questions that the document answers.
    `sections`: in the document's order. `related`: heaviest first, of a bounded number.
    """

    title: str
    overview: str = ""
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    sections: tuple[CardSection, ...] = ()
    related: tuple[Related, ...] = ()
    language: str = "en"
    by: str = "rules"

    @property
    def topic_paths(self) -> Mapping[str, tuple[int, ...]]:
        """The sections that each keyword leads to, by their numbers from 0."""
        found: dict[str, tuple[int, ...]] = {}
        for number, section in enumerate(self.sections):
            for keyword in section.keywords:
                found[keyword] = (*found.get(keyword, ()), number)
        return found


TITLE = "title"
"""Sorts rows by their title, beside the names of metadata fields."""


class DocumentRow(Struct, frozen=True):
    """A document as the catalogue shows it. `passages`: how many it has. `indexed_at`: epoch seconds.

    `content_hash`: SHA-256 of the file's bytes in hexadecimal; equal files have equal ones. `card`: None where the
    document was ingested without one.
    """

    document: DocumentKey
    title: str
    version: str
    passages: int
    indexed_at: float
    content_hash: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    card: Card | None = None


EVERY = "*"
"""Names the documents themselves, where an aggregate names a field."""

Operation: TypeAlias = Literal["count", "sum", "avg", "min", "max"]


class Aggregate(Struct, frozen=True):
    """A number that is asked of many documents. `field`: a field's name, or `EVERY`.

    `count` of `EVERY` is how many documents there are; of a field it is how many different values they have.
    """

    op: Operation
    field: str = EVERY


DOCUMENTS = Aggregate("count")
"""How many documents there are."""


class Sort(Struct, frozen=True):
    """Order of rows by a field or by `TITLE`. Rows without the field come last; ties are in order of document id.

    `of`: groups are put in the order of this aggregate of `field`; for rows it means nothing.
    """

    field: str
    descending: bool = False
    of: Operation | None = None


class RowPage(Struct, frozen=True):
    """Rows of one page. `total`: rows that match the filter. `next_offset`: the beginning of the next page, or None."""

    rows: tuple[DocumentRow, ...]
    total: int
    next_offset: int | None = None


class ListedPage(Struct, frozen=True):
    """A page of rows that was shown, with all that the next page is made from.

    `asked`: the knowledge base that the question went to. `knowledge_base`: the one whose documents are listed.
    `limit`: rows of a page, None for as many as usual. `offset`: the first row of this page. `aggregates`, `group` and
    `fields`: as in the plan.
    `documents`: ids in the order shown, where the listing had certain documents alone: those that the message named, or
    those of which the user was asked which one is meant. Empty for all that meet the conditions.
    `subject`: what the documents are about, where they were searched for; `documents` are those of this page then.
    `of_rows`: the rows of tables were listed, and not documents.
    `left_out`: conditions that the user has taken away from the list before.
    """

    asked: str
    knowledge_base: str
    conditions: tuple[Condition, ...] = ()
    sort: Sort | None = None
    aggregates: tuple[Aggregate, ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    documents: tuple[str, ...] = ()
    subject: str = ""
    of_rows: bool = False
    left_out: tuple[Condition, ...] = ()


def sorted_rows(rows: Iterable[DocumentRow], sort: Sort) -> list[DocumentRow]:
    """The rows in this order. Numbers come before texts, also in descending order: a text is not above a number.

    Versions are in their own order: 10.0 is above 9.0.
    """
    keyed = [(_sort_key(row, sort), row) for row in sorted(rows, key=lambda row: row.document.document_id)]
    having = [(key, row) for key, row in keyed if key is not None]
    having.sort(key=lambda pair: pair[0], reverse=sort.descending)
    having.sort(key=lambda pair: pair[0][0])
    return [*(row for _, row in having), *(row for key, row in keyed if key is None)]


def _sort_key(row: DocumentRow, sort: Sort) -> tuple[bool, Scalar] | None:
    """The value by which rows are sorted, None without the field."""
    if sort.field == TITLE:
        return True, row.title
    value = row.metadata.get(sort.field, ())
    first = value[:1] if isinstance(value, tuple) else (value,)
    return (isinstance(first[0], str), version_order(first[0]) or first[0]) if first else None


ROW_IN_TITLE = re.compile(r", row ([0-9]{1,6})$")
"""The end of a row's title, with its number in the table."""


def record_of(passage: Passage) -> DocumentRow:
    """A record as the catalogue shows it: a row of its own, of the document that it is in."""
    number = passage.metadata.get(ROW)
    place = f"{passage.title}, row {number:.0f}" if isinstance(number, float) else passage.title
    metadata = {name: value for name, value in passage.metadata.items() if name != ROW}
    return DocumentRow(
        passage.document,
        _called(metadata, place, _first_columns(passage.text)),
        passage.version,
        1,
        0.0,
        metadata=metadata,
        readers=passage.readers,
    )


_ENDS_OF_NAMES = ("name", "title", "item", "event", "service", "product", "subject", "task")
_LONGEST_NAME = 60
_FIRST_COLUMNS = 2
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SHORTEST_KIND = 2


def _first_columns(text: str) -> list[str]:
    """The names of the first columns of a record's text, which is `Pupil: Ann Lee; Fee: 90`."""
    return [part.partition(": ")[0] for part in text.split("; ", _FIRST_COLUMNS)[:_FIRST_COLUMNS]]


def _called(metadata: Mapping[str, MetadataValue], place: str, first: Sequence[str]) -> str:
    """A record by the value of its column of names, and its place: `Kormoran – boats, row 3`.

    The names of objects stand in the column "Object", before one such as "Name of donor"; without either the first
    text of the first columns names the record.
    """
    table = str(metadata.get(TABLE, ""))
    of_kind = [value for column, value in metadata.items() if is_kind_of(column, table)]
    named = [value for column, value in metadata.items() if column.casefold().endswith(_ENDS_OF_NAMES)]
    texts = [value for value in map(metadata.get, first) if isinstance(value, str) and not _DAY.fullmatch(value)]
    names = (*of_kind, *named, *texts)
    name = next((each for each in names if isinstance(each, str) and 0 < len(each) <= _LONGEST_NAME), "")
    return f"{name} – {place}" if name and name != place else place


def is_kind_of(column: str, table: str) -> bool:
    """Whether a column is called as one of the things that its table is called after: "Boat" of the table "boats"."""
    name = column.casefold()
    kinds = re.findall(r"[^\W\d_]+", table.casefold())
    return len(name) > _SHORTEST_KIND and any(each.startswith(name) and len(each) <= len(name) + 2 for each in kinds)


def row_of(passages: Sequence[Passage], indexed_at: float = 0.0, content_hash: str = "") -> DocumentRow | None:
    """The row of a document of these passages; None without any. Its metadata are what all passages have in common."""
    if not passages:
        return None
    first = passages[0]
    common = {
        name: value
        for name, value in first.metadata.items()
        if all(each.metadata.get(name) == value for each in passages)
    }
    return DocumentRow(
        first.document, first.title, first.version, len(passages), indexed_at, content_hash, common, first.readers
    )
