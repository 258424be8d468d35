"""What the earlier turns of a conversation say of "it", "that" and the last change."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cicada.text import QUOTATION
from local.bedrock.agent_heads.request import AgentHeads, Request
from local.bedrock.words import terms

_KIND = r"(?:(?P<kind>character|location|episode|group|topic) )?"
_LISTED = re.compile(rf"^- {_KIND}(?P<name>.+?) \((?:deleted on )?\d{{4}}-\d\d-\d\d\)", re.MULTILINE)
_RENAMED = re.compile(r" to “([^”]+)”\.")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(rf"\b(?:{'|'.join(_ORDINALS)}|last|(\d)(?:st|nd|rd|th))\b", re.IGNORECASE | re.ASCII)
LABEL = re.compile(rf"\b{_KIND}(?P<noun>profile|theory) “(?P<name>[^”]+)”")
_NONE = "There is no"
# How the answer begins that tells the evidence for a statement.
WEIGHED = re.compile(r"^(?:On|I found no lines that speak for or against) “([^”]+)”")
_QUOTED_TURN = re.compile(r"^(User|You):$")
# What the tools say of a change that was made.
CHANGES = ("Saved", "Added to", "Amended", "Renamed", "Deleted", "Brought back")
# How they begin where a name fits several entries.
SEVERAL = "Several "
# Claims do not stand in messages that ask for these.
_NO_CLAIM = ("list", "get", "delete", "restore", "rename")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user and the answer, which is empty if it is unknown."""

    message: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """An entry that an answer or a message names."""

    name: str
    kind: str = ""


def turns_of(quoted: str) -> tuple[Turn, ...]:
    """The turns of a text in which each is quoted behind bars, below `User:` and `You:`."""
    said: list[tuple[str, list[str]]] = []
    for line in quoted.splitlines():
        if _QUOTED_TURN.match(line):
            said.append((line, []))
        elif said and line.startswith("|"):
            said[-1][1].append(line.removeprefix("|").removeprefix(" "))
    turns: list[Turn] = []
    for who, lines in said:
        text = "\n".join(lines)
        if who == "User:":
            turns.append(Turn(text))
        elif turns:
            turns[-1] = Turn(turns[-1].message, text)
    return tuple(turns)


def listed(turn: Turn) -> list[Mentioned]:
    """The entries that an answer lists."""
    return [Mentioned(each["name"], each["kind"] or "") for each in _LISTED.finditer(turn.answer)]


def meant(turns: Sequence[Turn], noun: str, heads: AgentHeads) -> Mentioned | None:
    """The entry that "it" is: the last that was named, or the only one of a list. `noun`: profile or theory."""
    return next(filter(None, (_named(turn, noun, heads) for turn in reversed(turns))), None)


def named_in(message: str, turns: Sequence[Turn]) -> str:
    """The name of an entry, as an answer before wrote it, that stands in the message; the longest of several."""
    names = {each["name"] for turn in turns for pattern in (_LISTED, LABEL) for each in pattern.finditer(turn.answer)}
    said = [name for name in names if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", message)]
    return max(said, key=len, default="")


def chosen(message: str, turns: Sequence[Turn]) -> Mentioned | None:
    """The entry that "the second one" is, of the last list; names may have such words as well."""
    entries = next((entries for turn in reversed(turns) if (entries := listed(turn))), [])
    found = _PLACE.search(QUOTATION.sub("", message)) if not named_in(message, turns) else None
    if not found:
        return None
    word = found[0].lower()
    place = int(found[1]) - 1 if found[1] else len(entries) - 1 if word == "last" else _ORDINALS.index(word)
    return entries[place] if 0 <= place < len(entries) else None


def picked(message: str, turn: Turn) -> Mentioned | None:
    """The entry that the message picks where the answer asks which of several is meant: "the lucky one"."""
    entries = listed(turn) if turn.answer.startswith(SEVERAL) else []
    said = {*terms(message)}
    shared = [len(said.intersection(terms(each.name))) for each in entries]
    best = [each for each, count in zip(entries, shared, strict=True) if count == max(shared) > 0]
    return chosen(message, [turn] if entries else []) or (best[0] if len(best) == 1 else None)


def labelled(turn: Turn, noun: str = "") -> Mentioned | None:
    """The first entry of this noun that an answer names, under the name that it has now."""
    found = (each for each in LABEL.finditer(turn.answer) if noun in ("", each["noun"]))
    label = next(found, None) if not turn.answer.startswith(_NONE) else None
    if label is None:
        return None
    renamed = _RENAMED.search(turn.answer) if turn.answer.startswith("Renamed") else None
    return Mentioned(renamed[1] if renamed else label["name"], label["kind"] or "")


def _named(turn: Turn, noun: str, heads: AgentHeads) -> Mentioned | None:
    if entry := labelled(turn, noun):
        return entry
    entries = listed(turn)
    if len(entries) == 1:
        return entries[0]
    # What was answered without an entry spoke of none.
    asked = heads.read(turn.message) if not turn.answer else None
    return Mentioned(asked.new_name or asked.name) if asked and (asked.name or asked.new_name) else None


def missed(turn: Turn, noun: str) -> str:
    """The name of which the answer says that there is no entry; empty if it does not."""
    found = re.match(rf"There is no (?:\w+ )?{noun} “([^”]+)”", turn.answer)
    return found[1] if found else ""


def last_change(turns: Sequence[Turn], noun: str, name: str) -> str:
    """The first word of the answer that told the last change of an entry; empty if none did."""
    for turn in reversed(turns):
        first = turn.answer.partition("\n")[0]
        if first.startswith(CHANGES) and f"{noun} “{name}”" in first:
            return first.partition(" ")[0]
    return ""


def claim(turns: Sequence[Turn], heads: AgentHeads) -> str:
    """What the user said last that can be kept or tested."""
    return next(_claims(turns, heads), "")


def tested(turns: Sequence[Turn], heads: AgentHeads) -> tuple[str, str]:
    """The title of the theory that was spoken of last, or the claim, if that came after it and is not saved."""
    for turn in reversed(turns):
        if entry := labelled(turn, "theory"):
            return entry.name, ""
        if found := WEIGHED.search(turn.answer):
            return "", found[1]
        if said := claim((turn,), heads):
            return "", said
    return "", ""


def _claims(turns: Sequence[Turn], heads: AgentHeads) -> Iterator[str]:
    for turn in reversed(turns):
        asked = heads.read(turn.message)
        if asked.action not in _NO_CLAIM:
            yield _claim_of(asked, turn.message, heads)


def _claim_of(asked: Request, message: str, heads: AgentHeads) -> str:
    return asked.text or heads.read(message, "search").text or message.strip()
