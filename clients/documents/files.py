"""The files that paths name, and the documents that they become."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cicada.adapters.s3.keys import document_key, is_sidecar
from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError
from cicada.ingest import uploads
from clients.documents.errors import InvalidUploadError, UnreadableFileError

SIDECAR = ".metadata.json"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, the document that it becomes, and the sidecar beside it, if there is one."""

    path: Path
    document: DocumentKey
    sidecar: Path | None


def refusal(path: Path) -> tuple[str, str]:
    """Why this file need not be uploaded, as ingest would reject it whatever is in it, and the kind; empty if not so.

    Raises `UnreadableFileError`.
    """
    if of_name := uploads.refusal(path.name, 0)[0]:
        return of_name, "unknown_type"
    try:
        return uploads.refusal(path.name, path.stat().st_size)
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}.") from error


def uploads_of(paths: Sequence[Path], tenant: str, knowledge_base: str, *, follow_links: bool = False) -> list[Upload]:
    """All named files, and all files below named folders except hidden ones and, without `follow_links`, linked ones.

    A folder of somebody else's may link to files that nobody means to publish (`linked_files` lists them). The id of a
    file in a folder is its path below that folder. Raises `InvalidUploadError` for a path that does not exist, a folder
    that cannot be read, a link to nothing, a linked sidecar that is not followed, a name that is not allowed, two files
    with one id, and a sidecar without its file.
    """
    found: dict[DocumentKey, Upload] = {}
    for path in paths:
        for file, name in _files(path, follow_links):
            document = _document(file, f"documents/{tenant}/{knowledge_base}/{name}")
            other = found.setdefault(document, Upload(file, document, _sidecar(file)))
            if other.path != file:
                raise InvalidUploadError(f"{other.path} and {file} would both become {name}; ingest them one by one.")
    if not found:
        raise InvalidUploadError(f"There is no file to ingest in {', '.join(map(str, paths))}.")
    return list(found.values())


def linked_files(paths: Sequence[Path]) -> list[Path]:
    """The links in the named folders. A linked folder is never entered; a link that is named itself is meant."""
    return sorted(each for path in paths if path.is_dir() for each in _below(path, folders=True) if each.is_symlink())


def _files(path: Path, follow_links: bool) -> Iterator[tuple[Path, str]]:
    if path.is_dir():
        for file in sorted(_below(path)):
            if not _is_file(file):
                continue
            if is_sidecar(file.name):
                _require_its_file(file)
                _require_no_link(file, follow_links)
            elif follow_links or not file.is_symlink():
                yield file, file.relative_to(path).as_posix()
    elif not _is_file(path):
        raise InvalidUploadError(f"There is no file or folder {path}.")
    elif is_sidecar(path.name):
        raise InvalidUploadError(f"{path} only describes a file; name that file: {path.name.removesuffix(SIDECAR)}.")
    else:
        _require_its_file(path.with_name(f"{path.stem}{SIDECAR}"))
        yield path, path.name


def _below(folder: Path, *, folders: bool = False) -> Iterator[Path]:
    """All but hidden files and what is in hidden folders; linked folders are not entered, and given with `folders`.

    A folder that cannot be read is an error: what is in it would seem to be gone, and a sync would remove it.
    """

    def refuse(error: OSError) -> None:
        raise InvalidUploadError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for place, inner, names in os.walk(folder, onerror=refuse):
        inner[:] = [name for name in inner if not name.startswith(".")]
        yield from (Path(place, name) for name in (*names, *(inner if folders else ())) if not name.startswith("."))


def _is_file(path: Path) -> bool:
    """Raises `InvalidUploadError` for a link to nothing, such as to a drive that is not there now."""
    try:
        if path.is_symlink() and not path.exists():
            raise InvalidUploadError(f"{path} is a link to {path.readlink()}, which does not exist.")
        return path.is_file()
    except OSError as error:
        raise InvalidUploadError(f"{path} cannot be read: {error.strerror}.") from error


def _require_its_file(sidecar: Path) -> None:
    """A sidecar without its file was meant for another one, which everybody could read without the sidecar."""
    if _is_file(sidecar) and not sidecar.with_name(sidecar.name.removesuffix(SIDECAR)).is_file():
        raise InvalidUploadError(
            f"{sidecar} belongs to no file, so nothing was uploaded: a sidecar is called <file name>{SIDECAR}, with the"
            " whole name of the file that lies beside it."
        )


def _require_no_link(sidecar: Path, follow_links: bool) -> None:
    """A sidecar that is left out would open the document."""
    if sidecar.is_symlink() and not follow_links:
        raise InvalidUploadError(
            f"{sidecar} is a link to {sidecar.readlink()}, so nothing was uploaded: put the sidecar itself there, or "
            "give --follow-links if the link is meant."
        )


def _document(file: Path, key: str) -> DocumentKey:
    try:
        return document_key(key)
    except DocumentRejectedError as error:
        raise InvalidUploadError(f"{file} cannot be ingested: {error}") from error


def _sidecar(file: Path) -> Path | None:
    sidecar = file.with_name(f"{file.name}{SIDECAR}")
    return sidecar if _is_file(sidecar) else None
