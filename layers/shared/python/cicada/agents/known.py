"""What stands on a shelf and what stood there, and which of it the user means."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.arguments import ArgumentError
from cicada.agents.finding import best_matches
from cicada.agents.model import EarlierState, Entry, Shelf
from cicada.agents.ports import EntryStore
from cicada.agents.text import fitted
from cicada.agents.wording import Wording, called, day, deleted_line
from cicada.quotation import named, one_quoted_line


class Known(Struct, frozen=True):
    """`live`: the entries as they are. `earlier`: the states that can be brought back, the latest loss first."""

    wording: Wording
    live: list[Entry]
    earlier: list[EarlierState]

    @property
    def deleted(self) -> list[EarlierState]:
        """The last state of each deleted entry, the latest loss first."""
        last: dict[str, EarlierState] = {}
        alive = {each.id for each in self.live}
        for state in self.earlier:
            if state.entry.id not in alive:
                last.setdefault(state.entry.id, state)
        return list(last.values())

    def versions(self, entry_id: str) -> list[EarlierState]:
        """The entry's earlier states, the latest first."""
        return [each for each in self.earlier if each.entry.id == entry_id]

    def one_live(self, kind: str, wanted: str) -> Entry:
        """The entry that the words name, by its present name or an earlier one. Raises `ArgumentError`.

        A deleted entry that matches better stops the search: a repeated deletion must not find the next best entry.
        """
        matches = self.matches(kind, wanted)
        ids = {each.id for each in matches}
        # A present name goes before an earlier name of another entry.
        found = [each for each in self.live if each in matches] or [each for each in self.live if each.id in ids]
        if len(found) == 1:
            return found[0]
        if found:
            raise ArgumentError(several(self.wording, wanted, found))
        gone = [each for each in self.deleted if each.entry.id in ids]
        raise ArgumentError(self._gone(gone[0]) if gone else self.missing(kind, wanted))

    def matches(self, kind: str, wanted: str) -> list[Entry]:
        """The best matches among live and deleted entries and their earlier names."""
        last = {each.id: each for each in [*self.live, *(each.entry for each in self.deleted)]}
        renamed = [replace(each.entry, text="") for each in self.earlier if each.entry.key != last[each.entry.id].key]
        states = [*last.values(), *renamed]
        return best_matches(wanted, [each for each in states if kind in ("", each.kind)])

    def missing(self, kind: str, wanted: str) -> str:
        """That there is none of this name, and which there are."""
        none = f"There is no {self.wording.titled(kind)} {named(wanted)}."
        if not self.live:
            return f"{none} The user has no saved {self.wording.many} at all."
        lines = (one_quoted_line(f"- {called(each)}") for each in self.live)
        return fitted([none, f"The user's {self.wording.many} are:", *lines])

    def _gone(self, state: EarlierState) -> str:
        return (
            f"The {self.wording.label(state.entry)} was deleted on {day(state.lost_at)}. "
            f"It can be brought back until {day(state.expires_at)}."
        )


def read_known(store: EntryStore, wording: Wording, shelf: Shelf, now: float) -> Known:
    return Known(wording, store.live(shelf), store.earlier(shelf, now))


def several(wording: Wording, wanted: str, found: list[Entry]) -> str:
    """Asks which of several entries is meant."""
    lines = (one_quoted_line(f"- {called(each)} ({day(each.saved_at)})") for each in found)
    return fitted([f"Several {wording.many} match {named(wanted)}; say which one. Nothing was done.", *lines])


def several_deleted(wording: Wording, found: list[EarlierState]) -> str:
    """Asks which of several deleted entries is meant."""
    asked = f"Several {wording.many} can be brought back; say which one. Nothing was done."
    return fitted([asked, *map(deleted_line, found)])
