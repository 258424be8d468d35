"""The states of documents, read from the bucket with the operator's credentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.errors import CommandError

if TYPE_CHECKING:
    from cicada.adapters.s3.document_files import S3DocumentFiles
    from cli.deployment_target import DeploymentTarget

# Those of `cicada.documents.states`, which is slow to import.
STATES = ("searchable", "waiting", "ingesting", "rejected", "leaving")


@contextmanager
def document_files(target: DeploymentTarget) -> Iterator[S3DocumentFiles]:
    """What the bucket has of documents. Failures of S3 are raised as `CommandError`."""
    from cicada.adapters.s3.document_files import S3DocumentFiles
    from cicada.errors import CicadaError

    try:
        yield S3DocumentFiles(target.client("s3"), target.output("DocumentsBucket"))
    except CicadaError as error:
        raise CommandError(str(error)) from error
