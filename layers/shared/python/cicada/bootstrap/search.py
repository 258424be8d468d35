"""Wires the index and the embedder that the settings name."""

from __future__ import annotations

from cicada.adapters.bedrock_embedder import BedrockEmbedder
from cicada.bootstrap.aws import client
from cicada.errors import ConfigurationError
from cicada.retrieval.ports import Embedder, PassageIndex
from cicada.retrieval.search import Retriever
from cicada.settings import SearchSettings


def embedder(settings: SearchSettings) -> Embedder:
    # The embedder tries again by itself.
    bedrock = client("bedrock-runtime", attempts=1)
    return BedrockEmbedder(bedrock, settings.embedding_model_id, settings.embedding_dimension)


def passage_index(settings: SearchSettings) -> PassageIndex:
    """Only the engine in use is imported: the other one's client would cost cold starts their time."""
    if settings.search_engine == "embedded":
        from cicada.adapters.sqlite_passage_index import SqlitePassageIndex

        return SqlitePassageIndex(settings.index_path, settings.embedding_model_id, settings.embedding_dimension)
    if settings.search_engine == "opensearch":
        from cicada.adapters.opensearch_passage_index import OpenSearchPassageIndex, connect

        return OpenSearchPassageIndex(
            connect(settings.opensearch_url, settings.opensearch_region or None),
            settings.embedding_model_id,
            settings.embedding_dimension,
            settings.opensearch_vector_engine,
        )
    raise ConfigurationError(f"CICADA_SEARCH_ENGINE is {settings.search_engine!r}; it must be embedded or opensearch.")


def retriever(settings: SearchSettings) -> Retriever:
    return Retriever(passage_index(settings), embedder(settings), settings.search_pool, settings.search_limit)
