"""A user's profiles and theories: finding one, writing, and restoring."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.model import (
    EARLIER_KEPT_SECONDS,
    THEORY,
    AgentKind,
    Change,
    Entry,
    EntryChangedError,
    EntryScope,
    EntryStore,
    EntryVersion,
    beginning,
    fitted,
    matching_key,
)
from cicada.agents.tools import TEXT_LIMIT, ArgumentError, read_name, read_text, read_version
from cicada.errors import ThrottledError
from cicada.quotation import named, one_quoted_line, quoted
from cicada.text import did_you_mean, nearly

# fmt: off
_FILLERS = frozenset({
    "a", "about", "an", "and", "are", "at", "by", "called", "character", "episode", "for", "from", "group", "in",
    "is", "its", "location", "my", "named", "of", "on", "one", "our", "profile", "profiles", "that", "the", "their",
    "theories", "theory", "this", "titled", "to", "topic", "which", "with",
})
# fmt: on


def best_matches(wanted: str, entries: Sequence[Entry], by_text: bool = True) -> list[Entry]:
    """The entries that match best: those of the first of four tests that any entry passes.

    The name is the same; it has the same words; it has all the words; name and text together have all the words.
    The last test is left out without `by_text`. Words like "the" and "theory" do not count.
    """
    key, words = matching_key(wanted), _words(wanted)
    tests: tuple[Callable[[Entry], bool], ...] = (
        lambda entry: matching_key(entry.name) == key,
        lambda entry: _words(entry.name) == words,
        lambda entry: _has_all(entry.name, words),
        lambda entry: by_text and _has_all(f"{entry.name}\n{entry.text}", words),
    )
    return next((found for test in tests if (found := [each for each in entries if test(each)])), [])


def _words(text: str) -> frozenset[str]:
    """The words that count; all of them if none does."""
    words = frozenset(re.findall(r"\w+", matching_key(text)))
    return words - _FILLERS or words


def _has_all(text: str, words: frozenset[str]) -> bool:
    """Languages without spaces between words are searched for the characters."""
    key = matching_key(text)
    there = frozenset(re.findall(r"\w+", key))
    return bool(words) and all(word in there or (not word.isascii() and word in key) for word in words)


_PREVIEW_CHARACTERS = 120


class Wording(Struct, frozen=True):
    """The words for an entry, for several, for its name and for its text.

    `by_text`: whether an entry is called by words of its text too. A theory is ("the theory about the owl"); a profile
    whose text has the name of another person is not that person's.
    """

    one: str
    many: str
    name: str
    text: str
    by_text: bool

    def label(self, entry: Entry) -> str:
        """The label of an entry, for example: character profile “Banquo”."""
        return f"{self.titled(entry.kind)} {named(entry.name)}"

    def titled(self, kind: str) -> str:
        return self.one if kind in ("", THEORY) else f"{kind} {self.one}"


PROFILE_WORDING = Wording("profile", "profiles", "name", "description", by_text=False)
THEORY_WORDING = Wording("theory", "theories", "title", "statement", by_text=True)


def day(seconds: float) -> str:
    """The date of epoch seconds, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def called(entry: Entry) -> str:
    """Kind and name, as a line of a list has them."""
    return entry.name if entry.kind == THEORY else f"{entry.kind} {entry.name}"


def summary(entry: Entry) -> str:
    """A line of a list: name, date and beginning."""
    return one_quoted_line(f"- {called(entry)} ({day(entry.saved_at)}): {beginning(entry.text, _PREVIEW_CHARACTERS)}")


def deleted_line(state: EntryVersion) -> str:
    return one_quoted_line(f"- {called(state.entry)} (deleted on {day(state.lost_at)})")


def version_line(state: EntryVersion) -> str:
    """A line of a list: number, date, name and beginning."""
    entry = state.entry
    start = beginning(entry.text, _PREVIEW_CHARACTERS)
    return one_quoted_line(f"- version {entry.version} of {day(entry.saved_at)}, “{entry.name}”: {start}")


class NoEntryError(ArgumentError):
    """No entry has the name, and none had it that can be brought back."""


