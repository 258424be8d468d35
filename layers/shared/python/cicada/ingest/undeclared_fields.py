"""What a document says in fields that no schema declares: recorded, and typed as the documents of its base have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from cicada.documents.model import ROW, DocumentKey, MetadataValue
from cicada.ingest.model import Problem, StoredDocument
from cicada.knowledge_bases.inference import as_observed, conflict_of, is_declared
from cicada.knowledge_bases.kept import Described, FieldRecord
from cicada.knowledge_bases.observed_fields import (
    MAX_FIELDS,
    Look,
    Observed,
    is_field,
    look_of,
    observed_in,
    without_room,
)
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import folded


def observe(
    record: FieldRecord | None,
    document: DocumentKey,
    now: StoredDocument | None,
    before: StoredDocument | None,
    schema: Schema,
) -> Observed | None:
    """The fields once they are those of `now` and no longer those of `before`; None if neither has any."""
    here, earlier = _described(now, schema), _described(before, schema)
    if record is None or not any(each and (each.metadata or each.records) for each in (here, earlier)):
        return None
    gone = Described(earlier.viewers if earlier else (), {})
    return record.observe(document.base_key, here or gone, earlier)


def with_observed_types(
    document: StoredDocument, schema: Schema, observed: Observed
) -> tuple[StoredDocument, tuple[Problem, ...]]:
    """The document with its values in the types of the observed fields, and what the report says of them."""
    passages = tuple(
        replace(each, passage=replace(each.passage, metadata=as_observed(each.passage.metadata, schema, observed)))
        for each in document.passages
    )
    said = _described(document, schema)
    return replace(document, passages=passages), tuple(_doubts(said, observed)) if said else ()


def _described(document: StoredDocument | None, schema: Schema) -> Described | None:
    """What the document says in fields that the schema does not declare; None without passages."""
    if document is None or not document.passages:
        return None
    # A record is never the first passage: the columns of its table are told before it.
    passage = document.passages[0].passage
    own = {name: value for name, value in passage.metadata.items() if is_field(name) and not is_declared(schema, name)}
    records = (each.passage.metadata for each in document.passages if ROW in each.passage.metadata)
    return Described(passage.readers, own, observed_in(_columns(each, own, schema) for each in records))


def _columns(
    record: Mapping[str, MetadataValue], own: Mapping[str, MetadataValue], schema: Schema
) -> dict[str, MetadataValue]:
    """What a record says, without what its whole document says and what the schema declares."""
    return {name: value for name, value in record.items() if own.get(name) != value and not is_declared(schema, name)}


def _doubts(said: Described, observed: Observed) -> Iterator[Problem]:
    """What the report says of the document's inferred fields."""
    own = {**{each.name: each.looks for each in said.records}, **said.metadata}
    # Of those that have another look than others, the texts are told: they keep the rest from being numbers or dates.
    mine = {folded(name) for name, value in said.metadata.items() if look_of(value) is Look.TEXT}
    mine |= {folded(each.name) for each in said.records if Look.TEXT in each.looks}
    for reason in filter(None, (conflict_of(each) for each in observed if folded(each.name) in mine)):
        yield Problem("", reason, "metadata")
    if left_out := without_room(own, observed):
        listed = ", ".join(f"'{name[:40]}'" for name in left_out)[:400]
        reason = (
            f"No question knows {listed}, which stay texts: the base has {MAX_FIELDS} fields, or the name is too long."
        )
        yield Problem("", reason, "unknown_field")
