"""Bring the ground truth and the index into the state of the uploaded files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError, UnavailableError
from cicada.ingest.contexts import prefixes_of
from cicada.ingest.model import IngestReport, Outcome, OversizedFile, Problem, SourceFile, StoredDocument
from cicada.ingest.ports import ContextWriter, DocumentParser, DocumentStore, GroundTruth
from cicada.ingest.sidecar import parse_sidecar
from cicada.ingest.vectors import Encoder
from cicada.knowledge_bases.settings import MultiVector
from cicada.retrieval.ports import Embedder, PassageIndex

# Of one ingest at a file that goes on changing; each change has an announcement of its own.
_MAX_LOOKS = 5
# What the sidecar says is kept with each passage.
_MAX_DESCRIPTION_BYTES = 20_000_000


def no_detail(knowledge_base: str) -> MultiVector:  # noqa: ARG001 - the same for every base
    """Vectors alone are kept."""
    return MultiVector.NONE


@dataclass(frozen=True, slots=True)
class Ingester:
    """`parsers`: by the suffix of the file name, in lower case and with its dot. `contexts`: None to write none.

    `detail_of`: what is kept of each passage besides its vector, by knowledge base.
    """

    store: DocumentStore
    truth: GroundTruth
    index: PassageIndex
    embedder: Embedder
    parsers: Mapping[str, DocumentParser]
    contexts: ContextWriter | None = None
    detail_of: Callable[[str], MultiVector] = no_detail

    def ingest(self, document: DocumentKey, again: bool = False) -> IngestReport:
        """Index the file, or remove the document if the file is gone; the report is written to the store too.

        Acts on the file that is there and not on what was announced: announcements come late, twice and out of
        order. `again`: an ingest of the document may have died, so the index is written whatever it shows; one that is
        being built beside it may show something else. A file that cannot be used is reported, and its earlier
        version answers on unless its sidecar names other readers by now, or cannot be read. A failing store, embedder
        or index is a `DependencyError`.
        """
        report = self._settled(document, again)
        self.store.write_report(report)
        return report

    def ingest_described(self, document: DocumentKey, again: bool = False) -> IngestReport | None:
        """Ingest after a change of the sidecar alone: None, with nothing done, if the file itself is not there."""
        return self.ingest(document, again) if self.store.holds(document) else None

    def delete(self, document: DocumentKey) -> IngestReport:
        """Remove the document from the ground truth and the index, whatever the store holds."""
        report = self._deleted(document)
        self.store.write_report(report)
        return report

    def _settled(self, document: DocumentKey, again: bool) -> IngestReport:
        """The report on the version that the store still holds when the truth and the index have it.

        Without this look back, two ingests of one document at the same time could leave the older file indexed, or
        reported on; a refusal may have withdrawn what the other one had just written. What the look back finds is
        written in any case: the other ingest may have been overwritten in some indexes and not in others.
        """
        source = self.store.read(document)
        for _ in range(_MAX_LOOKS):
            report = self._applied(document, source, again)
            if (latest := self.store.read(document)) == source:
                return report
            source, again = latest, True
        raise UnavailableError("The file changes faster than it can be ingested; it is tried again.")

    def _applied(self, document: DocumentKey, source: SourceFile | OversizedFile | None, again: bool) -> IngestReport:
        if source is None:
            return self._deleted(document)
        entry = self.truth.read(document)
        before = entry.stored if entry else None
        try:
            after, problems = self._stored(source, before)
        except DocumentRejectedError as error:
            if before is None or _may_show_too_much(source, before):
                # Also where the truth has nothing: a withdrawal may have broken off before it reached the index.
                self._deleted(document)
            elif again and self._is_ours(before):
                self.index.replace(document, before.embedded())
            return _rejected(document, error, source.version if isinstance(source, SourceFile) else "")
        outcome = Outcome.INDEXED if self._projected(before, after, again) else Outcome.UNCHANGED
        return IngestReport(document, outcome, len(after.passages), problems, after.version)

    def _is_ours(self, stored: StoredDocument) -> bool:
        """Whether its vectors are those of our embedder: another one's would be nonsense in the index."""
        return (stored.model_id, stored.dimension) == (self.embedder.model_id, self.embedder.dimension)

    def _stored(
        self, source: SourceFile | OversizedFile, before: StoredDocument | None
    ) -> tuple[StoredDocument, tuple[Problem, ...]]:
        """What is to be kept of the file. Of what was kept before, all that still fits is used again."""
        if isinstance(source, OversizedFile):
            raise DocumentRejectedError(source.reason, "too_large")
        parsed = self._parser(source).parse(source)
        if len(parsed.passages) * len(source.sidecar or b"") > _MAX_DESCRIPTION_BYTES:
            raise DocumentRejectedError(
                f"The sidecar stands with each of {len(parsed.passages):,} passages and is too long for that; shorten "
                "it, or split the file.",
                "too_large",
            )
        prefixes = prefixes_of(parsed.passages, self.contexts, before)
        encoder = Encoder(self.embedder, self.detail_of(source.document.base_key.knowledge_base))
        stored = StoredDocument(
            document=source.document,
            version=source.version,
            model_id=self.embedder.model_id,
            dimension=self.embedder.dimension,
            passages=encoder.stored(parsed.passages, prefixes.texts, before),
            multivector=encoder.multivector,
            context_model_id=self.contexts.model_id if self.contexts else "",
        )
        return stored, (*parsed.problems, *prefixes.problems)

    def _projected(self, before: StoredDocument | None, after: StoredDocument, again: bool) -> bool:
        """Whether anything was written. First the truth, so that a rebuild never misses what an index shows."""
        if after != before:
            self.truth.write(after)
        elif not again and self._is_shown(after):
            return False
        self.index.replace(after.document, after.embedded())
        return True

    def _is_shown(self, stored: StoredDocument) -> bool:
        """Whether the index has the passages: it may have been lost, or an earlier ingest died before it."""
        passages = tuple(each.passage for each in stored.embedded())
        if self.index.passages_of(stored.document) != passages:
            return False
        if stored.multivector is MultiVector.NONE or not passages:
            return True
        # A document is replaced as a whole, so its first passage speaks for all.
        first = passages[0].passage_id
        kept = self.index.vectors_of(stored.document.base_key, [first]).get(first)
        return kept is not None and kept.multivector == stored.passages[0].multivector

    def _deleted(self, document: DocumentKey) -> IngestReport:
        self.truth.delete(document)
        self.index.delete(document)
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


def _may_show_too_much(source: SourceFile | OversizedFile, before: StoredDocument) -> bool:
    """Whether the earlier version is shown to others than the sidecar names now: then it does not answer on."""
    try:
        readers = parse_sidecar(source.sidecar).readers
    except DocumentRejectedError:
        return True
    return any(each.passage.readers != readers for each in before.passages)


def _rejected(document: DocumentKey, error: DocumentRejectedError, version: str = "") -> IngestReport:
    return IngestReport(document, Outcome.REJECTED, 0, (Problem("", str(error), error.kind),), version)
