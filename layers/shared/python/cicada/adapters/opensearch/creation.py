"""Creates an index."""

from __future__ import annotations

from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from cicada.adapters.opensearch.schema import without_similarity


def create(client: OpenSearch, name: str, body: dict[str, Any]) -> None:
    """Create the index; if another process was first, that is no failure.

    If the server refuses, one more request omits the similarity, which not every server accepts.
    """
    try:
        client.indices.create(index=name, body=body)
    except RequestError as error:
        if error.error != "resource_already_exists_exception":
            client.indices.create(index=name, body=without_similarity(body))
