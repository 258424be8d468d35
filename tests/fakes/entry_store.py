"""The users' entries in memory."""

from __future__ import annotations

from cicada.agents.model import EARLIER_STATES_KEPT, Change, EarlierState, Entry, EntryChangedError, Shelf


class InMemoryEntryStore:
    def __init__(self) -> None:
        self._live: dict[Shelf, dict[tuple[str, str], Entry]] = {}
        self._earlier: dict[Shelf, list[EarlierState]] = {}

    def live(self, shelf: Shelf) -> list[Entry]:
        live = self._live.get(shelf, {})
        return [live[key] for key in sorted(live)]

    def earlier(self, shelf: Shelf, now: float) -> list[EarlierState]:
        kept = [state for state in self._earlier.get(shelf, []) if state.expires_at > now]
        return sorted(kept, key=lambda state: (state.lost_at, state.entry.version), reverse=True)

    def write(self, shelf: Shelf, change: Change) -> None:
        live = dict(self._live.get(shelf, {}))
        before, after = change.before, change.after
        if before:
            stored = live.pop(before.key, None)
            if stored is None or (stored.id, stored.version) != (before.id, before.version):
                raise EntryChangedError
        if after:
            if after.key in live:
                raise EntryChangedError
            live[after.key] = after
        self._live[shelf] = live
        if before:
            self._keep(shelf, EarlierState(before, change.at))

    def _keep(self, shelf: Shelf, lost: EarlierState) -> None:
        entry = lost.entry
        dropped = (entry.id, entry.version - EARLIER_STATES_KEPT)
        kept = [each for each in self._earlier.get(shelf, []) if (each.entry.id, each.entry.version) != dropped]
        self._earlier[shelf] = [*kept, lost]
