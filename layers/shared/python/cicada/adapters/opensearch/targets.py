"""The indices behind a name: the live one, and one that is being built.

`<name>` is an alias of the live index, never an index. The first index is `<name>-0000000000000000`, created at first
use; a rebuild creates `<name>-<microseconds of the epoch>` under the alias `<name>-building`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from cicada.adapters.opensearch.client import IndexMissing
from cicada.adapters.opensearch.requests import Requests
from cicada.errors import UnavailableError

# Rounds before a write gives up; each rebuild meanwhile takes one more.
_MAX_LOOKS = 6


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
    """The same for everybody, so that several processes may create it at the same time."""
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
    look: Callable[[], tuple[Target, ...]], write: Callable[[Target], None], left: Callable[[Target], None]
) -> None:
    """Write to every target and repeat until the targets no longer change, so that a switch loses no write.

    `left` is called with a target that was switched or dropped while it was written to.
    """
    written: set[str] = set()
    for _ in range(_MAX_LOOKS):
        remaining = [target for target in look() if target.index not in written]
        if not remaining:
            return
        for target in remaining:
            try:
                write(target)
            except IndexMissing:
                left(target)  # The next round tells where to write instead.
                continue
            written.add(target.index)
    raise UnavailableError("The search index was switched again and again during a write; try again.")
