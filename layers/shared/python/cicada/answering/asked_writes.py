"""Which changes of the user's profiles and theories a message asks for.

Decided by words of the message alone, in the nine languages of the intent model's concepts. Neither a model, nor a
document, nor an earlier turn has a say in it, so a text that tells an agent to save or delete changes nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from functools import cache

from msgspec import Struct

from cicada.agents.model import AgentKind, Write
from cicada.planning.intent.concepts import Lexicon, lexicon
from cicada.planning.intent.linear import PACKAGED
from cicada.planning.intent.reading import read

_TEXTS = frozenset({Write.SAVE, Write.APPEND, Write.AMEND})
_WRITES: Mapping[str, frozenset[Write]] = {
    "save": _TEXTS,
    "add": _TEXTS,
    "create": _TEXTS,
    "tag": _TEXTS,
    "change": _TEXTS | {Write.RENAME},
    "rename": _TEXTS | {Write.RENAME},
    # "Remove the limp from Banquo" amends a profile.
    "delete": frozenset({Write.DELETE, Write.AMEND}),
    "merge": _TEXTS | {Write.RENAME, Write.DELETE},
    "restore": frozenset({Write.RESTORE}),
}
_POLITE = "please"
_INTERROGATIVE = ("who", "what", "when", "where", "why", "how", "howmany")
_READING = ("show", "summary", "test", *_INTERROGATIVE)
_USED = (*_WRITES, _POLITE, *_READING)
# What happens in stories: in a theory these words tell what a character does, not what the user wants done.
# fmt: off
_OF_STORIES = frozenset({
    "kill", "cut", "burn", "lose", "axe", "nuke", "peel", "strip", "drop", "clear", "forget", "record", "file", "set",
    "mark", "turn", "join", "unite", "age", "role", "job", "occupation", "height", "birthday", "hair", "eyes", "scar",
    "status", "lose the", "forget the", "go away", "can go", "must go", "out with", "i removed",
})
# fmt: on


class _Found(Struct, frozen=True):
    """The concepts of a message in their order, and whether it is a question."""

    steps: tuple[frozenset[str], ...]
    is_question: bool

    @property
    def concepts(self) -> frozenset[str]:
        return frozenset().union(*self.steps)


def asked_writes(agent: AgentKind, message: str) -> frozenset[Write]:
    """The kinds of writes that the message asks for; none for a question about what is there.

    A profile may be dictated without a verb ("Banquo: limps since the war"), so a message to the profiles agent that
    asks for nothing to be read allows its text to be kept. A theory without a verb is one to be tested.
    """
    found = _found(message)
    if found.is_question and not _is_request(found):
        return frozenset()
    # "Restore what I deleted" asks for no deletion.
    concepts = found.concepts - {"delete"} if "restore" in found.concepts else found.concepts
    asked = frozenset[Write]().union(*(_WRITES[each] for each in concepts if each in _WRITES))
    is_dictated = agent is AgentKind.PROFILES and message.strip() and not found.concepts.intersection(_READING)
    return asked or (_TEXTS if is_dictated else frozenset())


def _is_request(found: _Found) -> bool:
    """Whether a question asks for something to be done: "Could you delete …?", "Delete it, will you?"."""
    first = found.steps[0] if found.steps else frozenset[str]()
    return _POLITE in found.concepts or bool(first.intersection(_WRITES))


def _found(message: str) -> _Found:
    reading = read(message)
    steps = _lexicon().steps(reading.unquoted, reading.is_ideographic)
    names = tuple(frozenset(_USED[number - 1] for number in step) for step in steps)
    opening = names[0] if names else frozenset[str]()
    return _Found(names, "?" in reading.unquoted or bool(opening.intersection(_INTERROGATIVE)))


@cache
def _lexicon() -> Lexicon:
    """The concepts that are used here, numbered from 1 in their order."""
    with PACKAGED.open("rb") as packed:
        header = zlib.decompressobj().decompress(packed.read(), 1 << 20).partition(b"\n")[0]
    concepts: Mapping[str, Mapping[str, Iterable[str]]] = json.loads(header)["concepts"]
    return lexicon([_without_stories(concepts[name]) for name in _USED])


def _without_stories(words: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {language: [each for each in some if each not in _OF_STORIES] for language, some in words.items()}
