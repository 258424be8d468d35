"""Which of several stored versions of a document answers.

OpenSearch Serverless takes no ids of ours and changes no two rows at once, so a document is replaced by adding the new
version's rows and then deleting the old ones, and for a while both are there. Each ingest is a *generation*: a number
that rises with time (a version, being a hash, has no order), and the count of its rows in each row. Thus anyone can
see whether a generation is whole, and an ingest that died in the middle leaves one that is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cicada.errors import UnavailableError


@dataclass(frozen=True, slots=True)
class Generation:
    """`found` rows are visible of `size`; more where a bulk request was repeated after a timeout."""

    number: int
    found: int
    size: int

    @property
    def is_whole(self) -> bool:
        return self.found >= self.size


Generations = tuple[Generation, ...]


def answering(generations: Generations) -> int | None:
    """The generation that is the document: the oldest whole one, until its deletion makes way for the next.

    The oldest and not the newest, so that the change happens at one moment, when the deletion is seen, and an ingest
    that died before it looks undone to everybody and is done again. Where none is whole, the newest one counts.
    """
    whole = [generation.number for generation in generations if generation.is_whole]
    if whole:
        return min(whole)
    return max((generation.number for generation in generations), default=None)


def newest_whole(generations: Generations) -> int | None:
    """The generation that is to stay."""
    return max((generation.number for generation in generations if generation.is_whole), default=None)


def next_number(generations: Generations, now: float) -> int:
    """A number above all that are there; microseconds of the epoch unless a clock runs behind."""
    return max([int(now * 1_000_000), *(generation.number + 1 for generation in generations)])


def stored(number: int) -> str:
    """A number as a row holds it: text that sorts as the number, as CloudFormation's index knows no long integers."""
    return f"{number:020d}"


def read_generations(response: Mapping[str, Any]) -> dict[str, Generations]:
    """Generations by document id, from the answer to `generations_body`."""
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
