"""What both agents' tools do with entries: list, read, save, append, amend, rename and delete.

Each operation returns sentences for the model, or raises `ArgumentError` with such a sentence. An operation may run
twice, because messages are delivered at least once and an agent has a fallback. So a text is not appended twice, and a
repeated deletion does not find another entry.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.arguments import TEXT_LIMIT, ArgumentError, read_name, read_text
from cicada.agents.known import Known, read_known
from cicada.agents.model import EARLIER_KEPT_SECONDS, AgentKind, Change, Entry, Shelf
from cicada.agents.ports import EntryChangedError, EntryStore
from cicada.agents.text import fitted, matching_key
from cicada.agents.wording import PROFILE_WORDING, THEORY_WORDING, Wording, day, summary, version_line
from cicada.errors import ThrottledError
from cicada.quotation import named, quoted

ENTRIES_LIMIT = 500
_TRIES = 5
_WORDINGS = {AgentKind.PROFILES: PROFILE_WORDING, AgentKind.THEORIES: THEORY_WORDING}


class Keeping(Struct, frozen=True):
    """Where entries are kept. `clock` gives epoch seconds, `new_id` an id that no other entry has."""

    store: EntryStore
    clock: Callable[[], float]
    new_id: Callable[[], str]


class Entries(Struct, frozen=True):
    """The entries of one shelf. `kind` may be empty where any kind is meant; `wanted` names or describes an entry."""

    keeping: Keeping
    shelf: Shelf

    @property
    def wording(self) -> Wording:
        return _WORDINGS[self.shelf.agent]

    def known(self) -> Known:
        return read_known(self.keeping.store, self.wording, self.shelf, self.keeping.clock())

    def listed(self, kind: str) -> str:
        """Name, date and beginning of every entry."""
        entries = [each for each in self.keeping.store.live(self.shelf) if kind in ("", each.kind)]
        of_kind = f"{kind} " if kind else ""
        if not entries:
            return f"The user has no {of_kind}{self.wording.many}."
        what = self.wording.one if len(entries) == 1 else self.wording.many
        return fitted([f"The user has {len(entries)} {of_kind}{what}:", *map(summary, entries)])

    def read(self, kind: str, wanted: str) -> str:
        """The whole entry, and the versions that can be brought back."""
        known = self.known()
        entry = known.one_live(kind, read_name(wanted, self.wording.name))
        whole = f"The {self.wording.label(entry)}, saved on {day(entry.saved_at)}:\n{quoted(entry.text)}"
        versions = [version_line(each) for each in known.versions(entry.id)]
        if not versions:
            return whole
        return fitted([whole, "", f"This is version {entry.version}. Earlier versions can be brought back:", *versions])

    def save(self, kind: str, name: str, text: str) -> str:
        """Saves a new entry. Refuses a name that is taken, so that nothing is replaced by accident."""
        name, text = read_name(name, self.wording.name), read_text(text, self.wording.text)
        return self.settled(lambda: self._save(kind, name, text))

    def _save(self, kind: str, name: str, text: str) -> str:
        live = self.keeping.store.live(self.shelf)
        now = self.keeping.clock()
        entry = Entry(self.keeping.new_id(), kind, name, text, 1, now)
        for taken in (each for each in live if each.key == entry.key):
            if taken.text != text:
                raise ArgumentError(self._taken(taken))
            return f"Saved the {self.wording.label(taken)}."
        if len(live) >= ENTRIES_LIMIT:
            raise ArgumentError(
                f"There are {len(live)} {self.wording.many} and no more can be saved; delete one first. "
                "Nothing was saved."
            )
        self.keeping.store.write(self.shelf, Change(None, entry, now))
        return f"Saved the {self.wording.label(entry)}."

    def _taken(self, entry: Entry) -> str:
        return (
            f"There is already a {self.wording.label(entry)}. Nothing was saved. Add to it, amend it, or save under "
            f"another {self.wording.name}. It says:\n{quoted(entry.text)}"
        )

    def append(self, kind: str, wanted: str, addition: str) -> str:
        """Adds lines at the end."""
        wanted, addition = read_name(wanted, self.wording.name), read_text(addition, "addition")
        return self.settled(lambda: self._append(self.known().one_live(kind, wanted), addition))

    def _append(self, entry: Entry, addition: str) -> str:
        label = self.wording.label(entry)
        if f"\n{addition}\n" in f"\n{entry.text}\n":
            return f"The {label} already says this. It reads:\n{quoted(entry.text)}"
        text = f"{entry.text}\n{addition}"
        if len(text) > TEXT_LIMIT:
            raise ArgumentError(
                f"With this addition the {label} would have {len(text)} characters and may have {TEXT_LIMIT}; shorten "
                f"it, or save another {self.wording.one}. Nothing was added."
            )
        self.change(entry, replace(entry, text=text))
        return f"Added to the {label}. It now reads:\n{quoted(text)}"

    def amend(self, kind: str, wanted: str, text: str) -> str:
        """Replaces the whole text."""
        wanted, text = read_name(wanted, self.wording.name), read_text(text, self.wording.text)
        return self.settled(lambda: self._amend(self.known().one_live(kind, wanted), text))

    def _amend(self, entry: Entry, text: str) -> str:
        label = self.wording.label(entry)
        if entry.text == text:
            return f"The {label} already says exactly this."
        self.change(entry, replace(entry, text=text))
        return f"Amended the {label}. Its earlier {self.wording.text} can be brought back:\n{quoted(entry.text)}"

    def rename(self, kind: str, wanted: str, new_name: str) -> str:
        """Gives the entry another name; kind and text stay."""
        wanted, new_name = read_name(wanted, self.wording.name), read_name(new_name, f"new {self.wording.name}")
        return self.settled(lambda: self._rename(kind, wanted, new_name))

    def _rename(self, kind: str, wanted: str, new_name: str) -> str:
        known = self.known()
        entry = known.one_live(kind, wanted)
        if entry.name == new_name:
            return f"The {self.wording.label(entry)} already has this {self.wording.name}."
        self.refuse_taken(known, entry, new_name, "renamed")
        self.change(entry, replace(entry, name=new_name))
        return f"Renamed the {self.wording.label(entry)} to {named(new_name)}."

    def refuse_taken(self, known: Known, entry: Entry, name: str, undone: str) -> None:
        """Raises `ArgumentError` if another live entry has this name."""
        for other in known.live:
            if other.id != entry.id and other.key == (entry.kind, matching_key(name)):
                raise ArgumentError(
                    f"There is another {self.wording.label(other)}; rename or delete that one first. "
                    f"Nothing was {undone}."
                )

    def delete(self, kind: str, wanted: str) -> str:
        """Deletes the entry, which can be brought back for a time."""
        wanted = read_name(wanted, self.wording.name)
        return self.settled(lambda: self._delete(self.known().one_live(kind, wanted)))

    def _delete(self, entry: Entry) -> str:
        now = self.keeping.clock()
        self.keeping.store.write(self.shelf, Change(entry, None, now))
        until = day(now + EARLIER_KEPT_SECONDS)
        return f"Deleted the {self.wording.label(entry)}. It can be brought back until {until}."

    def change(self, entry: Entry, after: Entry, brought_back: int = 0) -> None:
        """Writes the next version."""
        now = self.keeping.clock()
        after = replace(after, version=entry.version + 1, saved_at=now, brought_back=brought_back)
        self.keeping.store.write(self.shelf, Change(entry, after, now))

    def settled(self, operation: Callable[[], str]) -> str:
        """The operation's answer; it is repeated from its first read if another write came between."""
        for _ in range(_TRIES):
            try:
                return operation()
            except EntryChangedError:
                continue
        raise ThrottledError(f"The {self.wording.many} are being changed from elsewhere; try again in a moment.")
