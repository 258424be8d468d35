"""Decides which of several stored versions of a document is searched.

OpenSearch Serverless has no custom ids and no transactions. A document is replaced by adding the new version's rows
and then deleting the old ones, so both exist for a while. Each ingest writes a *generation*: a number that rises with
time (a version is a hash and has no order). Each row also stores its generation's row count, so every reader can see
whether a generation is complete; an ingest that died in the middle leaves an incomplete one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from cicada.errors import UnavailableError


class Generation(Struct, frozen=True):
    """`found` of `size` rows are visible; more than `size` if a bulk request was repeated after a timeout."""

    number: int
    found: int
    size: int

    @property
    def is_whole(self) -> bool:
        return self.found >= self.size


Generations = tuple[Generation, ...]


def answering(generations: Generations) -> Generation | None:
    """The generation to search: the oldest complete one, until its rows are deleted.

    With the oldest, the change happens at one moment, when the deletion becomes visible; an ingest that died before
    that has had no effect and is repeated. If none is complete, the newest one is used.
    """
    whole = [generation for generation in generations if generation.is_whole]
    if whole:
        return min(whole, key=_number)
    return max(generations, key=_number, default=None)


def _number(generation: Generation) -> int:
    return generation.number


def newest_whole(generations: Generations) -> int | None:
    """The newest complete generation, which is kept."""
    return max((generation.number for generation in generations if generation.is_whole), default=None)


def next_number(generations: Generations, now: float) -> int:
    """A number above all existing ones: epoch microseconds, unless a clock is behind."""
    return max([int(now * 1_000_000), *(generation.number + 1 for generation in generations)])


def stored(number: int) -> str:
    """A number as stored: text with the same sort order, because AWS documents no long integers."""
    return f"{number:020d}"


def read_generations(response: Mapping[str, Any]) -> dict[str, Generations]:
    """Generations by document id, from the response to `generations_body`."""
    documents = response["aggregations"]["documents"]
    if documents["sum_other_doc_count"]:
        raise UnavailableError("The index counted fewer documents than were asked for; try again.")
    return {
        document["key"]: tuple(
            Generation(int(bucket["key"]), int(bucket["doc_count"]), int(bucket["size"]["value"]))
            for bucket in document["generations"]["buckets"]
        )
        for document in documents["buckets"]
    }
