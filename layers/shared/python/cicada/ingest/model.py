"""Values of ingest: uploaded files, parsed documents, the ground truth, and reports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from cicada.documents.catalogue import Card, DocumentRow, row_of
from cicada.documents.model import DocumentKey, Passage
from cicada.knowledge_bases.schema import Schema
from cicada.retrieval.model import EmbeddedPassage, Vector

# What names all users of the tenant as viewers.
EVERYONE = ("everyone",)
# The largest file.
MAX_BYTES = 50_000_000
# The largest sidecar: Bedrock's limit.
SIDECAR_BYTES = 10_240
# What stands for a sidecar whose name is in another case: it was meant to count, and is not read.
MISNAMED_SIDECAR = b"misnamed"
# The kind of a rejection because reading the file would take more than its share.
TOO_COSTLY = "too_costly"


class RecognisedPage(Struct, frozen=True):
    """What was recognised in the picture of a page, whose `number` counts from 1: lines in reading order.

    `left_out`: how many lines were too uncertain. `has_failed`: the page could not be read.
    """

    number: int
    lines: tuple[str, ...] = ()
    left_out: int = 0
    has_failed: bool = False


class SourceFile(Struct, frozen=True):
    """An uploaded file's bytes. `name` is its file name; `version` is `version_of` its bytes.

    `sidecar`: the bytes of the file that describes it (`<name>.metadata.json` beside it), None without one.
    `schema`: the one that its metadata are typed by; a parser cannot read it where it runs.
    `recognised`: the text of a scan, None where its own text is to be read.
    """

    document: DocumentKey
    name: str
    content: bytes
    version: str
    sidecar: bytes | None = None
    schema: Schema = field(default_factory=Schema)
    recognised: tuple[RecognisedPage, ...] | None = None


class OversizedFile(Struct, frozen=True):
    """An uploaded file that is too large to be read; its sidecar is still used. `reason`: how large it may be."""

    document: DocumentKey
    reason: str
    sidecar: bytes | None = None


def version_of(content: bytes, sidecar: bytes | None = None) -> str:
    """The SHA-256 of the file; with a sidecar, that of the two files' digests, one after the other. In hexadecimal.

    A sidecar that is too large is digested only up to one byte above the limit.
    """
    digest = hashlib.sha256(content)
    if sidecar is None:
        return digest.hexdigest()
    return hashlib.sha256(digest.digest() + hashlib.sha256(sidecar[: SIDECAR_BYTES + 1]).digest()).hexdigest()


class ScriptMessage(Struct, frozen=True):
    """One speech, or with `is_direction` one stage direction, in plain text of one line."""

    chapter_id: str
    chapter_title: str
    message_id: int
    speaker: str
    text: str
    is_direction: bool = False


class Track(Struct, frozen=True):
    """A script's messages in one language, in the script's order."""

    language: str
    messages: tuple[ScriptMessage, ...]


class Outcome(StrEnum):
    """The outcome of an ingest; `UNDER_WAY` until there is one, while a large file is embedded."""

    UNDER_WAY = "under_way"
    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"
    DELETED = "deleted"


class Problem(Struct, frozen=True):
    """Something wrong with a file. `place` says where in it, or is empty for the whole file.

    `kind` names the reason for metrics and holds nothing of the file.
    """

    place: str
    reason: str
    kind: str = "unreadable"


class ParsedDocument(Struct, frozen=True):
    """A file's passages, one at least, and problems for the parts that were left out."""

    passages: tuple[Passage, ...]
    problems: tuple[Problem, ...] = ()


class Contexts(Struct, frozen=True):
    """The context of each text within its document; empty if none was written.

    `failure`: a sentence for the report if the model failed, else empty.
    """

    sentences: tuple[str, ...]
    failure: str = ""


class DocumentExcerpt(Struct, frozen=True):
    """What a model reads of a document to write its card: all headings, and the text from its beginning.

    `language`: ISO 639-1.
    """

    title: str
    headings: tuple[str, ...]
    text: str
    language: str


class CardDraft(Struct, frozen=True):
    """What a model wrote for a document's card; each part may be empty. `failure`: as in `Contexts`."""

    overview: str = ""
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    failure: str = ""


