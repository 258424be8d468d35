"""The indices behind a name: the live one, and one that is being built.

The first index is called `<name>` itself, created at deployment or at first use. A rebuild creates
`<name>-<microseconds of the epoch>` under the alias `<name>-building`; after the switch, `<name>` is its alias.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from cicada.adapters.opensearch.client import IndexMissing
from cicada.adapters.opensearch.requests import Requests
from cicada.errors import UnavailableError

# Rounds before a write gives up; each rebuild meanwhile takes one more.
_MAX_LOOKS = 6


@dataclass(frozen=True, slots=True)
class Target:
    """`alias`: the name to add rows by, so that none goes to a dropped index. `index`: the index behind it."""

    alias: str
    index: str
    is_building: bool


@dataclass(frozen=True, slots=True)
class Indices:
    """All indices of a name: `live` (None before the first use), `building`, and leftovers of rebuilds."""

    live: str | None
    building: str | None
    unused: tuple[str, ...]

    def targets(self, name: str) -> tuple[Target, ...]:
        return (
            *([Target(name, self.live, False)] if self.live else []),
            *([Target(building_alias(name), self.building, True)] if self.building else []),
        )


def building_alias(name: str) -> str:
    return f"{name}-building"


def new_index(name: str, now: float) -> str:
    return f"{name}-{int(now * 1_000_000):016d}"


def indices_of(requests: Requests, name: str) -> Indices:
    """One request."""
    found = requests.call(lambda: requests.client.indices.get_alias(index=f"{name}*"))
    aliases = {index: set(each["aliases"]) for index, each in found.items()}
    live = next((index for index, names in aliases.items() if name in names or index == name), None)
    building = next((index for index, names in aliases.items() if building_alias(name) in names), None)
    ours = re.compile(rf"{re.escape(name)}-\d{{16,}}")
    unused = tuple(
        index for index in aliases if ours.fullmatch(index) and not aliases[index] & {name, building_alias(name)}
    )
    return Indices(live, building, unused)


def write_to_all(look: Callable[[], tuple[Target, ...]], write: Callable[[Target], None]) -> None:
    """Write to every target and repeat until the targets no longer change, so that a switch loses no write."""
    written: set[str] = set()
    for _ in range(_MAX_LOOKS):
        remaining = [target for target in look() if target.index not in written]
        if not remaining:
            return
        for target in remaining:
            try:
                write(target)
            except IndexMissing:
                continue  # It was switched or dropped meanwhile: the next round tells.
            written.add(target.index)
    raise UnavailableError("The search index was switched again and again during a write; try again.")
