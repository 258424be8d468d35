"""The index of a function: its engine, and how long its server may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from cicada.errors import ConfigurationError
from cicada.observability.telemetry import report_progress
from cicada.retrieval.ports import CataloguedIndex, IndexRebuild
from cicada.settings import SearchSettings

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

    from cicada.adapters.opensearch.schema import IndexOptions


def passage_index(settings: SearchSettings, wait_seconds: float | None = None) -> CataloguedIndex:
    """Imports only the engine in use: the other one's client would slow cold starts.

    `wait_seconds`: how long one request to a server may take, with its retries; None for as long as an answer can wait.
    Raises `ConfigurationError` for an unknown engine.
    """
    if settings.search_engine == "embedded":
        from cicada_embedded.passage_index import SqlitePassageIndex

        return SqlitePassageIndex(settings.index_path, settings.embedding_model_id, settings.embedding_dimension)
    if settings.search_engine == "opensearch":
        from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex

        return OpenSearchPassageIndex(*_opensearch(settings, wait_seconds), on_wait=_tell_of_the_wait)
    raise _unknown_engine(settings)


def index_rebuild(settings: SearchSettings) -> IndexRebuild:
    """Builds a new index beside that of `passage_index`."""
    if settings.search_engine == "embedded":
        from cicada_embedded.index_rebuild import SqliteIndexRebuild

        return SqliteIndexRebuild(settings.index_path, settings.embedding_model_id, settings.embedding_dimension)
    if settings.search_engine == "opensearch":
        from cicada.adapters.opensearch.index_rebuild import OpenSearchIndexRebuild

        return OpenSearchIndexRebuild(*_opensearch(settings))
    raise _unknown_engine(settings)


def _opensearch(settings: SearchSettings, wait_seconds: float | None = None) -> tuple[OpenSearch, IndexOptions]:
    """The server and the options of the live index."""
    from cicada.adapters.opensearch.client import connect
    from cicada.adapters.opensearch.schema import IndexOptions

    options = IndexOptions(
        settings.embedding_model_id,
        settings.embedding_dimension,
        settings.opensearch_vector_engine,
        settings.opensearch_vector_compression,
    )
    server = settings.opensearch_url, settings.opensearch_region or None
    if wait_seconds is None:
        return connect(*server), options
    return connect(*server, wait_seconds), replace(options, retry=replace(options.retry, within_seconds=wait_seconds))


def _tell_of_the_wait() -> None:
    report_progress("searching", "the search service is starting")


def _unknown_engine(settings: SearchSettings) -> ConfigurationError:
    name = settings.search_engine
    return ConfigurationError(f"CICADA_SEARCH_ENGINE is {name!r}; it must be embedded or opensearch.")
