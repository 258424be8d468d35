"""Brings earlier states of entries back: deleted entries, and versions that a change replaced."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.arguments import ArgumentError, read_name, read_version
from cicada.agents.entries import Entries
from cicada.agents.known import Known, several, several_deleted
from cicada.agents.model import Change, EarlierState, Entry
from cicada.agents.text import fitted
from cicada.agents.wording import Wording, day, deleted_line, version_line
from cicada.quotation import quoted


class Restoring(Struct, frozen=True):
    """Restores on one shelf."""

    entries: Entries

    @property
    def wording(self) -> Wording:
        return self.entries.wording

    def restore(self, kind: str, wanted: str, version: str) -> str:
        """Brings back a version, without a number the last one. Without words: the deleted entry, if it is one.

        To run it twice does no harm: a state that was just brought back is not taken back again.
        """
        wanted = read_name(wanted, self.wording.name) if wanted.strip() else ""
        number = read_version(version)
        return self.entries.settled(lambda: self._restore(kind, wanted, number))

    def _restore(self, kind: str, wanted: str, version: int | None) -> str:
        known = self.entries.known()
        entry_id = self._meant(known, kind, wanted) if wanted else self._only_deleted(known, kind)
        live = next((each for each in known.live if each.id == entry_id), None)
        if live and live.brought_back and version in (None, live.brought_back):
            done = f"The {self.wording.label(live)} was already brought back on {day(live.saved_at)}."
            return f"{done}{_choice(known, live)}"
        state = self._state(known, entry_id, live, version)
        self.entries.refuse_taken(known, state.entry, state.entry.name, "brought back")
        return self._bring_back(live, known.versions(entry_id)[0].entry, state)

    def _bring_back(self, live: Entry | None, last: Entry, state: EarlierState) -> str:
        found = state.entry
        if live:
            self.entries.change(live, replace(live, name=found.name, text=found.text), found.version)
        else:
            now = self.entries.keeping.clock()
            after = replace(found, version=last.version + 1, saved_at=now, brought_back=found.version)
            self.entries.keeping.store.write(self.entries.shelf, Change(None, after, now))
        done = f"Brought back the {self.wording.label(found)} as saved on {day(found.saved_at)}."
        return f"{done} It reads:\n{quoted(found.text)}"

    def _state(self, known: Known, entry_id: str, live: Entry | None, version: int | None) -> EarlierState:
        states = known.versions(entry_id)
        found = next((each for each in states if version in (None, each.entry.version)), None)
        if found:
            return found
        if live and not states:
            raise ArgumentError(f"The {self.wording.label(live)} has no earlier version. Nothing was done.")
        there = [version_line(each) for each in states]
        raise ArgumentError(
            fitted([f"There is no version {version} to bring back. Nothing was done. There are:", *there])
        )

    def _only_deleted(self, known: Known, kind: str) -> str:
        deleted = [each for each in known.deleted if kind in ("", each.entry.kind)]
        if len(deleted) == 1:
            return deleted[0].entry.id
        if deleted:
            raise ArgumentError(several_deleted(self.wording, deleted))
        back = [each for each in known.live if each.brought_back and kind in ("", each.kind)]
        if back:
            return max(back, key=lambda each: each.saved_at).id
        raise ArgumentError(f"No deleted {self.wording.one} can be brought back. Nothing was done.")

    def _meant(self, known: Known, kind: str, wanted: str) -> str:
        """The id of the entry that the words name. Of several, the deleted one is meant; of several of one name, the
        one that was lost last.
        """
        matches = known.matches(kind, wanted)
        ids = {each.id for each in matches}
        lost = {state.entry.key: state for state in reversed(known.earlier) if state.entry.id in ids}
        deleted = {state.entry.key: state for state in reversed(known.deleted) if state.entry.id in ids}
        for choice in (lost, deleted):
            if len({state.entry.id for state in choice.values()}) == 1:
                return next(iter(choice.values())).entry.id
        if deleted:
            raise ArgumentError(several_deleted(self.wording, list(deleted.values())))
        if len(ids) > 1:
            raise ArgumentError(several(self.wording, wanted, [each for each in known.live if each.id in ids]))
        if ids:
            return next(iter(ids))
        raise ArgumentError(fitted([known.missing(kind, wanted), *_deleted_lines(known)]))


def _deleted_lines(known: Known) -> list[str]:
    return ["These can be brought back:", *map(deleted_line, known.deleted)] if known.deleted else []


def _choice(known: Known, live: Entry) -> str:
    """The versions by their numbers, to choose another one."""
    lines = [version_line(each) for each in known.versions(live.id) if each.entry.version != live.brought_back]
    return fitted(["", "To bring back another version, name its number:", *lines]) if lines else ""
