"""Who may read an uploaded document."""

from __future__ import annotations

from pathlib import PurePosixPath

from msgspec.structs import replace

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import refuse_misplaced_access_list
from cicada.ingest.model import EVERYONE, OversizedFile, Problem, SourceFile, StoredDocument
from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.front_matter import read_front_matter
from cicada.ingest.prose.parser import SUFFIXES, TEXTS, Kind
from cicada.ingest.sidecar import parse_sidecar

# No user's name as a viewer: those begin with `user:` or `group:`.
NOBODY = ("nobody",)


def settled_access_list(named: tuple[str, ...], before: StoredDocument | None, restricted: bool) -> tuple[str, ...]:
    """The viewers to store, empty for all users of the tenant.

    `named`: what sidecar or front matter names now. Without any, nobody may read the document in a `restricted` base,
    or where the version before had viewers: who could read it may have been lost by mistake, and only the word
    `everyone` opens it.
    """
    if named == EVERYONE:
        return ()
    if named or not (restricted or had_access_list(before)):
        return named
    return NOBODY


def had_access_list(before: StoredDocument | None) -> bool:
    """Whether somebody was kept from reading this version, or nobody knew who was to be."""
    return before is not None and (not before.passages or any(each.passage.readers for each in before.passages))


def without_known_access_list(source: SourceFile | OversizedFile, model_id: str, dimension: int) -> StoredDocument:
    """A document of no passages: what is stored of one whose viewers nobody understood, and remembers that."""
    return StoredDocument(source.document, "", model_id, dimension, ())


def unnamed(viewers: tuple[str, ...], named: tuple[str, ...]) -> tuple[Problem, ...]:
    """The report's note on a document that nobody may read."""
    if viewers != NOBODY or named:
        return ()
    reason = (
        "Nobody may read the document: it names no readers, and the base is restricted or the version before named "
        "some. Name readers, or write readers: everyone."
    )
    return (Problem("", reason, "no_readers"),)


def withdrawn(before: StoredDocument) -> StoredDocument:
    """The document, for nobody; what is stored this way remembers that it had viewers."""
    passages = tuple(replace(each, passage=replace(each.passage, readers=NOBODY)) for each in before.passages)
    return replace(before, passages=passages)


def is_meant_for_some(source: SourceFile | OversizedFile) -> bool:
    """Whether the file names viewers, or somebody tried to name them in a way that is not understood."""
    try:
        return named_viewers(source) not in ((), EVERYONE)
    except DocumentRejectedError:
        return True


def named_viewers(source: SourceFile | OversizedFile) -> tuple[str, ...]:
    """The viewers that sidecar or front matter names; the sidecar's count. Empty if neither says anything.

    `DocumentRejectedError` if either is not understood. Nothing is read of a file that is too large.
    """
    named = parse_sidecar(source.sidecar).readers
    if isinstance(source, OversizedFile):
        return named
    kind = SUFFIXES.get(PurePosixPath(source.name).suffix.lower())
    if kind not in TEXTS:
        return named
    try:
        text = decode(source.content).text
    except DocumentRejectedError:
        # The file is not readable at all, so it names nobody.
        return named
    if kind is Kind.MARKDOWN:
        return named or read_front_matter(text).readers or ()
    refuse_misplaced_access_list(text)
    return named
