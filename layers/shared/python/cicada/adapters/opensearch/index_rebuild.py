"""Builds a new OpenSearch index beside the live one and switches the alias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import TransportError

from cicada.adapters.aws_errors import Retry
from cicada.adapters.opensearch.client import Requests
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.adapters.opensearch.targets import (
    Indices,
    add_alias,
    building_alias,
    drop,
    indices_of,
    is_ours,
    make_index,
    new_index,
)
from cicada.errors import UnavailableError

# How a server refuses an action that it does not support or that the role lacks.
_REFUSALS = (400, 403, 404, 405)


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
        if indices.building:
            drop(self._requests, indices.building)
        self._drop_unused()
        building = new_index(self._name, self._options.clock())
        alias = building_alias(self._name)
        self._requests.call(lambda: make_index(self._client, building, alias, self._options.bodies()))
        self._requests.call(lambda: self._require_listed(building))
        return self._index_of(building)

    def building(self) -> OpenSearchPassageIndex | None:
        building = self._indices().building
        return self._index_of(building) if building else None

    def switch(self) -> None:
        """Switch to the new index, perhaps again. Raises `UnavailableError` if another rebuild has begun since."""
        indices = self._indices()
        if self._given is None or self._given not in (indices.building, indices.live):
            raise UnavailableError("The new index is not being built any more; begin again.")
        if self._given == indices.building:
            # Not retried: if the response was lost, the same request would be refused.
            once = Requests(self._client, Retry(attempts=1))
            once.call(lambda: self._switch(once, indices.building, indices.live))
        self._given = None
        self._drop_unused()

    def abandon(self) -> None:
        given, self._given = self._given, None
        if given and self._indices().building == given:
            drop(self._requests, given)

    def _switch(self, requests: Requests, new: str | None, old: str | None) -> None:
        """Switch the alias atomically, or, where the server refuses that, in two steps.

        Between the two, a search sees a document in both indices, as it does while a document is replaced.
        Serverless documents `POST _aliases` for the creation of aliases, and says nothing about its other actions.
        """
        if old == self._name:
            # Somebody's own index has the alias's name. Until the alias is there, searches are tried again.
            drop(requests, old)
            old = None
        actions: list[Mapping[str, Any]] = [
            {"remove": {"index": new, "alias": building_alias(self._name)}},
            {"add": {"index": new, "alias": self._name}},
        ]
        if old:
            actions.append({"remove": {"index": old, "alias": self._name}})
        try:
            self._client.indices.update_aliases(body={"actions": actions})
        except TransportError as error:
            if error.status_code not in _REFUSALS:
                raise
            add_alias(self._client, str(new), self._name)
            if old:
                drop(requests, old)
            self._client.indices.delete_alias(index=new, name=building_alias(self._name))

    def _index_of(self, building: str) -> OpenSearchPassageIndex:
        self._given = building
        return OpenSearchPassageIndex(self._client, self._options, building=building)

    def _indices(self) -> Indices:
        return indices_of(self._requests, self._name)

    def _require_listed(self, building: str) -> None:
        """Writes ask the list of aliases, where a new index may be missing for a while."""
        if self._indices().building != building:
            raise UnavailableError("The new search index is not listed yet; try again.")

    def _drop_unused(self) -> None:
        """Delete what earlier rebuilds and switches have left."""
        rows = self._requests.call(lambda: self._client.cat.indices(params={"format": "json"}))
        indices = self._indices()
        for index in (row["index"] for row in rows):
            if is_ours(index, self._name) and index not in (indices.live, indices.building):
                drop(self._requests, index)
