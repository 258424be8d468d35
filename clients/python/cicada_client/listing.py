"""Documents that match a question about metadata, as values, and how they are read from frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cicada_client.forms import count, count_or_none, objects, text, text_by_name, text_or_none


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document that matches. `fields`: what its base shows of the metadata, by names for people.

    It has no relevance: a condition that is met is no measure of how well a text answers. `withheld`: the document was
    removed since, or the user may not read it any more.
    """

    document_id: str
    title: str
    fields: Mapping[str, str] = field(default_factory=dict)
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class ValueCount:
    """How many of the matching documents have this value."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the documents that match, in order; `total`: how many match. Several such events add up.

    `offset` is the number of the first one, from 0; `next_offset` is that of the next page, None on the last. `counts`
    are by the field `counted_by`. `knowledge_base` is the one that has the documents.
    """

    request_id: str
    seq: int
    total: int
    documents: tuple[ListedDocument, ...]
    offset: int = 0
    next_offset: int | None = None
    counted_by: str | None = None
    counts: tuple[ValueCount, ...] = ()
    knowledge_base: str | None = None
    type: Literal["listing"] = "listing"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the fields that the documents have, in the order of their first appearance."""
        return tuple(dict.fromkeys(name for document in self.documents for name in document.fields))

    def then(self, more: Listing) -> Listing:
        """The listing with the documents of one more event of the same answer."""
        return replace(
            more,
            documents=(*self.documents, *more.documents),
            offset=self.offset,
            counted_by=self.counted_by or more.counted_by,
            counts=self.counts or more.counts,
        )


def read_listing(request_id: str, seq: int, frame: Mapping[str, Any]) -> Listing:
    """The event in a frame; items that are not objects are left out."""
    return Listing(
        request_id,
        seq,
        total=count(frame.get("total")),
        documents=tuple(map(_document, objects(frame.get("documents")))),
        offset=count(frame.get("offset")),
        next_offset=count_or_none(frame.get("nextOffset")),
        counted_by=text_or_none(frame.get("countedBy")),
        counts=tuple(map(_value_count, objects(frame.get("counts")))),
        knowledge_base=text_or_none(frame.get("knowledgeBase")),
    )


def _document(item: Mapping[str, Any]) -> ListedDocument:
    return ListedDocument(
        text(item.get("documentId")),
        text(item.get("title")),
        text_by_name(item.get("fields")) or {},
        withheld=item.get("withheld") is True,
    )


def _value_count(item: Mapping[str, Any]) -> ValueCount:
    return ValueCount(text(item.get("value")), count(item.get("count")))
