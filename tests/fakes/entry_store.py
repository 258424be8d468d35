"""The users' entries in memory."""

from __future__ import annotations

from cicada.agents.model import VERSIONS_KEPT, Change, Entry, EntryChangedError, EntryScope, EntryVersion


class InMemoryEntryStore:
    def __init__(self) -> None:
        self._live: dict[EntryScope, dict[tuple[str, str], Entry]] = {}
        self._earlier: dict[EntryScope, list[EntryVersion]] = {}

    def live(self, scope: EntryScope) -> list[Entry]:
        live = self._live.get(scope, {})
        return [live[key] for key in sorted(live)]

    def earlier(self, scope: EntryScope, now: float) -> list[EntryVersion]:
        kept = [state for state in self._earlier.get(scope, []) if state.expires_at > now]
        return sorted(kept, key=lambda state: (state.lost_at, state.entry.version), reverse=True)

    def write(self, scope: EntryScope, change: Change) -> None:
        live = dict(self._live.get(scope, {}))
        before, after = change.before, change.after
        if before:
            stored = live.pop(before.key, None)
            if stored is None or (stored.id, stored.version) != (before.id, before.version):
                raise EntryChangedError
        if after:
            if after.key in live:
                raise EntryChangedError
            live[after.key] = after
        self._live[scope] = live
        if before:
            self._keep(scope, EntryVersion(before, change.at))

    def keep_judgement(self, scope: EntryScope, entry: Entry) -> None:
        stored = self._live.get(scope, {}).get(entry.key)
        if stored is None or (stored.id, stored.version) != (entry.id, entry.version):
            raise EntryChangedError
        self._live[scope] = self._live[scope] | {entry.key: entry}

    def _keep(self, scope: EntryScope, lost: EntryVersion) -> None:
        entry = lost.entry
        dropped = (entry.id, entry.version - VERSIONS_KEPT)
        kept = [each for each in self._earlier.get(scope, []) if (each.entry.id, each.entry.version) != dropped]
        self._earlier[scope] = [*kept, lost]
