"""Which index is read and written, while another one is built beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from cicada.adapters.opensearch.client import IndexMissing, Requests
from cicada.adapters.opensearch.schema import Generations, answering, next_number
from cicada.errors import UnavailableError

# The indices behind a name: the live one, and one that is being built.
#
# `<name>` is an alias of the live index, never an index. The first index is `<name>-0000000000000000`, created at first
# use; a rebuild creates `<name>-<microseconds of the epoch>` under the alias `<name>-building`.

# The rounds of a write, by the seconds that each waits for an index that is listed and was not found. Serverless may
# take half a minute to find a new index. Each rebuild meanwhile takes one more round.
_PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)


class Target(Struct, frozen=True):
    """An index to write to."""

    index: str
    is_building: bool


class Indices(Struct, frozen=True):
    """The newest indices that have an alias of the name: `live` (None before the first use) and `building`."""

    live: str | None
    building: str | None

    @property
    def targets(self) -> tuple[Target, ...]:
        return (
            *([Target(self.live, False)] if self.live else []),
            *([Target(self.building, True)] if self.building else []),
        )


def building_alias(name: str) -> str:
    return f"{name}-building"


def new_index(name: str, now: float) -> str:
    """`now`: epoch seconds. Names in order of time are in alphabetical order."""
    return f"{name}-{int(now * 1_000_000):016d}"


def first_index(name: str) -> str:
    """The first index's name, the same for everybody, so that several processes may create it at the same time."""
    return new_index(name, 0)


def is_ours(index: str, name: str) -> bool:
    """Whether `new_index` made this name."""
    return re.fullmatch(rf"{re.escape(name)}-\d{{16,}}", index) is not None


def indices_of(requests: Requests, name: str) -> Indices:
    """One request: Serverless documents `GET _alias` for all indices, but no look-up of aliases by a pattern."""
    found = requests.call(requests.client.indices.get_alias)
    return _indices({index: set(each["aliases"]) for index, each in found.items()}, name)


def _indices(aliases: Mapping[str, set[str]], name: str) -> Indices:
    """A switch that is not atomic has two live indices for a moment, and may leave the live one the other alias."""
    live = {index for index, names in aliases.items() if name in names or index == name}
    building = {index for index, names in aliases.items() if building_alias(name) in names} - live
    return Indices(max(live, default=None), max(building, default=None))


def write_to_all(
    look: Callable[[], tuple[Target, ...]],
    write: Callable[[Target], None],
    left: Callable[[Target], None],
    sleep: Callable[[float], None],
) -> None:
    """Write to every target and repeat until the targets no longer change, so that a switch loses no write.

    `left` is called with a target that was switched, dropped or not found while it was written to.
    """
    written: set[str] = set()
    missing: set[str] = set()
    for pause in _PAUSES:
        remaining = [target for target in look() if target.index not in written]
        if not remaining:
            return
        if missing.intersection(target.index for target in remaining):
            sleep(pause)
        for target in remaining:
            try:
                write(target)
            except IndexMissing:
                left(target)  # The next round tells where to write instead.
                missing.add(target.index)
                continue
            written.add(target.index)
    if all(target.index in written for target in look()):
        return
    raise UnavailableError("The search index was not found, or switched again and again, during a write; try again.")


# Creates, names and deletes indices.
#
# Settings and mappings go into the body of a creation, aliases into a request of their own: Serverless documents
# `POST _aliases`, but no aliases in the body.


def make_index(client: OpenSearch, index: str, alias: str, bodies: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Create an index with its alias; the mapping of what the alias leads to. May be repeated.

    `bodies`: its settings and mapping, each one for a server that refuses the form of those before.

    It is no failure if another process is first: several may do so at the same time. Raises `UnavailableError` as long
    as the index is not found: Serverless answers a creation before it finds the index, at times half a minute before.
    """
    try:
        _create(client, index, bodies)
        add_alias(client, index, alias)
        found: Mapping[str, Any] = client.indices.get_mapping(index=alias)
    except NotFoundError as error:
        raise UnavailableError("The search index has just been made and is not found yet; try again.") from error
    return found


def _create(client: OpenSearch, index: str, bodies: Sequence[Mapping[str, Any]]) -> None:
    for number, body in enumerate(bodies, start=1):
        try:
            client.indices.create(index=index, body=body)
        except RequestError as error:
            if error.error == "resource_already_exists_exception":
                return
            if number == len(bodies):
                raise
        else:
            return


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
    search: Callable[[], Sequence[Hits]], generations_of: Callable[[set[str]], Mapping[str, Generations]], now: float
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
