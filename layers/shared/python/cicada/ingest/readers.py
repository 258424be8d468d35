"""Who may read an uploaded document."""

from __future__ import annotations

from pathlib import PurePosixPath

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import SourceFile
from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.front_matter import FrontMatter, read_front_matter
from cicada.ingest.prose.kinds import SUFFIXES, Kind
from cicada.ingest.sidecar import parse_sidecar


def named_readers(source: SourceFile) -> tuple[str, ...]:
    """The readers that sidecar or front matter names; the sidecar's count. Empty for all users of the tenant.

    `DocumentRejectedError` if either is not understood.
    """
    named = parse_sidecar(source.sidecar).readers
    if SUFFIXES.get(PurePosixPath(source.name).suffix.lower()) is not Kind.MARKDOWN:
        return named
    front = _front_matter(source.content).readers
    return named or front or ()


def _front_matter(content: bytes) -> FrontMatter:
    try:
        text = decode(content).text
    except DocumentRejectedError:
        # Not readable at all, so it names nobody.
        return FrontMatter()
    return read_front_matter(text)
