"""Wires ingest."""

from __future__ import annotations

import time
import uuid
from functools import cache
from pathlib import Path
from typing import Any

from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.adapters.dynamodb.reader_table import DynamoReaderTable
from cicada.adapters.retry import Retry
from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.adapters.s3.ground_truth import S3GroundTruth
from cicada.adapters.s3.kept_vectors import S3KeptVectors
from cicada.adapters.s3.rebuild_log import S3RebuildLog
from cicada.adapters.sqs.redelivery import SqsRedelivery
from cicada.bootstrap.aws import client, database
from cicada.bootstrap.parsers import bases, isolated_parsers
from cicada.bootstrap.search import index_rebuild, passage_index
from cicada.ingest.catalogue_event import compared_at_once
from cicada.ingest.ingest import Ingester
from cicada.ingest.ports import CardWriter, ContextWriter
from cicada.ingest.rebuild import Rebuilder
from cicada.retrieval.batching import BatchingEmbedder
from cicada.retrieval.ports import DocumentCatalogue
from cicada.settings import IngestSettings, SearchSettings, load

# Of 120 seconds at most each, within the function's 900.
ATTEMPTS = 6
# Titan takes one text a call, in about a tenth of a second: 16 calls at once are above most accounts' quotas.
FLIGHTS, CALLS_OF_A_FLIGHT = 2, 8


@cache
def ingester(episode_configuration: Path) -> Ingester:
    """Cached for the life of the container: it holds clients and settings, no data of a file."""
    settings = load(IngestSettings)
    s3 = client("s3")
    return Ingester(
        store=S3DocumentStore(s3, settings.documents_bucket),
        truth=S3GroundTruth(s3, settings.documents_bucket),
        index=passage_index(settings.search),
        embedder=bulk_embedder(settings.search),
        parsers=isolated_parsers(episode_configuration),
        contexts=_context_writer(settings.context_model_id),
        cards=_card_writer(settings.card_model_id),
        restricted=lambda name: bases().of(name).restricted,
        kept=S3KeptVectors(s3, settings.documents_bucket),
        readers=DynamoReaderTable(database(), settings.readers_table),
    )


def bulk_embedder(settings: SearchSettings) -> BatchingEmbedder:
    """Embeds passages, of several files at the same time. The client retries, at the rate that the service accepts."""
    # No user waits for a batch of passages, so the timeout is long: a slow machine's local encoder takes a minute.
    bedrock = client(
        "bedrock-runtime", read_timeout_seconds=120, attempts=ATTEMPTS, bulk_calls=FLIGHTS * CALLS_OF_A_FLIGHT
    )
    model = (settings.embedding_model_id, settings.embedding_dimension)
    once = Retry(attempts=1)
    return BatchingEmbedder(BedrockEmbedder(bedrock, *model, once, concurrency=CALLS_OF_A_FLIGHT), flights=FLIGHTS)


@cache
def catalogue() -> DocumentCatalogue:
    """The catalogue of documents in the live index."""
    return passage_index(load(IngestSettings).search)


def compared() -> dict[str, Any]:
    """Which knowledge bases the live index lacks."""
    settings = load(IngestSettings)
    readers = DynamoReaderTable(database(), settings.readers_table)
    return compared_at_once(S3GroundTruth(client("s3"), settings.documents_bucket), catalogue(), readers)


@cache
def rebuilder() -> Rebuilder:
    """Rebuilds the index that the ingester writes."""
    settings = load(IngestSettings)
    s3 = client("s3")
    return Rebuilder(
        truth=S3GroundTruth(s3, settings.documents_bucket),
        indexes=index_rebuild(settings.search),
        log=S3RebuildLog(s3, settings.documents_bucket),
        model_id=settings.search.embedding_model_id,
        dimension=settings.search.embedding_dimension,
        clock=time.time,
        new_run=lambda: uuid.uuid4().hex,
        # OpenSearch makes each write visible with a delay, so writes run in parallel; SQLite has one writer at a time.
        threads=2 if settings.search.search_engine == "embedded" else 8,
        readers=DynamoReaderTable(database(), settings.readers_table),
    )


@cache
def redelivery() -> SqsRedelivery:
    """Redelivers notifications whose ingest failed."""
    return SqsRedelivery(client("sqs"))


def _context_writer(model_id: str) -> ContextWriter | None:
    if not model_id:
        return None
    from cicada.adapters.bedrock.context_writer import BedrockContextWriter

    # The adapter retries by itself.
    return BedrockContextWriter(client("bedrock-runtime", read_timeout_seconds=30, attempts=1), model_id)


def _card_writer(model_id: str) -> CardWriter | None:
    if not model_id:
        return None
    from cicada.adapters.bedrock.card_writer import BedrockCardWriter

    # The adapter retries by itself.
    return BedrockCardWriter(client("bedrock-runtime", read_timeout_seconds=30, attempts=1), model_id)
