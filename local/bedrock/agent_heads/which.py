"""Which profile or theory a message means without its name: "it", "the second one", "the one about the owl"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cicada.text import QUOTATION
from local.bedrock.agent_heads.earlier import (
    CHANGES,
    LABEL,
    WEIGHED,
    Mentioned,
    Turn,
    chosen,
    labelled,
    listed,
    named_in,
)
from local.bedrock.words import STOP_WORDS, stem, terms, words

_NOUN = r"(?:profile|theory|card|entry|note|character|group|location|episode|topic)"
_DESCRIBED = re.compile(
    rf"\b(?:the|that) one (?:about|on|with|of|for|that|where|who|in|which) (?P<behind>[^,.;:?!]+)"
    rf"|\b(?:the|that) (?P<before>(?!other\b|last\b|same\b)(?:[\w'’-]+ ){{1,4}}?)(?:one|{_NOUN})\b",
    re.IGNORECASE,
)
_OTHER = re.compile(rf"\b(?:the|that) other(?: (?:one|{_NOUN})\b|(?=\W*$))", re.IGNORECASE)
_ANY_OF = re.compile(
    r"\b(?:one|any|either|some|a few) (?:out )?of (?:these|those|them|the|my|our|your)\b", re.IGNORECASE
)
# Words that stand beside "it" and "him" and name nothing.
_NAMELESS = STOP_WORDS | {
    *("profile", "theory", "card", "entry", "note", "one", "thing", "far", "last", "latest", "previous", "yet", "name"),
    *("title", "character", "group", "location", "episode", "topic", "place"),
}
_MOVES_ON = frozenset({"okay", "ok", "what", "how", "now", "next", "same", "do", "try", "let's", "then"})


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of the conversation, with the words that were said when it was named."""

    entry: Mentioned
    about: str


def names_nothing(name: str) -> bool:
    """Whether the words only refer to something: "him so far", "that theory"."""
    return name == name.lower() and not {word for word in words(name) if word not in _NAMELESS}


def known(turns: Sequence[Turn], noun: str) -> list[Known]:
    """The entries that the answers named and that are there, in the order in which they were named first."""
    found: dict[str, Known] = {}
    for turn in turns:
        for each in listed(turn):
            if bool(each.kind) == (noun == "profile"):
                found.setdefault(each.name, Known(each, _line_of(turn.answer, each.name)))
        first = turn.answer.partition("\n")[0]
        label = LABEL.search(first)
        entry = labelled(turn)
        if label is None or entry is None or label["noun"] != noun:
            continue
        said = found.get(label["name"])
        about = f"{said.about if said else ''} {turn.message} {turn.answer}"
        if first.startswith("Deleted"):
            found.pop(label["name"], None)
        elif entry.name != label["name"]:
            found = {(entry.name if name == label["name"] else name): each for name, each in found.items()}
        if not first.startswith("Deleted"):
            found[entry.name] = Known(entry, about)
    return list(found.values())


def described(message: str, entries: Sequence[Known]) -> tuple[str, Mentioned | None]:
    """The words by which the message tells one entry from others, and the only entry that they fit best."""
    found = _DESCRIBED.search(QUOTATION.sub("", message))
    said = (found["behind"] or found["before"] or "").strip() if found else ""
    wanted = {*terms(said)} - {stem(word) for word in _NAMELESS}
    if not wanted:
        return "", None
    shared = [len(wanted.intersection(terms(f"{each.entry.name} {each.about}"))) for each in entries]
    best = [each.entry for each, count in zip(entries, shared, strict=True) if count == max(shared) > 0]
    return said, best[0] if len(best) == 1 else None


def only_points(message: str) -> bool:
    """Whether the message says nothing but which entry it means: "and for the other one?"."""
    rest = _DESCRIBED.sub("", _OTHER.sub("", message))
    return rest != message and not [word for word in words(rest) if word not in _NAMELESS and word not in _MOVES_ON]


def is_any_of_several(message: str) -> bool:
    """Whether the message leaves open which entry it means: "one of those two"."""
    return bool(_ANY_OF.search(message))


def entry_meant(message: str, turns: Sequence[Turn], noun: str) -> Mentioned | None:
    """The entry that the message points at by its known name, by its place or by what it is about."""
    if name := named_in(message, turns):
        entries = known(turns, noun)
        return next((each.entry for each in entries if each.entry.name == name), Mentioned(name))
    return pointed_at(message, turns, noun)


def pointed_at(message: str, turns: Sequence[Turn], noun: str) -> Mentioned | None:
    """The entry that the message points at by its place, as the other one or by what it is about."""
    entries = known(turns, noun)
    by_place = chosen(message, turns) or _in_order(message, entries)
    if by_place or not entries:
        return by_place
    if _OTHER.search(message):
        last = next((each[1] for each in [spoken_of_last(turns)] if each and each[0] == noun), None)
        others = [each.entry for each in entries if last is None or each.entry.name != last.name]
        return others[-1] if others else None
    return described(message, entries)[1]


def spoken_of_last(turns: Sequence[Turn]) -> tuple[str, Mentioned] | None:
    """The profile or theory that an answer named last, under its present name, with its noun."""
    for turn in reversed(turns):
        label, entry = LABEL.search(turn.answer), labelled(turn)
        if label and entry:
            return label["noun"], entry
        weighed = WEIGHED.search(turn.answer)
        tested = [each.entry for each in known(turns, "theory") if weighed and weighed[1] in each.about]
        if tested:
            return "theory", tested[-1]
    return None


def changed_last(turns: Sequence[Turn]) -> tuple[str, Mentioned] | None:
    """The same of the one that was changed last."""
    return spoken_of_last([turn for turn in turns if turn.answer.startswith(CHANGES)])


def _in_order(message: str, entries: Sequence[Known]) -> Mentioned | None:
    """The entry that "the first one" is where no answer listed any: in the order in which they were named."""
    rows = Turn("", "\n".join(f"- {each.entry.name} (2000-01-01)" for each in entries))
    found = chosen(message, [rows]) if len(entries) > 1 and re.search(r"\bone\b", message) else None
    return next((each.entry for each in entries if found and each.entry.name == found.name), None)


def _line_of(answer: str, name: str) -> str:
    return next((line for line in answer.splitlines() if line.startswith("- ") and name in line), "")
