"""Filters hits of stale generations out of search results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cicada.adapters.opensearch.generations import Generations, answering, next_number
from cicada.errors import UnavailableError

# Searches before giving up. One is usually enough; an index switch or two replacements between requests take more.
_MAX_SEARCHES = 4
# The life of a notification: five deliveries, at most 90 minutes apart. Within it, a died ingest is repeated; until
# then an earlier version is searched.
_UNSETTLED_SECONDS = 8 * 3600

Hits = list[Mapping[str, Any]]
Found = dict[str, set[int]]
Doubts = dict[str, tuple[set[int], int]]
"""The generations of a document that were found, and the one that answers."""


def without_stale(
    search: Callable[[], Sequence[Hits]],
    generations_of: Callable[[set[str]], Mapping[str, Generations]],
    now: float,
) -> list[Hits]:
    """The lists of hits of `search`, with only the current generation of each document.

    A second request is made only if a document was found in several generations, or in one so young that its ingest
    may still be running. If that request finds none of the generations of one of the lists, the index has changed in
    between, and the search is repeated: a server may answer the lists of one search from two indices. `now`: epoch
    seconds.

    If a list has a document, but not in the generation that answers, either that one does not match the search, or it
    is in an index that was switched to in between. The next search tells: it finds the same only in the first case.
    """
    young = next_number((), now - _UNSETTLED_SECONDS)
    doubts: list[Doubts] = []
    for _ in range(_MAX_SEARCHES):
        lists = search()
        found = [_found(hits) for hits in lists]
        unsettled = _unsettled(_found([hit for hits in lists for hit in hits]), young)
        current = generations_of(unsettled) if unsettled else {}
        wanted = {document_id: _answering(current.get(document_id, ())) for document_id in unsettled}
        before, doubts = doubts, [_doubts(each, wanted) for each in found]
        is_known = all(_is_known(each, unsettled, current) for each in found)
        if is_known and (not any(doubts) or doubts == before):
            return [[hit for hit in hits if _answers(hit, wanted)] for hits in lists]
    raise UnavailableError("Documents change faster than they can be searched; try again.")


def _found(hits: Hits) -> Found:
    """The generations of each document."""
    found: Found = {}
    for document_id, generation in map(_place, hits):
        found.setdefault(document_id, set()).add(generation)
    return found


def _unsettled(found: Found, young: int) -> set[str]:
    """Documents found in several generations, or in one that is not older than `young`."""
    return {
        document_id for document_id, generations in found.items() if len(generations) > 1 or max(generations) >= young
    }


def _is_known(found: Found, unsettled: set[str], current: Mapping[str, Generations]) -> bool:
    """Whether of each document a generation that was found still exists, or the whole document is gone."""
    return all(
        not (generations := current.get(document_id, ())) or any(each.number in numbers for each in generations)
        for document_id, numbers in found.items()
        if document_id in unsettled
    )


def _answering(generations: Generations) -> int | None:
    generation = answering(generations)
    return generation.number if generation else None


def _doubts(found: Found, wanted: Mapping[str, int | None]) -> Doubts:
    return {
        document_id: (found[document_id], answer)
        for document_id, answer in wanted.items()
        if document_id in found and answer is not None and answer not in found[document_id]
    }


def _answers(hit: Mapping[str, Any], wanted: Mapping[str, int | None]) -> bool:
    document_id, generation = _place(hit)
    return document_id not in wanted or wanted[document_id] == generation


def _place(hit: Mapping[str, Any]) -> tuple[str, int]:
    return hit["_source"]["document_id"], int(hit["_source"]["generation"])
