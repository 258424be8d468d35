"""S3's event notifications in queue messages.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote_plus

from msgspec import Struct

from cicada.adapters.s3.keys import document_key, is_sidecar
from cicada.adapters.xray import carried_header
from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError
from cicada.observability.log import failure_fields, logger


class Announcement(Struct, frozen=True):
    """`documents` that were created or removed: True if the file itself was, False if only its sidecar.

    `misplaced`: keys of objects that are no documents, with the reason. `purged`: the documents of which nothing was
    announced but that versions were deleted for good.
    """

    documents: Mapping[DocumentKey, bool]
    misplaced: Mapping[str, str]
    purged: frozenset[DocumentKey] = frozenset()


def document_named(key: str) -> DocumentKey:
    """The document of an object's key. Raises `DocumentRejectedError` for a key that is no document's."""
    return document_key(key)


def announcement(body: str) -> Announcement:
    """Parse a message. Raises `DocumentRejectedError` for a body that is no notification."""
    documents: dict[DocumentKey, bool] = {}
    misplaced: dict[str, str] = {}
    purged: dict[DocumentKey, bool] = {}
    for key, is_purge in _announced(body).items():
        try:
            document = document_key(key)
        except DocumentRejectedError as error:
            misplaced[key] = str(error)
        else:
            documents[document] = documents.get(document, False) or not is_sidecar(key)
            purged[document] = purged.get(document, True) and is_purge
    return Announcement(documents, misplaced, frozenset(each for each in purged if purged[each]))


class Announced(Struct, frozen=True):
    """`is_file`: the file changed, not only its sidecar. `again`: an earlier delivery of the message failed.

    `trace_header`: of the upload's trace, empty if the upload was not traced. `is_purged`: only versions were deleted,
    for good.
    """

    is_file: bool
    again: bool
    trace_header: str = ""
    is_purged: bool = False


def announced_together(records: Iterable[Mapping[str, Any]]) -> dict[DocumentKey, Announced]:
    """The documents of all records of an SQS event, each once; invalid records are ignored."""
    documents: dict[DocumentKey, Announced] = {}
    for record in records:
        again = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1)) > 1
        try:
            found = announcement(record["body"])
        except DocumentRejectedError:
            continue
        for document, is_file in found.documents.items():
            others = documents.get(document, Announced(False, False, is_purged=True))
            header = others.trace_header or carried_header(record)
            is_purged = others.is_purged and document in found.purged
            documents[document] = Announced(is_file or others.is_file, again or others.again, header, is_purged)
    return documents


def failed_records(event: Mapping[str, Any], handle: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run `handle` on each record and report the failed records, so that only they are delivered again."""
    failures = []
    for record in event["Records"]:
        try:
            handle(record)
        except Exception as error:  # noqa: BLE001 - Lambda would log the text of the exception
            logger.error("A record failed", extra=failure_fields(error) | {"messageId": record["messageId"]})
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}


def _announced(body: str) -> dict[str, bool]:
    """The keys, and whether nothing was announced of each but that versions were deleted for good."""
    try:
        message = json.loads(body)
        if message.get("Event") == "s3:TestEvent":
            return {}
        found: dict[str, bool] = {}
        for record in message["Records"]:
            key = unquote_plus(record["s3"]["object"]["key"], errors="strict")
            found[key] = found.get(key, True) and _is_purge(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DocumentRejectedError("The queue message is no notification of S3.") from error
    return found


def _is_purge(record: Mapping[str, Any]) -> bool:
    """A removal in a bucket that keeps versions only adds a delete marker, which is another event."""
    version = record["s3"]["object"].get("versionId")
    return record.get("eventName") == "ObjectRemoved:Delete" and version not in (None, "", "null")
