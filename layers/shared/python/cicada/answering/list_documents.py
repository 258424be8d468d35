"""Lists the documents of a knowledge base that a user may read, with their versions and which of these are in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from cicada.answering.audit import shown_on
from cicada.answering.in_force import Described, Standings
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    DocumentsPage,
    DocumentSummary,
    DocumentVersion,
    ListDocuments,
    frame,
)
from cicada.conversation.withholding import Withholding
from cicada.documents.catalogue import TITLE, DocumentRow, Sort, sorted_rows
from cicada.documents.model import Condition, DocumentKey, KnowledgeBaseKey, Scalar, meets
from cicada.documents.states import DocumentState
from cicada.documents.versions import version_order
from cicada.errors import InvalidFilterError
from cicada.identity import Principal, is_tenants
from cicada.ingest.model import MAX_BYTES
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, Standing, StandingRule
from cicada.knowledge_bases.values import MAX_FIELDS, MAX_NAME, field_named, shown_fields, shown_value
from cicada.observability.audit import DocumentsShown
from cicada.observability.telemetry import ignore
from cicada.permissions import base_of, check_base, readable_passages, viewer_names
from cicada.retrieval.ports import DocumentCatalogue

if TYPE_CHECKING:
    from cicada.answering.edit_documents import DocumentEditing

PAGE_DOCUMENTS = 50
# A search and an editor's list look at so many documents of a base.
_MOST = 10_000
_TITLE_LENGTH = 300
_SAID_LENGTH = 600
_READERS = 50
# Of one field so many values are offered, and of all fields as many as need so much of a frame.
_VALUES = 50
_VALUES_BYTES = 8_000
_IN_ORDER: Mapping[FieldType, Literal["number", "date"]] = {FieldType.NUMBER: "number", FieldType.DATE: "date"}
_OWN: Mapping[str, Callable[[DocumentRow], Scalar]] = {
    "title": lambda row: row.title.casefold(),
    "id": lambda row: row.document.document_id,
    "passages": lambda row: row.passages,
    "ingestedAt": lambda row: row.indexed_at,
}
# Of one document so many versions are shown.
_MOST_VERSIONS = 20
# The versions that the documents of a page have together: each is looked at, and the page ends where they are so many.
_MOST_OF_A_PAGE = 600
_VERSION_LENGTH = 40
_NAMES: Mapping[Standing, Literal["inForce", "notYet", "noLonger"]] = {
    Standing.IN_FORCE: "inForce",
    Standing.NOT_YET: "notYet",
    Standing.NO_LONGER: "noLonger",
}


class DocumentLister(Struct, frozen=True):
    """Reads the catalogue; the permission gate is asked for each page.

    `editing`: None on a stage without editors. `suffixes`: of files that can be uploaded. `audit` is called with each
    page that is shown; it does not fail. `clock` gives epoch seconds. `charge` is called for a list of a base, and
    raises `LimitExceededError`.
    """

    catalogue: DocumentCatalogue
    withholding: Withholding
    audit: Callable[[DocumentsShown], object]
    clock: Callable[[], float]
    editing: DocumentEditing | None = None
    suffixes: tuple[str, ...] = ()
    charge: Callable[[Principal], object] = ignore

    def list(self, command: ListDocuments, connection: Connection) -> DocumentsPage:
        """The page that the command asks for.

        Raises `UnknownKnowledgeBaseError`, and `InvalidFilterError` for an order or a filter by what the base does not
        have.
        """
        principal = connection.principal
        if not command.document_id:
            self.charge(principal)
        editing = self.editing if self.editing and self.editing.includes(principal) else None
        bases = self.withholding.bases()
        schema = base_of(bases, principal, command.knowledge_base).schema
        rows = self._rows(command, principal)
        check_base(bases, principal, command.knowledge_base, lambda: bool(rows or editing))
        # Afterwards: a refusal names the fields of the base.
        chosen = _choice(command, schema)
        states = self._states(command, principal, rows, editing)
        found = chosen(_others(command, principal, rows, states), rows)
        shown = found[command.offset : command.offset + PAGE_DOCUMENTS]
        gone = self.withholding.withheld(principal, frozenset(row.document for row in shown if row.passages))
        kept = [row for row in shown if row.document not in gone]
        summaries = [_summary(row, schema, states.get(row.document.document_id)) for row in kept]
        known: Mapping[str, DocumentRow] = {row.document.document_id: row for row in kept}
        if schema.in_force and not command.document_id:
            summaries, known = self._versions(schema.in_force, rows, principal).told(kept, summaries)
        page = _page(command, schema, summaries, len(found) - len(gone))
        told = len(shown) if len(summaries) == len(kept) else len(summaries)
        page = _fitting(self._for_editors(page, principal) if editing else page, command, told, len(found))
        self._record(command, connection, page, known)
        return page

    def _versions(self, rule: StandingRule, rows: Sequence[DocumentRow], principal: Principal) -> VersionsOfListed:
        day = datetime.fromtimestamp(self.clock(), UTC).date().isoformat()
        return VersionsOfListed(rule, day, rows, partial(self.withholding.withheld, principal))

    def _for_editors(self, page: DocumentsPage, principal: Principal) -> DocumentsPage:
        names = sorted(each for each in viewer_names(principal) if not is_tenants(each.removeprefix("group:")))
        return replace(page, you=tuple(names)[:_READERS], types=self.suffixes, most_bytes=MAX_BYTES)

    def _rows(self, command: ListDocuments, principal: Principal) -> Sequence[DocumentRow]:
        only = frozenset({command.document_id}) if command.document_id else None
        readable = readable_passages(principal, command.knowledge_base, documents=only)
        return self.catalogue.rows(readable, Sort(TITLE), 1 if only else _MOST).rows

    def _states(
        self, command: ListDocuments, principal: Principal, rows: Sequence[DocumentRow], editing: DocumentEditing | None
    ) -> Mapping[str, DocumentState]:
        base_key = KnowledgeBaseKey(principal.tenant, command.knowledge_base)
        if editing is None:
            return {}
        if not command.document_id:
            return editing.states(base_key, principal, rows)
        found = editing.state(DocumentKey(base_key, command.document_id), principal, is_listed=bool(rows))
        return {command.document_id: found} if found else {}

    def _record(
        self, command: ListDocuments, connection: Connection, page: DocumentsPage, known: Mapping[str, DocumentRow]
    ) -> None:
        shown = [
            name
            for each in page.documents
            for name in (each.document_id, *(version.document_id for version in each.versions or ()))
        ]
        rows = [known[name] for name in dict.fromkeys(shown) if known[name].version]
        if rows:
            self.audit(shown_on(connection, command.request_id, "listed", rows, self.clock()))


def _others(
    command: ListDocuments, principal: Principal, rows: Sequence[DocumentRow], states: Mapping[str, DocumentState]
) -> list[DocumentRow]:
    """Documents that are not searchable, as rows without passages."""
    known = {row.document.document_id for row in rows}
    base_key = KnowledgeBaseKey(principal.tenant, command.knowledge_base)
    return [DocumentRow(DocumentKey(base_key, name), name, "", 0, 0.0) for name in states if name not in known]


def _order(sort: str, schema: Schema) -> Callable[[Sequence[DocumentRow]], Sequence[DocumentRow]]:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if own := _OWN.get(name):
        return lambda rows: sorted(sorted(rows, key=_OWN["id"]), key=own, reverse=descending)
    field = field_named(schema, name)
    if field is None:
        names = ", ".join([*_OWN, *schema.fields][:MAX_FIELDS])
        raise InvalidFilterError(f"The documents cannot be put in this order; possible are {names}.")
    return lambda rows: sorted_rows(rows, Sort(field.name, descending))


def _choice(command: ListDocuments, schema: Schema) -> Callable[..., list[DocumentRow]]:
    """Puts those of the rows that the command asks for in its order; behind others, which have no metadata yet."""
    order, conditions = _order(command.sort or TITLE, schema), _conditions(command, schema)
    words = (command.search or "").casefold().split()

    def chosen(others: Sequence[DocumentRow], rows: Sequence[DocumentRow]) -> list[DocumentRow]:
        met = [row for row in order(rows) if meets(row.metadata, conditions)]
        return [row for row in (*(() if conditions else others), *met) if _has(row, words)]

    return chosen


def _conditions(command: ListDocuments, schema: Schema) -> tuple[Condition, ...]:
    if not command.filters:
        return ()
    # Imported here: most lists have no filter.
    from cicada.conversation.accept import written_filter
    from cicada.knowledge_bases.filter_language import condition

    return tuple(condition(schema, written_filter(each)) for each in command.filters)


def _has(row: DocumentRow, words: Sequence[str]) -> bool:
    if not words:
        return True
    values = (shown_value(value, name) for name, value in row.metadata.items())
    everything = "\n".join((row.document.document_id, row.title, *values)).casefold()
    return all(word in everything for word in words)


def _page(command: ListDocuments, schema: Schema, summaries: Sequence[DocumentSummary], total: int) -> DocumentsPage:
    """The page; the first of a list also says what its fields can be asked for."""
    columns = tuple(name for name, _ in _columns(schema))
    page = DocumentsPage(command.knowledge_base, total, tuple(summaries), columns)
    is_first = not command.offset and not command.document_id
    return replace(page, values=_values(schema), ranges=_ranges(schema)) if is_first else page


def _columns(schema: Schema) -> list[tuple[str, SchemaField]]:
    """The shown fields with their names for people."""
    shown = [field for field in schema.fields.values() if field.shown]
    return [((field.display or field.name)[:MAX_NAME], field) for field in shown[:MAX_FIELDS]]


def _values(schema: Schema) -> dict[str, tuple[str, ...]] | None:
    """Values that the shown fields can have, as far as they are known and have room."""
    room = _VALUES_BYTES
    found: dict[str, tuple[str, ...]] = {}
    for column, field in _columns(schema):
        values = tuple(each for each in field.values[:_VALUES] if len(each) <= MAX_NAME)
        room -= sum(len(encode(each)) + 1 for each in (column, *values))
        if values and room > 0:
            found[column] = values
    return found or None


def _ranges(schema: Schema) -> dict[str, Literal["number", "date"]] | None:
    """What values the shown fields have that are in order."""
    return {name: _IN_ORDER[field.type] for name, field in _columns(schema) if field.type in _IN_ORDER} or None


def _summary(row: DocumentRow, schema: Schema, state: DocumentState | None) -> DocumentSummary:
    ingested_at = datetime.fromtimestamp(row.indexed_at, UTC).isoformat(timespec="seconds") if row.indexed_at else None
    return DocumentSummary(
        document_id=row.document.document_id,
        title=row.title[:_TITLE_LENGTH],
        passages=row.passages,
        ingested_at=ingested_at,
        fields=shown_fields(schema, row.metadata),
        state=state.state if state else None,  # type: ignore[arg-type]
        said=(state.remark[:_SAID_LENGTH] or None) if state else None,
        readers=row.readers[:_READERS] if state and row.passages else None,
    )


def _fitting(page: DocumentsPage, command: ListDocuments, shown: int, total: int) -> DocumentsPage:
    """The page with as many documents as have room in a frame."""
    end = command.offset + shown
    while len(frame(replace(page, next_offset=end), request_id=command.request_id).encode()) > FRAME_LIMIT_BYTES:
        page = _smaller(page)
        # Without any document the next page does not begin where this one did: it would be asked for again and again.
        end = command.offset + max(1, len(page.documents))
    return replace(page, next_offset=end if end < total else None)


def _smaller(page: DocumentsPage) -> DocumentsPage:
    """The page with fewer documents; of the last one's versions as many as have room."""
    if len(page.documents) > 1:
        return replace(page, documents=page.documents[: len(page.documents) * 3 // 4])
    if page.values:
        return replace(page, values=None)
    shorter = [
        replace(each, versions=each.versions[: len(each.versions) // 2] or None)
        for each in page.documents
        if each.versions
    ]
    return replace(page, documents=tuple(shorter))


class VersionsOfListed(Struct, frozen=True):
    """Tells of the documents of a page what is in force. `day`: as `2026-01-31`. `rows`: where versions are looked for.

    `withheld`: of documents, those that the user may not read any more.
    """

    rule: StandingRule
    day: str
    rows: Sequence[DocumentRow]
    withheld: Callable[[frozenset[DocumentKey]], Collection[DocumentKey]]

    def told(
        self, shown: Sequence[DocumentRow], summaries: Sequence[DocumentSummary]
    ) -> tuple[list[DocumentSummary], Mapping[str, DocumentRow]]:
        """The summaries of the first rows that are shown, with versions, and all rows that are in them by their ids."""
        every = Standings(self.rule, self.day, self.rows)
        near = _versions(shown, every)
        shown = shown[: len(near)]
        others = {each.document: each for found in near for each in found}
        gone = self.withheld(frozenset(others).difference(row.document for row in shown))
        permitted = [each for each in (*shown, *others.values()) if each.document not in gone]
        standings = Standings(self.rule, self.day, permitted)
        told = [
            self._told(summary, row, [each for each in found if each.document not in gone], standings)
            for row, summary, found in zip(shown, summaries, near, strict=False)
        ]
        return told, {each.document.document_id: each for each in permitted if isinstance(each, DocumentRow)}

    def _told(
        self, summary: DocumentSummary, row: DocumentRow, others: Sequence[Described], standings: Standings
    ) -> DocumentSummary:
        if not row.passages:
            return summary
        ordered = sorted(others, key=lambda each: self._place(each, standings), reverse=True)[:_MOST_VERSIONS]
        versions = tuple(self._version(each, standings) for each in ordered)
        return replace(summary, standing=_named(standings.of(row)), versions=versions or None)

    def _version(self, item: Described, standings: Standings) -> DocumentVersion:
        title = item.title[:_TITLE_LENGTH]
        number = self._number(item)[:_VERSION_LENGTH] or None
        return DocumentVersion(item.document.document_id, title, number, _named(standings.of(item)))

    def _place(self, item: Described, standings: Standings) -> tuple[int, str, str, str]:
        """Behind all that are in force stand those that are not yet, and the others; of each the highest first."""
        standing = standings.of(item)
        rank = 2 if standing is Standing.IN_FORCE else 1 if standing is Standing.NOT_YET else 0
        number, since = (str(item.metadata.get(name, "")) for name in (self.rule.version, self.rule.since))
        return rank, version_order(number) or "", since, item.document.document_id

    def _number(self, item: Described) -> str:
        values = (item.metadata.get(name) for name in (self.rule.version, self.rule.since))
        return next((shown_value(value) for value in values if value not in (None, ())), "")


def _versions(shown: Sequence[DocumentRow], every: Standings) -> list[list[Described]]:
    """The other versions of each document, as far as the documents fill a page; of one at least."""
    known: dict[DocumentKey, list[Described]] = {}
    found: list[list[Described]] = []
    for row in shown:
        if row.passages and row.document not in known:
            versions = [row, *every.versions(row)]
            known |= {one.document: [each for each in versions if each is not one] for one in versions}
        if found and len(known) > _MOST_OF_A_PAGE:
            break
        found.append(known.get(row.document, []))
    return found


def _named(standing: Standing | None) -> Literal["inForce", "notYet", "noLonger"] | None:
    return _NAMES[standing] if standing else None
