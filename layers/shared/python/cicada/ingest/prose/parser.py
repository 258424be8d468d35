"""Prose of any format as passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from msgspec import Struct, field

from cicada.documents.model import MetadataValue, Passage, SectionLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunking
from cicada.ingest.metadata import Declared, described
from cicada.ingest.model import ParsedDocument, Problem, SourceFile
from cicada.ingest.prose.characters import clip
from cicada.ingest.prose.chunks import ProseChunk, prose_chunks
from cicada.ingest.prose.kinds import Kind, check_kind
from cicada.ingest.prose.model import Prose
from cicada.ingest.sidecar import Sidecar, parse_sidecar
from cicada.knowledge_bases.schema import SchemaOf, no_schema

MAX_PASSAGES = 20_000
MAX_PROBLEMS = 100
MAX_TITLE = 200


class ProseParser(Struct, frozen=True):
    """A `DocumentParser` of one kind. `read` makes prose of its bytes; `DocumentRejectedError` if they are damaged.

    The title is the sidecar's, else the document's own, else the file name without its suffix. The metadata are those
    of the sidecar, the front matter and the document's properties, in this order, by the schema of its knowledge base
    (`schema_of`), and `language`, which none of them can set as an attribute. The readers are the sidecar's, else the
    front matter's.
    """

    kind: Kind
    read: Callable[[bytes], Prose]
    chunking: Chunking = field(default_factory=Chunking)
    schema_of: SchemaOf = no_schema

    def parse(self, source: SourceFile) -> ParsedDocument:
        sidecar = parse_sidecar(source.sidecar)
        check_kind(source.name, source.content, self.kind)
        prose = self.read(source.content)
        found = tuple(islice(prose_chunks(prose.blocks, self.chunking), MAX_PASSAGES + 1))
        if not found:
            raise DocumentRejectedError("The document has no text; check that the file is the right one.", "no_text")
        if len(found) > MAX_PASSAGES:
            raise DocumentRejectedError(
                f"The document gives more than {MAX_PASSAGES:,} passages; split it.", "too_large"
            )
        language, doubts = sidecar.language_or(prose.language)
        title = clip(sidecar.title or prose.title or PurePosixPath(source.name).stem, MAX_TITLE)
        metadata, faults = self._metadata(source, sidecar, prose)
        metadata["language"] = language
        about = _About(title, language, metadata, sidecar.readers or prose.readers, sidecar.embedded)
        passages = tuple(_passages(source, about, found))
        return ParsedDocument(passages, _bounded((*sidecar.problems, *doubts, *faults, *prose.problems)))

    def _metadata(
        self, source: SourceFile, sidecar: Sidecar, prose: Prose
    ) -> tuple[dict[str, MetadataValue], tuple[Problem, ...]]:
        sources = (
            Declared("sidecar", sidecar.metadata),
            Declared("front matter", prose.metadata),
            Declared("properties", prose.properties, optional=True),
        )
        return described(self.schema_of(source.document.base_key.knowledge_base), sources)


class _About(Struct, frozen=True):
    """What all passages of a document share."""

    title: str
    language: str
    metadata: Mapping[str, MetadataValue]
    readers: tuple[str, ...]
    embedded: tuple[str, ...]


def _passages(source: SourceFile, about: _About, chunks: tuple[ProseChunk, ...]) -> Iterator[Passage]:
    for index, chunk in enumerate(chunks):
        yield Passage(
            passage_id=f"{source.document.document_id}#{index:06d}",
            document=source.document,
            version=source.version,
            title=about.title,
            text=chunk.text,
            context=_context(about, chunk.path),
            locator=SectionLocator(chunk.path),
            language=about.language,
            metadata=about.metadata,
            readers=about.readers,
        )


def _context(about: _About, path: tuple[str, ...]) -> str:
    """Title and section path; a first heading that is the title is not said twice."""
    below = path[1:] if path[:1] == (about.title,) else path
    return " · ".join((about.title, *below, *about.embedded))


def _bounded(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    return (
        *problems[:MAX_PROBLEMS],
        Problem("", f"{len(problems) - MAX_PROBLEMS:,} more problems were found.", "more"),
    )
