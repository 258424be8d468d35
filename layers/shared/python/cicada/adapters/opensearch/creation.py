"""Making an index."""

from __future__ import annotations

from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from cicada.adapters.opensearch.schema import without_similarity


def create(client: OpenSearch, name: str, body: dict[str, Any]) -> None:
    """Make the index; that another process was first is no failure.

    A server that refuses it is asked once more without the similarity, which not every one lets be chosen.
    """
    try:
        client.indices.create(index=name, body=body)
    except RequestError as error:
        if error.error != "resource_already_exists_exception":
            client.indices.create(index=name, body=without_similarity(body))
