"""Wires what users do with documents: opening, listing and, for editors, changing them."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.answering.base_list import BaseList
from cicada.answering.list_documents import DocumentLister
from cicada.answering.open_document import DocumentOpener
from cicada.answering.ports import Originals
from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.aws import client, database
from cicada.bootstrap.bases import base_record, knowledge_bases
from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.index import passage_index
from cicada.conversation.limits import DOCUMENTS
from cicada.conversation.withholding import Withholding
from cicada.errors import NoEditorError
from cicada.identity import Principal
from cicada.permissions import PermissionGate
from cicada.retrieval.ports import CataloguedIndex
from cicada.settings import CommandGuardSettings, OpeningSettings, load

if TYPE_CHECKING:
    from cicada.answering.edit_documents import DocumentEditing
    from cicada.answering.list_more import ListingPager

# API Gateway waits 29 s. A collection that wakes up for longer is asked again by the user.
_INDEX_SECONDS = 20


@cache
def document_opener() -> DocumentOpener:
    """Cached for the life of the container."""
    originals = _originals(load(OpeningSettings).originals_bucket)
    return DocumentOpener(_index(), _withholding(), record_audit, time.time, originals)


@cache
def document_lister() -> DocumentLister:
    """Cached for the life of the container."""
    lister = DocumentLister(_index(), _withholding(), record_audit, time.time, charge=_charge)
    if not load(OpeningSettings).editors:
        return lister
    from cicada.ingest.uploads import READABLE

    return replace(lister, editing=document_editing(), suffixes=READABLE)


@cache
def listing_pager() -> ListingPager:
    """Cached for the life of the container."""
    # Imported here: what reads documents has no use for plans.
    from cicada.answering.list_more import ListingPager

    log = DynamoRequestLog(database(), load(CommandGuardSettings).requests_table, time.time)
    return ListingPager(log, _index(), _gate(), knowledge_bases, record_audit, time.time, _charge)


def _charge(principal: Principal) -> None:
    command_guard().limits.spend(principal, DOCUMENTS)


@cache
def document_editing() -> DocumentEditing:
    """Cached for the life of the container. Raises `NoEditorError` on a stage where nobody may change documents."""
    settings = load(OpeningSettings)
    if not settings.editors:
        raise NoEditorError("Documents cannot be changed here: those who run the service upload and remove them.")
    # Imported here: without editors the function has no use for S3 and for what reads sidecars.
    from cicada.adapters.s3.document_files import S3DocumentFiles
    from cicada.adapters.s3.keys import named_document
    from cicada.answering.edit_documents import DocumentEditing

    s3 = client("s3", signature="s3v4")
    files = S3DocumentFiles(s3, settings.uploads_bucket, settings.uploads_url)
    return DocumentEditing(files, _withholding(), settings.editors, named_document, record_audit, time.time)


@cache
def _withholding() -> Withholding:
    return Withholding(_gate(), knowledge_bases)


def _gate() -> PermissionGate:
    return PermissionGate(DynamoAccessListTable(database(), load(OpeningSettings).readers_table))


def _index() -> CataloguedIndex:
    return passage_index(load(OpeningSettings).search, _INDEX_SECONDS)


@cache
def base_list() -> BaseList:
    """Cached for the life of the container."""
    spend, names = command_guard().limits.spend, base_record().names
    return BaseList(_index(), _gate(), spend, knowledge_bases, names, record_audit, time.time)


def _originals(bucket: str) -> Originals | None:
    if not bucket:
        return None
    # Imported here: without originals the function has no use for S3.
    from cicada.adapters.s3.originals import S3Originals

    return S3Originals(client("s3", signature="s3v4"), bucket)
