"""The states of documents, read from the bucket with the operator's credentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cli.aws_failures import aws_calls
from cli.errors import library_errors

if TYPE_CHECKING:
    from cicada.adapters.s3.document_files import S3DocumentFiles
    from cicada.documents.model import DocumentKey, KnowledgeBaseKey
    from cli.deployment_target import DeploymentTarget

# Those of `cicada.documents.states`, which is slow to import.
STATES = ("searchable", "waiting", "ingesting", "rejected", "leaving")
# How long the embedding of one part of a file may take; each is reported.
_PART_MINUTES = 15


@contextmanager
def document_files(target: DeploymentTarget) -> Iterator[S3DocumentFiles]:
    """What the bucket has of documents. Failures of S3 are raised as `CommandError`."""
    from cicada.adapters.s3.document_files import S3DocumentFiles

    with library_errors():
        yield S3DocumentFiles(target.client("s3"), target.output("DocumentsBucket"))


def under_way(target: DeploymentTarget, base_key: KnowledgeBaseKey) -> dict[str, str]:
    """How far each large document is that is being embedded, by id."""
    from cicada.documents.states import progress

    since = datetime.now(UTC) - timedelta(minutes=_PART_MINUTES)
    found = {}
    with document_files(target) as files:
        for key, reported_at in files.changed(f"reports/{base_key.tenant}/{base_key.knowledge_base}/").items():
            report = files.report(key)[0] if reported_at >= since else {}
            if report.get("outcome") == "under_way":
                found[report["documentId"]] = progress(report)
    return found


def versions_kept(target: DeploymentTarget, document: DocumentKey) -> int:
    """How many versions of the document's file the bucket keeps."""
    from cicada.adapters.s3.keys import object_key

    key = object_key(document)
    pages = target.client("s3").get_paginator("list_object_versions")
    with aws_calls():
        found = pages.paginate(Bucket=target.output("DocumentsBucket"), Prefix=key)
        return sum(each["Key"] == key for page in found for each in page.get("Versions", []))
