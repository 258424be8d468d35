"""Documents that match a question about metadata, as values, and how they are read from frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cicada_client.forms import count, count_or_none, objects, text, text_by_name, text_or_none, texts


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document that matches. `fields`: what its base shows of the metadata, by names for people.

    Of documents about a subject, `excerpt` has sentences of the best passage, `reason` says in words what matched, and
    `relevance`, 0 to 1, is its highest; else they are empty and None, because a condition that is met is no measure.
    `withheld`: the document was removed since, or the user may not read it any more.
    """

    document_id: str
    title: str
    fields: Mapping[str, str] = field(default_factory=dict)
    withheld: bool = False
    relevance: float | None = None
    excerpt: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or a day. `value`: as people read it, None where it cannot be computed. `number`: where it is one."""

    value: str | None
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A figure of all documents that match: `op` is `count`, `sum`, `avg`, `min` or `max`. `name`: for people.

    `field`: None where documents are counted. `documents`: how many of them have a value that it is computed from.
    """

    op: str
    name: str
    figure: Figure
    documents: int
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Documents with the same values, one for each field of the grouping; None: those without a value.

    `figures`: in the order of the listing's aggregates.
    """

    values: tuple[str | None, ...]
    documents: int
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the documents that match, in order; `total`: how many match. Several such events add up.

    `offset` is the number of the first one, from 0; `next_offset` is that of the next page, None on the last.
    `columns`: the names of the documents' fields, in order. `aggregates`: the numbers that were asked for.
    `groups`: the first of `group_count` groups, by the fields `grouped_by`. `knowledge_base` is the one that has the
    documents.
    """

    request_id: str
    seq: int
    total: int
    documents: tuple[ListedDocument, ...]
    offset: int = 0
    next_offset: int | None = None
    columns: tuple[str, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    grouped_by: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    group_count: int = 0
    knowledge_base: str | None = None
    type: Literal["listing"] = "listing"

    @property
    def can_go_on(self) -> bool:
        """Whether `Client.list_more` gives the rows from `next_offset` on. Of what a search has found it gives none."""
        return self.next_offset is not None and all(each.excerpt is None for each in self.documents)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns; of an earlier server's listing, the fields in the order of their first appearance."""
        return self.columns or tuple(dict.fromkeys(name for document in self.documents for name in document.fields))

    def then(self, more: Listing) -> Listing:
        """The listing with the documents of one more event of the same answer."""
        return replace(
            more,
            documents=(*self.documents, *more.documents),
            offset=self.offset,
            columns=self.columns or more.columns,
            aggregates=self.aggregates or more.aggregates,
            grouped_by=self.grouped_by or more.grouped_by,
            groups=self.groups or more.groups,
            group_count=self.group_count or more.group_count,
        )


def read_listing(request_id: str, seq: int, frame: Mapping[str, Any]) -> Listing:
    """The event in a frame; items that are not objects are left out.

    An earlier server counts documents by the values of one field: `countedBy` and `counts` are read as groups.
    """
    groups = tuple(map(_group, objects(frame.get("groups")))) or tuple(map(_counted, objects(frame.get("counts"))))
    counted_by = text_or_none(frame.get("countedBy"))
    return Listing(
        request_id,
        seq,
        total=count(frame.get("total")),
        documents=tuple(map(read_listed, objects(frame.get("documents")))),
        offset=count(frame.get("offset")),
        next_offset=count_or_none(frame.get("nextOffset")),
        columns=texts(frame.get("columns")),
        aggregates=tuple(map(_aggregate, objects(frame.get("aggregates")))),
        grouped_by=texts(frame.get("groupedBy")) or ((counted_by,) if counted_by else ()),
        groups=groups,
        group_count=count(frame.get("groupCount")) or len(groups),
        knowledge_base=text_or_none(frame.get("knowledgeBase")),
    )


def read_listed(item: Mapping[str, Any]) -> ListedDocument:
    """The document in an object of a frame."""
    relevance = item.get("relevance")
    return ListedDocument(
        text(item.get("documentId")),
        text(item.get("title")),
        text_by_name(item.get("fields")) or {},
        withheld=item.get("withheld") is True,
        relevance=relevance if isinstance(relevance, int | float) else None,
        excerpt=text_or_none(item.get("excerpt")),
        reason=text_or_none(item.get("reason")),
    )


def _aggregate(item: Mapping[str, Any]) -> Aggregate:
    figure = item.get("figure")
    return Aggregate(
        text(item.get("op")),
        text(item.get("name")),
        _figure(figure if isinstance(figure, Mapping) else {}),
        count(item.get("documents")),
        text_or_none(item.get("field")),
    )


def _group(item: Mapping[str, Any]) -> Group:
    values = item.get("values")
    named = tuple(map(text_or_none, values)) if isinstance(values, list) else ()
    return Group(named, count(item.get("documents")), tuple(map(_figure, objects(item.get("figures")))))


def _figure(item: Mapping[str, Any]) -> Figure:
    number = item.get("number")
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return Figure(text_or_none(item.get("value")), number if is_number else None)


def _counted(item: Mapping[str, Any]) -> Group:
    return Group((text(item.get("value")),), count(item.get("count")))
