"""Prose of any format as passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from threading import Lock

from cicada.documents.model import Passage, SectionLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunking
from cicada.ingest.model import ParsedDocument, Problem, SourceFile
from cicada.ingest.prose.characters import clip
from cicada.ingest.prose.chunks import ProseChunk, prose_chunks
from cicada.ingest.prose.kinds import Kind, check_kind
from cicada.ingest.prose.model import Prose
from cicada.ingest.sidecar import Sidecar, parse_sidecar

MAX_PASSAGES = 20_000
MAX_PROBLEMS = 100
MAX_TITLE = 200

# Files are ingested side by side, but the worst of them take much memory while they are read
# (`python -m evals.reader_limits`), and the readers are all CPU.
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True)
class ProseParser:
    """A `DocumentParser` of one kind. `read` makes prose of its bytes; `DocumentRejectedError` if they are damaged.

    The title is the sidecar's, else the document's own, else the file name without its suffix. The metadata are the
    sidecar's and `language`, which the sidecar cannot set as an attribute.
    """

    kind: Kind
    read: Callable[[bytes], Prose]
    chunking: Chunking = field(default_factory=Chunking)

    def parse(self, source: SourceFile) -> ParsedDocument:
        sidecar = parse_sidecar(source.sidecar)
        check_kind(source.name, source.content, self.kind)
        with _ONE_AT_A_TIME:
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
        passages = tuple(_passages(source, sidecar, title, language, found))
        return ParsedDocument(passages, _bounded((*sidecar.problems, *doubts, *prose.problems)))


def _passages(
    source: SourceFile, sidecar: Sidecar, title: str, language: str, chunks: tuple[ProseChunk, ...]
) -> Iterator[Passage]:
    metadata = {**sidecar.metadata, "language": language}
    for index, chunk in enumerate(chunks):
        yield Passage(
            passage_id=f"{source.document.document_id}#{index:06d}",
            document=source.document,
            version=source.version,
            title=title,
            text=chunk.text,
            context=_context(title, chunk.path, sidecar),
            locator=SectionLocator(chunk.path),
            language=language,
            metadata=metadata,
            readers=sidecar.readers,
        )


def _context(title: str, path: tuple[str, ...], sidecar: Sidecar) -> str:
    """Title and section path; a first heading that is the title is not said twice."""
    below = path[1:] if path[:1] == (title,) else path
    return " · ".join((title, *below, *sidecar.embedded))


def _bounded(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    return (
        *problems[:MAX_PROBLEMS],
        Problem("", f"{len(problems) - MAX_PROBLEMS:,} more problems were found.", "more"),
    )