class EntryMatcher(Struct, frozen=True):
    """`live`: the entries as they are. `earlier`: the states that can be brought back, the latest loss first."""

    wording: Wording
    live: list[Entry]
    earlier: list[EntryVersion]

    @property
    def deleted(self) -> list[EntryVersion]:
        """The last state of each deleted entry, the latest loss first."""
        last: dict[str, EntryVersion] = {}
        alive = {each.id for each in self.live}
        for state in self.earlier:
            if state.entry.id not in alive:
                last.setdefault(state.entry.id, state)
        return list(last.values())

    def versions(self, entry_id: str) -> list[EntryVersion]:
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
            raise ArgumentError(self.several(wanted, found))
        gone = [each for each in self.deleted if each.entry.id in ids]
        raise ArgumentError(self._gone(gone[0])) if gone else NoEntryError(self.missing(kind, wanted))

    def one_to_read(self, kind: str, wanted: str) -> Entry:
        """The same for reading, which may take a misspelt name for the only one that is written nearly so."""
        of_kind = {matching_key(each.name): each for each in self.live if kind in ("", each.kind)}
        near = [] if self.matches(kind, wanted) else nearly(matching_key(wanted), of_kind)
        return of_kind[near[0]] if len(near) == 1 else self.one_live(kind, wanted)

    def matches(self, kind: str, wanted: str) -> list[Entry]:
        """The best matches among live and deleted entries and their earlier names."""
        last = {each.id: each for each in [*self.live, *(each.entry for each in self.deleted)]}
        renamed = [replace(each.entry, text="") for each in self.earlier if each.entry.key != last[each.entry.id].key]
        states = [*last.values(), *renamed]
        return best_matches(wanted, [each for each in states if kind in ("", each.kind)], self.wording.by_text)

    def missing(self, kind: str, wanted: str) -> str:
        """The sentence that says that there is no entry of this name, and names those that there are.

        If the texts of some have its words, it names these alone.
        """
        none = f"There is no {self.wording.titled(kind)} {named(wanted)}"
        if not self.live:
            return f"{none}. You have no saved {self.wording.many} at all."
        if found := best_matches(wanted, [each for each in self.live if kind in ("", each.kind)]):
            return fitted([f"{none}. These mention it:", *(one_quoted_line(f"- {called(each)}") for each in found)])
        lines = (one_quoted_line(f"- {called(each)}") for each in self.live)
        others = (each.name for each in self.live if matching_key(each.name) != matching_key(wanted))
        near = did_you_mean(wanted, (named(name)[1:-1] for name in others))
        return fitted([f"{none}{near}", f"Your {self.wording.many} are:", *lines])

    def several(self, wanted: str, found: Sequence[Entry]) -> str:
        """Asks which of several entries is meant."""
        lines = (one_quoted_line(f"- {called(each)} ({day(each.saved_at)})") for each in found)
        said = f"Several {self.wording.many} match {named(wanted)}. Nothing was done."
        return fitted([said, *lines, _WHICH])

    def several_deleted(self, found: Sequence[EntryVersion]) -> str:
        """Asks which of several deleted entries is meant."""
        said = f"Several {self.wording.many} can be brought back. Nothing was done."
        return fitted([said, *map(deleted_line, found), _WHICH])

    def _gone(self, state: EntryVersion) -> str:
        return (
            f"The {self.wording.label(state.entry)} was deleted on {day(state.lost_at)}. "
            f"It can be brought back until {day(state.expires_at)}."
        )


ENTRIES_LIMIT = 500
_TRIES = 5
_WHICH = "Which one do you mean?"
_WORDINGS = {AgentKind.PROFILES: PROFILE_WORDING, AgentKind.THEORIES: THEORY_WORDING}


class Keeping(Struct, frozen=True):
    """Where entries are kept. `clock` gives epoch seconds, `new_id` an id that no other entry has."""

    store: EntryStore
    clock: Callable[[], float]
    new_id: Callable[[], str]


