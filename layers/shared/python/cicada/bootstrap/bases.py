"""Wires the settings and the schemas of knowledge bases."""

from __future__ import annotations

import time
from functools import cache

from msgspec.structs import replace

from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.bootstrap.aws import database
from cicada.knowledge_bases.calibrations import embedder_name
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.observability.log import report_unused_calibrations
from cicada.settings import BaseSettings, load


@cache
def knowledge_bases() -> KnowledgeBases:
    """Cached for the life of the container; what the stack keeps is read again after a few seconds."""
    # Imported here: most commands of a connection need none.
    from cicada.knowledge_bases.file import load_knowledge_bases

    settings = load(BaseSettings)
    embedder = embedder_name(settings.embedding_model_id, settings.embedding_dimension)
    completed = CompletedBases(base_record(), time.monotonic, embedder=embedder, report=report_unused_calibrations)
    return replace(load_knowledge_bases(), completed=completed)


@cache
def bases_as_kept() -> KnowledgeBases:
    """The same bases with what the stack keeps at this moment, for an operator who has just changed it."""
    return replace(knowledge_bases(), completed=CompletedBases(base_record(), time.monotonic, seconds=0))


@cache
def base_record() -> DynamoBaseTable:
    """The record of settings and fields."""
    return DynamoBaseTable(database(), load(BaseSettings).readers_table)
