"""Builds a new OpenSearch index beside the live one and switches the alias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError

from cicada.adapters.opensearch.creation import create
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.requests import Requests
from cicada.adapters.opensearch.targets import Indices, building_alias, indices_of, new_index
from cicada.adapters.retry import Retry
from cicada.errors import UnavailableError


class OpenSearchIndexRebuild:
    """`options` are the live index's. On Serverless the role must be allowed to create and delete indices and aliases.

    Each write to the new index waits until it is visible, so documents are copied in parallel.
    """

    def __init__(self, client: OpenSearch, options: IndexOptions) -> None:
        self._client = client
        self._options = options
        self._name = options.name
        self._requests = Requests(client, options.retry)
        self._given: str | None = None

    def begin(self) -> OpenSearchPassageIndex:
        indices = self._indices()
        for index in (indices.building, *indices.unused):
            self._drop(index)
        building = new_index(self._name, self._options.clock())
        body = {**self._options.body(), "aliases": {building_alias(self._name): {}}}
        self._requests.call(lambda: create(self._client, building, body))
        return self._index_of(building)

    def building(self) -> OpenSearchPassageIndex | None:
        building = self._indices().building
        return self._index_of(building) if building else None

    def switch(self) -> None:
        """May be called again after a failure. Raises `UnavailableError` if another rebuild has begun since."""
        indices = self._indices()
        if self._given is None or self._given not in (indices.building, indices.live):
            raise UnavailableError("The new index is not being built any more; begin again.")
        if self._given == indices.building:
            # Not retried: if the response was lost, the same request would be refused.
            Requests(self._client, Retry(attempts=1)).call(lambda: self._switch(indices.building, indices.live))
        self._given = None
        for index in self._indices().unused:
            self._drop(index)

    def abandon(self) -> None:
        given, self._given = self._given, None
        if given and self._indices().building == given:
            self._drop(given)

    def _switch(self, new: str | None, old: str | None) -> None:
        """Switch the alias atomically. An index that has the alias's name is deleted in the same step."""
        actions: list[Mapping[str, Any]] = [{"remove": {"index": new, "alias": building_alias(self._name)}}]
        if old == self._name:
            actions.append({"remove_index": {"index": old}})
        elif old:
            actions.append({"remove": {"index": old, "alias": self._name}})
        actions.append({"add": {"index": new, "alias": self._name}})
        self._client.indices.update_aliases(body={"actions": actions})

    def _index_of(self, building: str) -> OpenSearchPassageIndex:
        self._given = building
        return OpenSearchPassageIndex(self._client, self._options, building=building)

    def _indices(self) -> Indices:
        return indices_of(self._requests, self._name)

    def _drop(self, index: str | None) -> None:
        def request() -> None:
            try:
                self._client.indices.delete(index=index)
            except NotFoundError:  # Another process was first.
                return

        if index:
            self._requests.call(request)
