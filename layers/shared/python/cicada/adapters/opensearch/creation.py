"""Creates, names and deletes indices.

Settings and mappings go into the body of a creation, aliases into a request of their own: Serverless documents
`POST _aliases`, but no aliases in the body.
"""

from __future__ import annotations

from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from cicada.adapters.opensearch.requests import Requests
from cicada.adapters.opensearch.schema import without_similarity
from cicada.adapters.opensearch.targets import first_index


def create_first(client: OpenSearch, name: str, body: dict[str, Any]) -> None:
    """Create the first index of a name. May be repeated, and done by several processes at the same time."""
    index = first_index(name)
    create(client, index, body)
    add_alias(client, index, name)


def create(client: OpenSearch, index: str, body: dict[str, Any]) -> None:
    """Create the index; if another process was first, that is no failure.

    If the server refuses, one more request omits the similarity, which not every server accepts.
    """
    try:
        client.indices.create(index=index, body=body)
    except RequestError as error:
        if error.error != "resource_already_exists_exception":
            client.indices.create(index=index, body=without_similarity(body))


def add_alias(client: OpenSearch, index: str, alias: str) -> None:
    client.indices.update_aliases(body={"actions": [{"add": {"index": index, "alias": alias}}]})


def drop(requests: Requests, index: str) -> None:
    """Delete the index with its aliases; if another process was first, that is no failure."""

    def request() -> None:
        try:
            requests.client.indices.delete(index=index)
        except NotFoundError:
            return

    requests.call(request)
