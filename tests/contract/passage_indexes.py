"""The indexes under test: each opens any number of `PassageIndex`es on the same stored passages."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from opensearchpy import OpenSearch

from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.index_rebuild import OpenSearchIndexRebuild
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.retrieval.ports import CataloguedIndex, IndexRebuild
from cicada_embedded.index_rebuild import SqliteIndexRebuild
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.fakes.serverless import EVERY_PERMISSION, Collected, ServerlessConnection
from tests.patience import PATIENCE_SECONDS

MODEL, DIMENSION = "embedder-1", 8
_NOWHERE = DocumentKey(KnowledgeBaseKey("nobody", "nothing"), "none")


class IndexUnderTest(Protocol):
    def open(self, model_id: str = MODEL, dimension: int = DIMENSION) -> CataloguedIndex: ...

    def rebuild(self) -> IndexRebuild: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class SqliteUnderTest:
    path: Path

    def open(self, model_id: str = MODEL, dimension: int = DIMENSION) -> CataloguedIndex:
        return SqlitePassageIndex(self.path, model_id, dimension)

    def rebuild(self) -> SqliteIndexRebuild:
        return SqliteIndexRebuild(self.path, MODEL, DIMENSION)

    def close(self) -> None:
        """The index has nothing open between its calls."""


class OpenSearchUnderTest:
    """An index of its own on the server, deleted at the end. `engine`: of vectors, empty for what the server supports.

    It is named here because a server from Maven Central ends when it is asked for Faiss.
    """

    engine = "lucene"

    def __init__(self, url: str, client: OpenSearch | None = None) -> None:
        """`client`: what the indexes under test ask; the test itself asks the server at `url`."""
        self.client = connect(url, None)
        self.asked = client or self.client
        self.name = f"contract-{uuid.uuid4().hex}"

    def open(self, model_id: str = MODEL, dimension: int = DIMENSION) -> OpenSearchPassageIndex:
        is_new = not self.client.indices.exists(index=self.name)
        index = self.unprepared(model_id, dimension)
        if is_new:
            index.delete(_NOWHERE)
            # A shorter refresh interval, not a refresh on demand: the index still has to wait until its writes are
            # visible.
            self.client.indices.put_settings(index=self.name, body={"index": {"refresh_interval": "100ms"}})
        return index

    def unprepared(self, model_id: str = MODEL, dimension: int = DIMENSION) -> OpenSearchPassageIndex:
        """An index with the server's own refresh interval. It is created at first use."""
        return OpenSearchPassageIndex(self.asked, IndexOptions(model_id, dimension, self.engine, given_name=self.name))

    def rebuild(self) -> OpenSearchIndexRebuild:
        return OpenSearchIndexRebuild(self.asked, IndexOptions(MODEL, DIMENSION, self.engine, given_name=self.name))

    def indices(self) -> dict[str, set[str]]:
        """All indices of the name, with their aliases."""
        found = self.client.indices.get_alias(index=f"{self.name}*")
        return {index: set(each["aliases"]) for index, each in found.items()}

    def close(self) -> None:
        for index in self.indices():
            self.client.indices.delete(index=index)
        self.asked.close()
        self.client.close()


class ServerlessUnderTest(OpenSearchUnderTest):
    """The same behind what plays Serverless, for a role with these permissions. `late`: see `Collected`."""

    engine = ""

    def __init__(self, url: str, granted: Collection[str] = EVERY_PERMISSION, late: int = 0) -> None:
        self.collected = Collected(granted, late)
        client = OpenSearch(hosts=[url], connection_class=ServerlessConnection, collected=self.collected, max_retries=0)
        super().__init__(url, client)


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds eventually; an index may show writes with a delay."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
