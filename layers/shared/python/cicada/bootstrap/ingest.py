"""Wires ingest."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cicada.adapters.s3_document_store import S3DocumentStore
from cicada.bootstrap.aws import client
from cicada.bootstrap.search import embedder, passage_index
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ingest import Ingester
from cicada.ingest.script_parser import ScriptParser
from cicada.settings import IngestSettings, load


@cache
def ingester(episode_configuration: Path) -> Ingester:
    """Kept for the life of the container: it holds clients and settings, nothing of a file."""
    settings = load(IngestSettings)
    episodes = parse_episodes(episode_configuration.read_text("utf-8"))
    return Ingester(
        store=S3DocumentStore(client("s3"), settings.documents_bucket),
        index=passage_index(settings.search),
        embedder=embedder(settings.search),
        parsers={".json": ScriptParser(episodes)},
    )
