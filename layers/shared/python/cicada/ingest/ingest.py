"""Bring the index into the state of the uploaded files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cicada.documents.model import DocumentKey, Passage
from cicada.errors import DocumentRejected
from cicada.ingest.model import IngestReport, Outcome, Problem, SourceFile
from cicada.ingest.ports import DocumentParser, DocumentStore
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.ports import Embedder, PassageIndex

EMBEDDING_BATCH = 64


@dataclass(frozen=True, slots=True)
class Ingester:
    """`parsers`: by the suffix of the file name, in lower case and with its dot."""

    store: DocumentStore
    index: PassageIndex
    embedder: Embedder
    parsers: Mapping[str, DocumentParser]

    def ingest(self, document: DocumentKey) -> IngestReport:
        """Index the file, or remove the document if the file is gone; the report is written to the store too.

        Acts on the file that is there and not on what was announced: announcements come late, twice and out of
        order. A file that cannot be used is reported; a failing store, embedder or index is a `DependencyError`.
        """
        try:
            report = self._settled(document)
        except DocumentRejected as error:
            report = _rejected(document, error)
        self.store.write_report(report)
        return report

    def delete(self, document: DocumentKey) -> IngestReport:
        """Remove the document from the index, whatever the store holds."""
        report = self._deleted(document)
        self.store.write_report(report)
        return report

    def _settled(self, document: DocumentKey) -> IngestReport:
        """The report on the version that the store still holds when the index has it.

        Without this look back, two ingests of one document at the same time could leave the older file indexed.
        """
        source = self.store.read(document)
        report = self._applied(document, source)
        while report.outcome in (Outcome.INDEXED, Outcome.DELETED) and (latest := self.store.read(document)) != source:
            source, report = latest, self._applied(document, latest)
        return report

    def _applied(self, document: DocumentKey, source: SourceFile | None) -> IngestReport:
        if source is None:
            return self._deleted(document)
        try:
            parsed = self._parser(source).parse(source)
        except DocumentRejected as error:
            return _rejected(document, error, source.version)
        # The passages and not just the version: after a change of the episode configuration the same bytes differ.
        unchanged = self.index.passages_of(document) == parsed.passages
        if not unchanged:
            self.index.replace(document, list(self._embedded(parsed.passages)))
        outcome = Outcome.UNCHANGED if unchanged else Outcome.INDEXED
        return IngestReport(document, outcome, len(parsed.passages), parsed.problems, source.version)

    def _deleted(self, document: DocumentKey) -> IngestReport:
        self.index.delete(document)
        return IngestReport(document, Outcome.DELETED, passages=0)

    def _parser(self, source: SourceFile) -> DocumentParser:
        suffix = PurePosixPath(source.name).suffix.lower()
        if suffix not in self.parsers:
            raise DocumentRejected(
                f"Files of the type '{suffix or source.name}' cannot be read; upload {', '.join(sorted(self.parsers))}."
            )
        return self.parsers[suffix]

    def _embedded(self, passages: Sequence[Passage]) -> Iterator[EmbeddedPassage]:
        for start in range(0, len(passages), EMBEDDING_BATCH):
            batch = passages[start : start + EMBEDDING_BATCH]
            vectors = self.embedder.embed_passages([f"{each.context}\n{each.text}" for each in batch])
            yield from map(EmbeddedPassage, batch, vectors)


def _rejected(document: DocumentKey, error: DocumentRejected, version: str = "") -> IngestReport:
    return IngestReport(document, Outcome.REJECTED, 0, (Problem("", str(error)),), version)
