"""Wires the opening of documents."""

from __future__ import annotations

import time
from functools import cache

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.answering.base_list import BaseList
from cicada.answering.open_document import DocumentOpener
from cicada.answering.ports import Originals
from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.aws import client, database
from cicada.bootstrap.bases import base_record, knowledge_bases
from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.index import passage_index
from cicada.conversation.withholding import Withholding
from cicada.permissions import PermissionGate
from cicada.settings import OpeningSettings, load

# API Gateway waits 29 s. A collection that wakes up for longer is asked again by the user.
_INDEX_SECONDS = 20


@cache
def document_opener() -> DocumentOpener:
    """Cached for the life of the container."""
    settings = load(OpeningSettings)
    gate = PermissionGate(DynamoAccessListTable(database(), settings.readers_table))
    index = passage_index(settings.search, _INDEX_SECONDS)
    withholding = Withholding(gate, knowledge_bases)
    return DocumentOpener(index, withholding, record_audit, time.time, _originals(settings.originals_bucket))


@cache
def base_list() -> BaseList:
    """Cached for the life of the container."""
    settings = load(OpeningSettings)
    gate = PermissionGate(DynamoAccessListTable(database(), settings.readers_table))
    index = passage_index(settings.search, _INDEX_SECONDS)
    return BaseList(
        index, gate, command_guard().limits.spend, knowledge_bases, base_record().names, record_audit, time.time
    )


def _originals(bucket: str) -> Originals | None:
    if not bucket:
        return None
    # Imported here: without originals the function has no use for S3.
    from cicada.adapters.s3.originals import S3Originals

    return S3Originals(client("s3", signature="s3v4"), bucket)
