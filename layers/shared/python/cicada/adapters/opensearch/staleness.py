"""Leaving out the rows of a document's generations that do not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cicada.adapters.opensearch.generations import Generations, answering
from cicada.errors import Unavailable

# Searches before giving up: one is enough, but for a switch of indices or two replacements between two requests.
_MAX_SEARCHES = 4

Hits = list[Mapping[str, Any]]
Found = dict[str, set[int]]


def without_stale(
    search: Callable[[], Sequence[Hits]], generations_of: Callable[[set[str]], Mapping[str, Generations]]
) -> list[Hits]:
    """The lists of hits that `search` gives, with one generation of each document.

    A second request is made only if a document was found in several generations, as while it is being replaced. When
    that one knows none of them, the index has changed in between, and everything is asked again.
    """
    for _ in range(_MAX_SEARCHES):
        lists = search()
        mixed = _mixed([hit for hits in lists for hit in hits])
        current = generations_of(set(mixed)) if mixed else {}
        wanted = {document_id: answering(current.get(document_id, ())) for document_id in mixed}
        if all(wanted[document_id] in (None, *found) for document_id, found in mixed.items()):
            return [[hit for hit in hits if _answers(hit, wanted)] for hits in lists]
    raise Unavailable("Documents change faster than they can be searched; try again.")


def _mixed(hits: Hits) -> Found:
    """Documents that were found in several generations."""
    found: Found = {}
    for hit in hits:
        document_id, generation = _place(hit)
        found.setdefault(document_id, set()).add(generation)
    return {document_id: generations for document_id, generations in found.items() if len(generations) > 1}


def _answers(hit: Mapping[str, Any], wanted: Mapping[str, int | None]) -> bool:
    document_id, generation = _place(hit)
    return document_id not in wanted or wanted[document_id] == generation


def _place(hit: Mapping[str, Any]) -> tuple[str, int]:
    return hit["_source"]["document_id"], int(hit["_source"]["generation"])
