"""Which changes of the user's profiles and theories a message asks for.

Decided by words of the message alone, in the nine languages of the intent model's concepts. Neither a model, nor a
document, nor an earlier turn has a say in it, so a text that tells an agent to save or delete changes nothing.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from msgspec import Struct

from cicada.agents.model import AgentKind, Write
from cicada.languages.detection import likeliest
from cicada.planning.intent.concepts import Lexicon, Step, lexicon
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
_READING = ("show", "summary", *_INTERROGATIVE)
_USED = (*_WRITES, _POLITE, *_READING)
_CONCEPT_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "ja", "zh", "ko")
_SENTENCE = re.compile(r"[^?]+\?*|\?+")
# What happens in stories: in a theory these words tell what a character does, not what the user wants done.
# fmt: off
_OF_STORIES = frozenset({
    "kill", "cut", "burn", "lose", "axe", "nuke", "peel", "strip", "drop", "clear", "forget", "record", "file", "set",
    "mark", "turn", "join", "unite", "age", "role", "job", "occupation", "height", "birthday", "hair", "eyes", "scar",
    "status", "lose the", "forget the", "go away", "can go", "must go", "out with", "i removed",
})
# fmt: on


class _Sentence(Struct, frozen=True):
    """What ends with a question mark, or the rest.

    `opening`: the concepts of its first word; in Japanese, Chinese and Korean, whose verbs stand last, of the first
    word that has any.
    """

    concepts: frozenset[str]
    opening: frozenset[str]
    is_question: bool

    @property
    def is_request(self) -> bool:
        """Whether a question asks for something to be done: "Could you delete …?", "Delete it, will you?"."""
        return _POLITE in self.concepts or bool(self.opening.intersection(_WRITES))


def asked_writes(agent: AgentKind, message: str) -> frozenset[Write]:
    """The kinds of writes that the message asks for; none for a question about what is there.

    A profile may be dictated without a verb ("Banquo: limps since the war"), so a message to the profiles agent that
    asks for nothing to be read allows its text to be kept. A theory without a verb is one to be tested.
    """
    sentences = _sentences(message)
    concepts = frozenset[str]().union(*(each.concepts for each in sentences if not each.is_question or each.is_request))
    # "Restore what I deleted" asks for no deletion.
    concepts -= {"delete"} if "restore" in concepts else set()
    asked = frozenset[Write]().union(*(_WRITES[each] for each in concepts if each in _WRITES))
    is_dictated = agent is AgentKind.PROFILES and sentences and not any(map(_reads, sentences))
    return asked or (_TEXTS if is_dictated else frozenset())


def _reads(sentence: _Sentence) -> bool:
    return sentence.is_question or bool(sentence.concepts.intersection(_READING))


def _sentences(message: str) -> list[_Sentence]:
    reading = read(message)
    known = _lexicon(frozenset(likeliest(reading.unquoted, _CONCEPT_LANGUAGES)))
    return [
        _sentence(text.strip(), known, reading.is_ideographic)
        for text in _SENTENCE.findall(reading.unquoted)
        if text.strip()
    ]


def _sentence(text: str, known: Lexicon, is_ideographic: bool) -> _Sentence:
    placed = [(place, _names(step)) for place, step in known.placed(text, is_ideographic)]
    concepts = frozenset[str]().union(*(names for _, names in placed))
    place, first = placed[0] if placed else (0, frozenset[str]())
    opening = first if place == 0 or is_ideographic else frozenset[str]()
    return _Sentence(concepts, opening, text.endswith("?") or bool(first.intersection(_INTERROGATIVE)))


def _names(step: Step) -> frozenset[str]:
    return frozenset(_USED[number - 1] for number in step)


@lru_cache(maxsize=32)
def _lexicon(languages: frozenset[str]) -> Lexicon:
    """The concepts that are used here, numbered from 1 in their order.

    Words that ask are of these languages alone: "was" is a question word in German, and not in English. Words that ask
    for a change are of all, because people mix languages.
    """
    return lexicon([_words(name, languages if name in _READING else None) for name in _USED])


def _words(name: str, languages: frozenset[str] | None) -> dict[str, list[str]]:
    return {
        language: [word for word in words if word not in _OF_STORIES]
        for language, words in _concepts()[name].items()
        if languages is None or language in languages
    }


@cache
def _concepts() -> Mapping[str, Mapping[str, Iterable[str]]]:
    """The intent model's concepts: for each its words, by language."""
    with PACKAGED.open("rb") as packed:
        header = zlib.decompressobj().decompress(packed.read(), 1 << 20).partition(b"\n")[0]
    concepts: Mapping[str, Mapping[str, Iterable[str]]] = json.loads(header)["concepts"]
    return concepts
