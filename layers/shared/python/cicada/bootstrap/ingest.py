"""Ingest, with its parsers."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from cicada.adapters.aws_errors import Retry
from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.parser_process import ParserProcesses, serve
from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.adapters.s3.ground_truth import S3GroundTruth
from cicada.adapters.s3.kept_vectors import S3KeptVectors
from cicada.adapters.s3.rebuild_log import S3RebuildLog
from cicada.adapters.sqs import SqsRedelivery
from cicada.bootstrap.aws import client, database
from cicada.bootstrap.bases import base_record, knowledge_bases
from cicada.bootstrap.index import index_rebuild, passage_index
from cicada.ingest.catalogue_event import compared_at_once
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ingest import Ingester
from cicada.ingest.ports import CardWriter, ContextWriter, DocumentParser, TextRecognition
from cicada.ingest.prose.parser import prose_parsers
from cicada.ingest.rebuild import Rebuilder
from cicada.ingest.script import ScriptParser
from cicada.retrieval.batching import BatchingEmbedder
from cicada.retrieval.ports import DocumentCatalogue
from cicada.settings import IngestSettings, SearchSettings, inherited_environment, load

# Wires the parsers of uploaded files, and runs them in processes of their own.
#
# `python -m cicada.bootstrap.ingest EPISODES` is such a process; it imports no AWS SDK.


def document_parsers(episode_configuration: Path) -> Mapping[str, DocumentParser]:
    """The parsers by suffix of the file name, in lower case and with its dot."""
    episodes = parse_episodes(episode_configuration.read_text("utf-8"))
    return {".json": ScriptParser(episodes), **prose_parsers()}


def isolated_parsers(episode_configuration: Path) -> Mapping[str, DocumentParser]:
    """Parsers that run each file in a process that has its share of processor time and memory, and no credentials.

    Raises `ValueError` for an invalid episode configuration.
    """
    suffixes = document_parsers(episode_configuration)
    processes = ParserProcesses(["-m", __name__, str(episode_configuration)], inherited_environment())
    return {suffix: processes.parser(suffix) for suffix in suffixes}


if __name__ == "__main__":
    serve(document_parsers(Path(sys.argv[1])))


# Attempts of 120 seconds at most each, within the function's 900.
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
        bases=knowledge_bases(),
        fields=base_record(),
        kept=S3KeptVectors(s3, settings.documents_bucket),
        access_lists=DynamoAccessListTable(database(), settings.readers_table),
        recognition=_recognition(settings) if settings.ocr else None,
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
    """Which knowledge bases the live index lacks, how it keeps vectors, and what the functions run with.

    boto3 is Lambda's own and changes without a deployment; urllib3 comes with the layer, and Lambda's is not used.
    """
    settings = load(IngestSettings)
    access_lists = DynamoAccessListTable(database(), settings.readers_table)
    found = compared_at_once(S3GroundTruth(client("s3"), settings.documents_bucket), catalogue(), access_lists)
    return found | {"packages": {name: import_module(name).__version__ for name in ("boto3", "urllib3")}}


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
        access_lists=DynamoAccessListTable(database(), settings.readers_table),
    )


@cache
def redelivery() -> SqsRedelivery:
    """Redelivers notifications whose ingest failed."""
    return SqsRedelivery(client("sqs"))


def _recognition(settings: IngestSettings) -> TextRecognition:
    from cicada.adapters.textract import TextractTextRecognition

    # Of four files at once. The result of a long scan comes in hundreds of calls, at the rate that the service accepts.
    textract = client("textract", attempts=ATTEMPTS, bulk_calls=4)
    return TextractTextRecognition(textract, client("s3"), settings.documents_bucket)


def _context_writer(model_id: str) -> ContextWriter | None:
    if not model_id:
        return None
    from cicada.adapters.bedrock.context_writer import BedrockContextWriter

    # The adapter retries by itself.
    return BedrockContextWriter(client("bedrock-runtime", read_timeout_seconds=30, attempts=1), model_id)


def _card_writer(model_id: str) -> CardWriter | None:
    if not model_id:
        return None
    from cicada.adapters.bedrock.cards import BedrockCardWriter

    # The adapter retries by itself.
    return BedrockCardWriter(client("bedrock-runtime", read_timeout_seconds=30, attempts=1), model_id)
