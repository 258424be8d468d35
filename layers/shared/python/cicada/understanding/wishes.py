"""Whether a message wants the documents about a subject ("SOPs about cleaning"), not what they say about it.

A learnt head says so from the outline of the message: its words of grammar, with one symbol each for a run of words to
search for, for conditions and for what a document is called.
"""

from __future__ import annotations

from collections.abc import Sequence

from cicada.understanding.features import Features, message_features
from cicada.understanding.heads import Heads
from cicada.understanding.masking import Line, line_of
from cicada.understanding.reading import CONDITIONS, RECORDS, Reading, Role

HEAD = "wish"
DOCUMENTS = "documents"
# From this probability on documents are wanted. On authors left out the F1 is flat around it.
LIKELY = 0.35

# From here on words that no head has read are the subject of a message that states something else too.
SURE = 0.75

_RECORD, _SUBJECT, _CONDITION = "Item", "Topic", "Cond"
_SYMBOLS = {"topic": _SUBJECT, "content": _SUBJECT, "unk": _SUBJECT, "contains": _CONDITION, "doc": _CONDITION}
_UNREAD = frozenset({"none", "unk"})


def wish_for_documents(reading: Reading, heads: Heads) -> float:
    """The probability that the message wants documents, if it has a subject."""
    return heads[HEAD].probabilities(wish_features(reading.line, reading.roles))[DOCUMENTS]


def unread_subject(reading: Reading) -> str:
    """The unknown words behind the word for records that are read as nothing, or an empty text.

    Where documents are wanted they are a subject that was missed: without it every document would be listed.
    """
    symbols, mentions = reading.line.symbols, reading.facts.mentions
    places = [at for at, place in enumerate(reading.line.places) if symbols[place] in RECORDS]
    unread = [
        mentions[at]
        for at, place in enumerate(reading.line.places)
        if places and at > places[0] and symbols[place][0] == "~" and _is_unread(reading.roles[at])
    ]
    if not unread:
        return ""
    return " ".join(each.raw for each in reading.facts.tokens[unread[0].start : unread[-1].end])


def _is_unread(role: Role) -> bool:
    """Whether a word is read as nothing, or as a condition that no field can have."""
    return role.name in _UNREAD or (role.is_condition and role.field is None)


def wish_features(line: Line, roles: Sequence[Role]) -> Features:
    """The features of a message's outline. `roles`: of the mentions, which stand at the line's `places`."""
    return message_features(_outline(line, roles))


def _outline(line: Line, roles: Sequence[Role]) -> Line:
    by_place = dict(zip(line.places, roles, strict=True))
    symbols: list[str] = []
    cues: list[int] = []
    for place, symbol in enumerate(line.symbols):
        kind = _kind(symbol, by_place.get(place))
        if kind is None or symbols[-1:] != [kind]:
            symbols.append(kind or symbol)
            cues.append(0 if kind else line.cues[place])
    return line_of(tuple(symbols), (), tuple(cues))


def _kind(symbol: str, role: Role | None) -> str | None:
    """The symbol that stands for a whole run; None for a word that stays as it is."""
    if symbol in RECORDS:
        return _RECORD
    name = role.name if role else None
    return _CONDITION if name in CONDITIONS else _SYMBOLS.get(name or "")
