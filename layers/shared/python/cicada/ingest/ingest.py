"""Update the ground truth and the index from the uploaded files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError, ScanError, UnavailableError
from cicada.ingest.access_keys import REJECTED as VIEWERS_UNCLEAR
from cicada.ingest.access_lists import (
    had_access_list,
    is_meant_for_some,
    named_viewers,
    settled_access_list,
    unnamed,
    withdrawn,
    without_known_access_list,
)
from cicada.ingest.cards.make import made_card, with_card
from cicada.ingest.contexts import prefixes_of
from cicada.ingest.model import (
    TOO_COSTLY,
    IngestReport,
    Outcome,
    OversizedFile,
    ParsedDocument,
    Problem,
    RecognisedPage,
    SourceFile,
    StoredDocument,
    version_of,
)
from cicada.ingest.ports import (
    AccessListRecord,
    CardWriter,
    ContextWriter,
    DocumentParser,
    DocumentStore,
    GroundTruth,
    KeptVectors,
    TextRecognition,
)
from cicada.ingest.undeclared_fields import observe, with_observed_types
from cicada.ingest.vectors import Encoder
from cicada.knowledge_bases.kept import FieldRecord
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.observability.tracing import annotate, mark_failed, span
from cicada.retrieval.model import embedded_text
from cicada.retrieval.ports import CataloguedIndex, Embedder

# Rounds of one ingest if the file keeps changing; each change sends its own notification.
_MAX_LOOKS = 5
_MAX_COPIES_NAMED = 5
# The pages of a scan: what recognises them is paid by the page.
MAX_SCANNED_PAGES = 500
# The metadata are stored with each passage.
_MAX_DESCRIPTION_BYTES = 20_000_000


class Ingester(Struct, frozen=True):
    """`parsers`: by the suffix of the file name, in lower case and with its dot. `contexts`: None to write none.

    `cards`: None to make all cards by rules.
    `bases`: the settings and the schemas of knowledge bases. `fields`: where the fields that no schema declares are
    recorded, None to leave them texts. `kept`: the vectors of ingests that did not get to their end, None to begin them
    again. `access_lists`: where each document's viewers are recorded, None where no excerpt is shown again.
    `recognition`: of the text of scans, None to reject them.
    """

    store: DocumentStore
    truth: GroundTruth
    index: CataloguedIndex
    embedder: Embedder
    parsers: Mapping[str, DocumentParser]
    contexts: ContextWriter | None = None
    cards: CardWriter | None = None
    kept: KeptVectors | None = None
    bases: KnowledgeBases = field(default_factory=KnowledgeBases)
    fields: FieldRecord | None = None
    access_lists: AccessListRecord | None = None
    recognition: TextRecognition | None = None
    clock: Callable[[], float] = time.time

    def ingest(self, document: DocumentKey, again: bool = False) -> IngestReport:
        """Index the file, or remove the document if the file is gone; the report is written to the store too.

        Reads the current file and ignores the content of notifications, which come late, twice and out of order.
        `again`: an earlier ingest of the document may have died, so the index is always written; an index that is being
        built may differ from the live one. A file that cannot be used is reported, and its earlier version stays
        unless sidecar or front matter now names other viewers or is not understood. A failing store, embedder or
        index is a `DependencyError`.
        """
        report = self._ingest_until_stable(document, again)
        annotate(knowledgeBase=document.base_key.knowledge_base, outcome=report.outcome.value, passages=report.passages)
        self.store.write_report(report)
        return report

    def ingest_described(self, document: DocumentKey, again: bool = False) -> IngestReport | None:
        """Ingest after a change of only the sidecar: None, with nothing done, if the file does not exist."""
        return self.ingest(document, again) if self.store.holds(document) else None

    def ingest_purged(self, document: DocumentKey, again: bool = False) -> IngestReport | None:
        """Ingest after versions of the file were deleted for good: None if nothing was left of the document.

        Then nothing is written: a report, or a delete marker of the ground truth, would keep the document's name.
        """
        if self.store.holds(document) or self.truth.read(document) is not None:
            return self.ingest(document, again)
        self._unindex(document)
        return None

    def _ingest_until_stable(self, document: DocumentKey, again: bool) -> IngestReport:
        """Ingest, then read the file again, until it has not changed; returns the report on that version.

        Without the second read, two concurrent ingests of one document could leave the older file indexed or reported,
        and a rejection could remove what the other ingest had just written. A change that it finds is always written:
        the other ingest may have been overwritten in some indexes and not in others.
        """
        source = self._read(document)
        for _ in range(_MAX_LOOKS):
            report = self._ingest_once(document, source, again)
            if (latest := self._read(document)) == source:
                return report
            source, again = latest, True
        raise UnavailableError("The file changes faster than it can be ingested; it is tried again.")

    def _read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        with span("reading"):
            return self.store.read(document)

    def _ingest_once(
        self, document: DocumentKey, source: SourceFile | OversizedFile | None, again: bool
    ) -> IngestReport:
        if source is None:
            return self._deleted(document)
        entry = self.truth.read(document)
        before = entry.stored if entry else None
        try:
            after, problems = self._stored(source, before)
        except DocumentRejectedError as error:
            mark_failed(error)
            version = source.version if isinstance(source, SourceFile) else ""
            if error.kind == TOO_COSTLY:
                # Nothing more is read of it but its sidecar.
                source = OversizedFile(document, str(error), source.sidecar)
            is_unclear = error.kind == VIEWERS_UNCLEAR
            if before is None or is_unclear or self._may_show_too_much(source, before):
                self._withdraw(source, before, is_unclear)
            elif again and before.has_vectors_of(self.embedder.model_id, self.embedder.dimension):
                self._index(with_card(before))
            return IngestReport(document, Outcome.REJECTED, 0, (Problem("", str(error), error.kind),), version)
        with span("indexing"):
            after, doubts = self._with_inferred_types(after, before)
            outcome = Outcome.INDEXED if self._write(before, after, again) else Outcome.UNCHANGED
        viewers = after.passages[0].passage.readers
        return IngestReport(document, outcome, len(after.passages), (*problems, *doubts), after.version, viewers)

    def _stored(
        self, source: SourceFile | OversizedFile, before: StoredDocument | None
    ) -> tuple[StoredDocument, tuple[Problem, ...]]:
        """The ground truth of the file; vectors and contexts of unchanged passages are reused."""
        if isinstance(source, OversizedFile):
            raise DocumentRejectedError(source.reason, "too_large")
        with span("parsing"):
            parsed = self._parsed(source, before)
        _require_short_description(source, parsed)
        prefixes = prefixes_of(parsed.passages, self.contexts, before)
        with span("cards"):
            made = made_card(parsed.passages, self.index, self.cards, before)
        report = partial(self._report_progress, source, len(parsed.passages))
        encoder = Encoder(self.embedder, source.document, self.kept, report)
        with span("embedding"):
            passages, card_vector = encoder.stored(parsed.passages, prefixes.texts, embedded_text(made.card), before)
        stored = StoredDocument(
            document=source.document,
            version=source.version,
            model_id=self.embedder.model_id,
            dimension=self.embedder.dimension,
            passages=passages,
            context_model_id=self.contexts.model_id if self.contexts else "",
            content_hash=version_of(source.content),
            ingested_at=self.clock(),
            card=made.card,
            card_vector=card_vector,
        )
        return stored, (*parsed.problems, *prefixes.problems, *made.problems, *self._copies(stored))

    def _parsed(self, source: SourceFile, before: StoredDocument | None) -> ParsedDocument:
        """The passages with their viewers, and metadata in the types that the schema declares."""
        parser = self._parser(source)
        source = replace(source, schema=self.bases.of(source.document.base_key).schema)
        try:
            parsed = parser.parse(source)
        except ScanError as scan:
            if self.recognition is None:
                raise
            parsed = parser.parse(replace(source, recognised=self._recognised(source, scan.pages, self.recognition)))
        return self._with_access_list(parsed, source.document, before)

    def _recognised(self, source: SourceFile, pages: int, recognition: TextRecognition) -> tuple[RecognisedPage, ...]:
        if pages > MAX_SCANNED_PAGES:
            raise DocumentRejectedError(
                f"The scan has {pages:,} pages, and text is recognised on at most {MAX_SCANNED_PAGES}; split it and "
                "upload the parts.",
                "too_large",
            )
        self._report_progress(source, passages=0, left=0)
        with span("recognising"):
            return recognition.read(source)

    def _with_inferred_types(
        self, after: StoredDocument, before: StoredDocument | None
    ) -> tuple[StoredDocument, tuple[Problem, ...]]:
        """Record the fields that no schema declares, and type their values as those of the base's documents are.

        Just before the document is written: two that are ingested at the same time know of each other's values, and
        nothing is known of one that never gets so far.
        """
        schema = self.bases.of(after.document.base_key).schema
        observed = observe(self.fields, after.document, after, before, schema)
        return with_observed_types(after, schema, observed) if observed is not None else (after, ())

    def _report_progress(self, source: SourceFile, passages: int, left: int) -> None:
        embedded = max(passages - left, 0)
        self.store.write_report(
            IngestReport(source.document, Outcome.UNDER_WAY, passages, version=source.version, embedded=embedded)
        )

    def _copies(self, stored: StoredDocument) -> tuple[Problem, ...]:
        """A note for the report if the base already has these bytes under other names."""
        copies = self.index.copies_of(stored.document, stored.content_hash)
        if not copies:
            return ()
        names = ", ".join(copies[:_MAX_COPIES_NAMED])
        return (Problem("", f"The base already has this very file as {names}; remove what is not meant.", "copy"),)

    def _write(self, before: StoredDocument | None, after: StoredDocument, again: bool) -> bool:
        """Write the truth, then the index, so that a rebuild misses nothing; returns whether anything was written."""
        if before is not None and after.equals(before):
            after = before
            if not again and self._is_indexed(after):
                return False
        else:
            self._write_truth(before, after)
        self._index(after)
        return True

    def _is_indexed(self, stored: StoredDocument) -> bool:
        """Whether the index has the stored passages and card: it may be lost, or an earlier ingest may have died."""
        if self.index.passages_of(stored.document) != tuple(each.passage for each in stored.embedded()):
            return False
        indexed, wanted = self.index.row(stored.document), stored.row()
        return (indexed and indexed.card) == (wanted and wanted.card)

    def _write_truth(self, before: StoredDocument | None, after: StoredDocument) -> None:
        """Only of what is written does its deletion find out which values to forget."""
        try:
            self.truth.write(after)
        except Exception:
            observe(self.fields, after.document, before, after, self.bases.of(after.document.base_key).schema)
            raise

    def _index(self, stored: StoredDocument) -> None:
        row = stored.row()
        if row is None:
            self._unindex(stored.document)
            return
        if self.access_lists:
            self.access_lists.record(stored.document, row.readers)
        self.index.replace(stored.document, stored.embedded(), row, stored.card_vector)

    def _unindex(self, document: DocumentKey) -> None:
        if self.access_lists:
            self.access_lists.forget(document)
        self.index.delete(document)

    def _with_access_list(
        self, parsed: ParsedDocument, document: DocumentKey, before: StoredDocument | None
    ) -> ParsedDocument:
        """Set the viewers that are to be stored; all passages have the same."""
        named = parsed.passages[0].readers
        viewers = settled_access_list(named, before, self.bases.of(document.base_key).restricted)
        passages = tuple(replace(each, readers=viewers) for each in parsed.passages)
        return ParsedDocument(passages, (*parsed.problems, *unnamed(viewers, named)))

    def _may_show_too_much(self, source: SourceFile | OversizedFile, before: StoredDocument) -> bool:
        """Whether the earlier version may be read by users whom the file no longer names; then it is withdrawn."""
        try:
            named = named_viewers(source)
        except DocumentRejectedError:
            return True
        viewers = settled_access_list(named, before, self.bases.of(before.document.base_key).restricted)
        return not before.passages or any(each.passage.readers != viewers for each in before.passages)

    def _withdraw(self, source: SourceFile | OversizedFile, before: StoredDocument | None, is_unclear: bool) -> None:
        """Take the document out of the index. If it had viewers or is to have some, the truth remembers that.

        `is_unclear`: its text names viewers where they do not count.

        Even if the truth has nothing: an earlier deletion may have stopped before it reached the index.
        """
        observe(self.fields, source.document, None, before, Schema())
        if before is not None and had_access_list(before):
            self.truth.write(withdrawn(before))
        elif is_unclear or is_meant_for_some(source):
            self.truth.write(without_known_access_list(source, self.embedder.model_id, self.embedder.dimension))
        else:
            self.truth.delete(source.document)
        self._unindex(source.document)

    def _deleted(self, document: DocumentKey) -> IngestReport:
        entry = self.truth.read(document) if self.fields else None
        observe(self.fields, document, None, entry.stored if entry else None, Schema())
        self.truth.delete(document)
        self._unindex(document)
        return IngestReport(document, Outcome.DELETED, passages=0)

    def _parser(self, source: SourceFile) -> DocumentParser:
        suffix = PurePosixPath(source.name).suffix.lower()
        if suffix not in self.parsers:
            raise DocumentRejectedError(
                f"Files of the type '{suffix or source.name}' cannot be read; upload "
                f"{', '.join(sorted(self.parsers))}.",
                "unknown_type",
            )
        return self.parsers[suffix]


def _require_short_description(source: SourceFile, parsed: ParsedDocument) -> None:
    size_of = cache(lambda name, value: len(f"{name}{value}".encode()))
    own = (sum(size_of(*each) for each in passage.metadata.items()) for passage in parsed.passages)
    if max(len(source.sidecar or b"") * len(parsed.passages), sum(own)) > _MAX_DESCRIPTION_BYTES:
        raise DocumentRejectedError(
            f"The metadata stand with each of {len(parsed.passages):,} passages and are too long for that; shorten "
            "the sidecar or the front matter, or split the file.",
            "too_large",
        )
