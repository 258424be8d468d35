"""What can go wrong before a file is uploaded; `str(error)` is a sentence for the person who named the files."""

from __future__ import annotations

from cicada.errors import CicadaError


class InvalidUploadError(CicadaError):
    """The paths do not name documents that can be uploaded, so nothing was uploaded."""


class UnreadableFileError(CicadaError):
    """The operating system does not let the file be read."""
