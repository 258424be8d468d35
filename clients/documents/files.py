"""The files that paths name, and the documents that they become."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cicada.adapters.s3.keys import document_key, is_sidecar
from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError
from clients.documents.errors import InvalidUploadError

SIDECAR = ".metadata.json"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, the document that it becomes, and the sidecar beside it, if there is one."""

    path: Path
    document: DocumentKey
    sidecar: Path | None


def uploads_of(paths: Sequence[Path], tenant: str, knowledge_base: str) -> list[Upload]:
    """All named files, and all files below named folders except hidden ones.

    The id of a file in a folder is its path below that folder. Raises `InvalidUploadError` for a path that does not
    exist, a folder that cannot be read, a link to nothing, a name that is not allowed, two files with one id, and a
    sidecar without its file.
    """
    found: dict[DocumentKey, Upload] = {}
    for path in paths:
        for file, name in _files(path):
            document = _document(file, f"documents/{tenant}/{knowledge_base}/{name}")
            other = found.setdefault(document, Upload(file, document, _sidecar(file)))
            if other.path != file:
                raise InvalidUploadError(f"{other.path} and {file} would both become {name}; ingest them one by one.")
    if not found:
        raise InvalidUploadError(f"There is no file to ingest in {', '.join(map(str, paths))}.")
    return list(found.values())


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    if path.is_dir():
        for file in sorted(_below(path)):
            if not _is_file(file):
                continue
            if is_sidecar(file.name):
                _require_its_file(file)
            else:
                yield file, file.relative_to(path).as_posix()
    elif not _is_file(path):
        raise InvalidUploadError(f"There is no file or folder {path}.")
    elif is_sidecar(path.name):
        raise InvalidUploadError(f"{path} only describes a file; name that file: {path.name.removesuffix(SIDECAR)}.")
    else:
        _require_its_file(path.with_name(f"{path.stem}{SIDECAR}"))
        yield path, path.name


def _below(folder: Path) -> Iterator[Path]:
    """All but hidden files and what is in hidden folders; linked folders are not entered.

    A folder that cannot be read is an error: what is in it would seem to be gone, and a sync would remove it.
    """

    def refuse(error: OSError) -> None:
        raise InvalidUploadError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


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


def _document(file: Path, key: str) -> DocumentKey:
    try:
        return document_key(key)
    except DocumentRejectedError as error:
        raise InvalidUploadError(f"{file} cannot be ingested: {error}") from error


def _sidecar(file: Path) -> Path | None:
    sidecar = file.with_name(f"{file.name}{SIDECAR}")
    return sidecar if _is_file(sidecar) else None
