"""How the tools speak of entries."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from cicada.agents.model import THEORY, EarlierState, Entry
from cicada.agents.text import beginning
from cicada.quotation import named, one_quoted_line

_PREVIEW_CHARACTERS = 120


class Wording(Struct, frozen=True):
    """The words for an entry, for several, for its name and for its text."""

    one: str
    many: str
    name: str
    text: str

    def label(self, entry: Entry) -> str:
        """For example: character profile “Banquo”."""
        return f"{self.titled(entry.kind)} {named(entry.name)}"

    def titled(self, kind: str) -> str:
        return self.one if kind in ("", THEORY) else f"{kind} {self.one}"


PROFILE_WORDING = Wording("profile", "profiles", "name", "description")
THEORY_WORDING = Wording("theory", "theories", "title", "statement")


def day(seconds: float) -> str:
    """The date of epoch seconds, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def called(entry: Entry) -> str:
    """Kind and name, as a line of a list has them."""
    return entry.name if entry.kind == THEORY else f"{entry.kind} {entry.name}"


def summary(entry: Entry) -> str:
    """A line of a list: name, date and beginning."""
    return one_quoted_line(f"- {called(entry)} ({day(entry.saved_at)}): {beginning(entry.text, _PREVIEW_CHARACTERS)}")


def deleted_line(state: EarlierState) -> str:
    return one_quoted_line(f"- {called(state.entry)} (deleted on {day(state.lost_at)})")


def version_line(state: EarlierState) -> str:
    """A line of a list: number, date, name and beginning."""
    entry = state.entry
    start = beginning(entry.text, _PREVIEW_CHARACTERS)
    return one_quoted_line(f"- version {entry.version} of {day(entry.saved_at)}, “{entry.name}”: {start}")