class StoredPassage(Struct, frozen=True):
    """A parsed passage, the context that a model wrote for it (`prefix`), and the vector of both."""

    passage: Passage
    prefix: str
    vector: Vector

    def embedded(self) -> EmbeddedPassage:
        """The form that an index stores."""
        return EmbeddedPassage(prefixed(self.passage, self.prefix), self.vector)


class StoredDocument(Struct, frozen=True):
    """The ground truth of a document: everything that an index needs, so that no model is called to rebuild one.

    `version` is that of the source file; `context_model_id` wrote the prefixes, or is empty. `content_hash`: SHA-256 of
    the file alone. `ingested_at`: epoch seconds of the ingest that changed it last. `card_vector`: the vector of the
    card, empty without one. Without passages it is one that was rejected before anybody could read it, and that names
    viewers.
    """

    document: DocumentKey
    version: str
    model_id: str
    dimension: int
    passages: tuple[StoredPassage, ...]
    context_model_id: str = ""
    content_hash: str = ""
    ingested_at: float = 0.0
    card: Card | None = None
    card_vector: Vector = ()

    def has_vectors_of(self, model_id: str, dimension: int) -> bool:
        """Whether its vectors are from this embedder; others are meaningless in its index."""
        return (self.model_id, self.dimension) == (model_id, dimension)

    def equals(self, other: StoredDocument) -> bool:
        """Whether both hold the same, whenever it was ingested."""
        return self == replace(other, ingested_at=self.ingested_at)

    def embedded(self) -> list[EmbeddedPassage]:
        """The form that an index stores."""
        return [each.embedded() for each in self.passages]

    def row(self) -> DocumentRow | None:
        """The row of the catalogue; None without passages."""
        row = row_of([each.passage for each in self.passages], self.ingested_at, self.content_hash)
        return replace(row, card=self.card) if row else None


class TruthEntry(Struct, frozen=True):
    """A stored document and its revision in the ground truth."""

    stored: StoredDocument
    revision: str


def prefixed(passage: Passage, prefix: str) -> Passage:
    """The passage with the prefix before its context, which is searched and never shown as evidence."""
    return replace(passage, context=f"{prefix}\n{passage.context}".rstrip()) if prefix else passage


class IngestReport(Struct, frozen=True):
    """What became of one file. `REJECTED` means that nothing of it was indexed: an earlier version still answers.

    `version` is that of the file's bytes, empty where they were not read. `readers`: who may read what is indexed,
    empty for all users of the tenant and where nothing is indexed. `embedded`: how many of the passages have their
    vectors, while the outcome is `UNDER_WAY`.
    """

    document: DocumentKey
    outcome: Outcome
    passages: int
    problems: tuple[Problem, ...] = ()
    version: str = ""
    readers: tuple[str, ...] = ()
    embedded: int = 0


def report_fields(report: IngestReport) -> dict[str, Any]:
    """JSON values; names are camelCase as on the wire. `version` is `version_of` the file, or empty."""
    document = report.document
    return {
        "tenant": document.base_key.tenant,
        "knowledgeBase": document.base_key.knowledge_base,
        "documentId": document.document_id,
        "version": report.version,
        "outcome": report.outcome.value,
        "passages": report.passages,
        **({"embedded": report.embedded} if report.outcome is Outcome.UNDER_WAY else {}),
        "readers": list(report.readers),
        "problems": [to_builtins(problem) for problem in report.problems],
    }


class RebuildRecord(Struct, frozen=True):
    """A running rebuild. `held_until` (epoch seconds): the end of its holder's exclusive hold; 0 without a holder.

    `copied`: the documents in the new index, each with the copied revision of the ground truth.
    """

    run: str
    held_until: float
    copied: Mapping[DocumentKey, str] = field(default_factory=dict)


class RebuildState(StrEnum):
    """The state of a rebuild. `BUSY`: another process holds it or has begun another one; nothing was done."""

    COPYING = "copying"
    SWITCHED = "switched"
    ABANDONED = "abandoned"
    BUSY = "busy"


class RebuildProgress(Struct, frozen=True):
    """`copied` of `documents` are in the new index; with `SWITCHED`, it answers. Operators get it by these names."""

    run: str
    state: RebuildState
    copied: int = 0
    documents: int = 0