class Entries(Struct, frozen=True):
    """What both agents' tools do with the entries of one scope.

    `kind` may be empty where any kind is meant; `wanted` names or describes an entry. Each operation returns sentences
    for the model, or raises `ArgumentError` with such a sentence. It may run twice, because messages are delivered at
    least once and an agent has a fallback: a text is not appended twice, a repeated deletion does not find another
    entry, and a state that was just brought back is not taken back again.
    """

    keeping: Keeping
    scope: EntryScope

    @property
    def wording(self) -> Wording:
        return _WORDINGS[self.scope.agent]

    def known(self) -> EntryMatcher:
        store = self.keeping.store
        return EntryMatcher(self.wording, store.live(self.scope), store.earlier(self.scope, self.keeping.clock()))

    def listed(self, kind: str) -> str:
        """Name, date and beginning of every entry."""
        entries = [each for each in self.keeping.store.live(self.scope) if kind in ("", each.kind)]
        of_kind = f"{kind} " if kind else ""
        if not entries:
            return f"You have no {of_kind}{self.wording.many}."
        what = self.wording.one if len(entries) == 1 else self.wording.many
        return fitted([f"You have {len(entries)} {of_kind}{what}:", *map(summary, entries)])

    def read(self, kind: str, wanted: str, more: Callable[[Entry], str] = lambda _: "") -> str:
        """The whole entry, what there is `more` to say of it, and the versions that can be brought back.

        If there is none, that of this name in the other store: users do not always know as what they kept something.
        """
        wanted = read_name(wanted, self.wording.name)
        try:
            return self._read(kind, wanted, more)
        except NoEntryError:
            other = self._beside_of_name(kind, wanted)
            if other is None:
                raise
            return f"{self._but_beside(wanted)}:\n\n{self.beside.read(other.kind, other.name)}"

    @property
    def beside(self) -> Entries:
        """The entries of the other agent."""
        other = AgentKind.THEORIES if self.scope.agent is AgentKind.PROFILES else AgentKind.PROFILES
        return Entries(self.keeping, replace(self.scope, agent=other))

    def _beside_of_name(self, kind: str, wanted: str) -> Entry | None:
        """The only entry of the other store whose name has these words, unless a kind was said."""
        live = [] if kind else self.keeping.store.live(self.beside.scope)
        found = best_matches(wanted, live, by_text=False)
        return found[0] if len(found) == 1 else None

    def _but_beside(self, wanted: str) -> str:
        return f"There is no {self.wording.one} {named(wanted)}, but a {self.beside.wording.one}"

    def one_live(self, known: EntryMatcher, kind: str, wanted: str) -> Entry:
        """The entry that the words name. Raises `ArgumentError`, which says so if only the other store has one."""
        try:
            return known.one_live(kind, wanted)
        except NoEntryError:
            if self._beside_of_name(kind, wanted) is None:
                raise
            raise ArgumentError(f"{self._but_beside(wanted)}. Nothing was done.") from None

    def _read(self, kind: str, wanted: str, more: Callable[[Entry], str]) -> str:
        known = self.known()
        entry = known.one_to_read(kind, wanted)
        whole = f"The {self.wording.label(entry)}, saved on {day(entry.saved_at)}:\n{quoted(entry.text)}"
        whole = "\n\n".join(filter(None, (whole, more(entry))))
        versions = [version_line(each) for each in known.versions(entry.id)]
        if not versions:
            return whole
        return fitted([whole, "", f"This is version {entry.version}. Earlier versions can be brought back:", *versions])

    def save(self, kind: str, name: str, text: str) -> str:
        """Saves a new entry. Refuses a name that is taken, so that nothing is replaced by accident."""
        name, text = read_name(name, self.wording.name), read_text(text, self.wording.text)
        return self.settled(lambda: self._save(kind, name, text))

    def _save(self, kind: str, name: str, text: str) -> str:
        live = self.keeping.store.live(self.scope)
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
        self.keeping.store.write(self.scope, Change(None, entry, now))
        return f"Saved the {self.wording.label(entry)}."

    def _taken(self, entry: Entry) -> str:
        return (
            f"There is already a {self.wording.label(entry)}. Nothing was saved. Add to it, amend it, or save under "
            f"another {self.wording.name}. It says:\n{quoted(entry.text)}"
        )

    def append(self, kind: str, wanted: str, addition: str) -> str:
        """Adds lines at the end."""
        wanted, addition = read_name(wanted, self.wording.name), read_text(addition, "addition")
        return self.settled(lambda: self._append(self.one_live(self.known(), kind, wanted), addition))

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
        self.change(entry, replace(entry, text=text, judgement=None))
        return f"Added to the {label}. {_unjudged(entry)}It now reads:\n{quoted(text)}"

    def amend(self, kind: str, wanted: str, text: str) -> str:
        """Replaces the whole text."""
        wanted, text = read_name(wanted, self.wording.name), read_text(text, self.wording.text)
        return self.settled(lambda: self._amend(self.one_live(self.known(), kind, wanted), text))

    def _amend(self, entry: Entry, text: str) -> str:
        label = self.wording.label(entry)
        if entry.text == text:
            return f"The {label} already says exactly this."
        self.change(entry, replace(entry, text=text, judgement=None))
        earlier = f"Its earlier {self.wording.text} can be brought back:\n{quoted(entry.text)}"
        return f"Amended the {label}. {_unjudged(entry)}{earlier}"

    def rename(self, kind: str, wanted: str, new_name: str) -> str:
        """Gives the entry another name; kind and text stay."""
        wanted, new_name = read_name(wanted, self.wording.name), read_name(new_name, f"new {self.wording.name}")
        return self.settled(lambda: self._rename(kind, wanted, new_name))

    def _rename(self, kind: str, wanted: str, new_name: str) -> str:
        known = self.known()
        entry = self.one_live(known, kind, wanted)
        if entry.name == new_name:
            return f"The {self.wording.label(entry)} already has this {self.wording.name}."
        self.refuse_taken(known, entry, new_name, "renamed")
        self.change(entry, replace(entry, name=new_name))
        return f"Renamed the {self.wording.label(entry)} to {named(new_name)}."

    def refuse_taken(self, known: EntryMatcher, entry: Entry, name: str, undone: str) -> None:
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
        return self.settled(lambda: self._delete(self.one_live(self.known(), kind, wanted)))

    def _delete(self, entry: Entry) -> str:
        now = self.keeping.clock()
        self.keeping.store.write(self.scope, Change(entry, None, now))
        until = day(now + EARLIER_KEPT_SECONDS)
        return f"Deleted the {self.wording.label(entry)}. It can be brought back until {until}."

    def change(self, entry: Entry, after: Entry, brought_back: int = 0) -> None:
        """Writes the next version."""
        now = self.keeping.clock()
        after = replace(after, version=entry.version + 1, saved_at=now, brought_back=brought_back)
        self.keeping.store.write(self.scope, Change(entry, after, now))

    def settled(self, operation: Callable[[], str]) -> str:
        """The operation's answer; it is repeated from its first read if another write came between."""
        for _ in range(_TRIES):
            try:
                return operation()
            except EntryChangedError:
                continue
        raise ThrottledError(f"The {self.wording.many} are being changed from elsewhere; try again in a moment.")

    def restore(self, kind: str, wanted: str, version: str) -> str:
        """Brings back a version, without a number the last one. Without words: the deleted entry, if it is one."""
        wanted = read_name(wanted, self.wording.name) if wanted.strip() else ""
        number = read_version(version)
        return self.settled(lambda: self._restore(kind, wanted, number))

    def _restore(self, kind: str, wanted: str, version: int | None) -> str:
        known = self.known()
        entry_id = self._meant(known, kind, wanted) if wanted else self._only_deleted(known, kind)
        live = next((each for each in known.live if each.id == entry_id), None)
        if live and live.brought_back and version in (None, live.brought_back):
            done = f"The {self.wording.label(live)} was already brought back on {day(live.saved_at)}."
            return f"{done}{_choice(known, live)}"
        state = self._state(known, entry_id, live, version)
        self.refuse_taken(known, state.entry, state.entry.name, "brought back")
        return self._bring_back(live, known.versions(entry_id)[0].entry, state)

    def _bring_back(self, live: Entry | None, last: Entry, state: EntryVersion) -> str:
        found = state.entry
        if live:
            self.change(live, replace(live, name=found.name, text=found.text, judgement=found.judgement), found.version)
        else:
            now = self.keeping.clock()
            after = replace(found, version=last.version + 1, saved_at=now, brought_back=found.version)
            self.keeping.store.write(self.scope, Change(None, after, now))
        done = f"Brought back the {self.wording.label(found)} as saved on {day(found.saved_at)}."
        return f"{done} It reads:\n{quoted(found.text)}"

    def _state(self, known: EntryMatcher, entry_id: str, live: Entry | None, version: int | None) -> EntryVersion:
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

    def _only_deleted(self, known: EntryMatcher, kind: str) -> str:
        deleted = [each for each in known.deleted if kind in ("", each.entry.kind)]
        if len(deleted) == 1:
            return deleted[0].entry.id
        if deleted:
            raise ArgumentError(known.several_deleted(deleted))
        back = [each for each in known.live if each.brought_back and kind in ("", each.kind)]
        if back:
            return max(back, key=lambda each: each.saved_at).id
        raise ArgumentError(f"No deleted {self.wording.one} can be brought back. Nothing was done.")

    def _meant(self, known: EntryMatcher, kind: str, wanted: str) -> str:
        """The id of the entry that the words name.

        If there are several, the deleted one is meant; of several of one name, the one that was lost last.
        """
        matches = known.matches(kind, wanted)
        ids = {each.id for each in matches}
        lost = {state.entry.key: state for state in reversed(known.earlier) if state.entry.id in ids}
        deleted = {state.entry.key: state for state in reversed(known.deleted) if state.entry.id in ids}
        for choice in (lost, deleted):
            if len({state.entry.id for state in choice.values()}) == 1:
                return next(iter(choice.values())).entry.id
        if deleted:
            raise ArgumentError(known.several_deleted([*deleted.values()]))
        if len(ids) > 1:
            raise ArgumentError(known.several(wanted, [each for each in known.live if each.id in ids]))
        if ids:
            return next(iter(ids))
        raise ArgumentError(fitted([known.missing(kind, wanted), *_deleted_lines(known)]))


def _unjudged(entry: Entry) -> str:
    """Says of an entry that has got another text that its verdict was of the one before."""
    return f"Its verdict ({entry.judgement.verdict}) was of the earlier text. " if entry.judgement else ""


def _deleted_lines(known: EntryMatcher) -> list[str]:
    return ["These can be brought back:", *map(deleted_line, known.deleted)] if known.deleted else []


def _choice(known: EntryMatcher, live: Entry) -> str:
    """The versions by their numbers, to choose another one."""
    lines = [version_line(each) for each in known.versions(live.id) if each.entry.version != live.brought_back]
    return fitted(["", "To bring back another version, name its number:", *lines]) if lines else ""
