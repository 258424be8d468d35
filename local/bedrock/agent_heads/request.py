"""What a message asks an agent to do, and with what: read by heads that are learnt from messages of many authors.

The heads choose the tool where no language model does. `python -m tools.agents` trains them (docs/agents.md).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from cicada.understanding.heads import Head, read_heads
from cicada.understanding.intent.features import Lexicon, features
from cicada.understanding.intent.model import load_model
from local.bedrock.agent_heads.features import place_features, span_features
from local.bedrock.agent_heads.line import Line, line_of

PACKAGED = Path(__file__).with_name("heads.bin")
ACTIONS = ("list", "get", "save", "append", "amend", "rename", "delete", "restore", "search", "none")
STORES = ("profiles", "theories", "both")
KINDS = ("character", "location", "episode", "group", "topic", "any")
ROLES = ("name", "text", "new_name")
ENDS = tuple(f"{role} {end}" for role in ROLES for end in ("begins", "ends"))
# The arguments that each action takes, in the order in which they are read.
TAKES: Mapping[str, tuple[str, ...]] = {
    "get": ("name",),
    "save": ("text", "name"),
    "append": ("text", "name"),
    "amend": ("text", "name"),
    "rename": ("new_name", "name"),
    "delete": ("name",),
    "restore": ("name",),
    "search": ("name", "text"),
}
SAID = ("name", "text")
CANDIDATES = 6
# An argument is said from this score on of its likeliest place and of the head that says whether it is there at all.
_LEAST = {"name": -2.0, "text": -4.0}
_LEAST_OF_GET = 0.25
_VERSION = re.compile(
    r"(?:\b(?:version(?:e|en)?|versi[oó]n|versão|v|no|number|rev(?:ision)?)\.? ?"
    r"|バージョン ?|版本 ?|第 ?|버전 ?)(\d+)\b"
    r"|\b(\d+)(?:st|nd|rd|th)? (?:version|draft)|(\d+) ?(?:版|번 ?버전)",
    re.IGNORECASE,
)
_TRIMMED = " \t\n.,;:!?\"'“”„«»「」『』‘’-–—()"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. What the message does not say is empty; `kind` is always the likeliest.

    `sure`: the probability of the action. `store`: profiles, theories or both, with its probability; so has `kind`.
    `may_get`: an entry may be meant to be shown, whatever is likelier. `is_open`: one of several entries is meant, and
    nothing says which.
    """

    action: str
    sure: float = 1.0
    store: str = "profiles"
    store_sure: float = 1.0
    kind: str = "any"
    kind_sure: float = 1.0
    name: str = ""
    text: str = ""
    new_name: str = ""
    version: str = ""
    may_get: bool = False
    is_open: bool = False

    def saying(self, role: str, value: str) -> "Request":
        """The request with an argument that the message did not have."""
        said = {each: getattr(self, each) for each in ROLES} | {role: value}
        return replace(self, name=said["name"], text=said["text"], new_name=said["new_name"])


@dataclass(frozen=True, slots=True)
class AgentHeads:
    """The heads, the words that they know, and the concepts of nine languages that the intents are told by.

    `digest`: of the examples that the heads have learnt from.
    """

    heads: Mapping[str, Head]
    known: frozenset[str]
    lexicon: Lexicon
    frequent: frozenset[str]
    digest: str = ""

    def read(self, message: str, action: str = "") -> Request:
        """What the message asks for, whoever is asked. `action`: what it asks for, if that is known."""
        groups = features(message, self.lexicon, self.frequent)
        chances = self.heads["action"].probabilities(*groups)
        action = action or _likeliest(chances)
        may_get = chances["get"] >= _LEAST_OF_GET
        stores = self.heads["store"].probabilities(*groups)
        store = _likeliest(stores)
        kinds = self.heads["kind"].probabilities(*groups)
        if action == "save":
            kinds.pop("any")
        line = line_of(message, self.known, self.lexicon)
        said = dict(zip(SAID, self.heads["said"].scores(*groups), strict=True))
        spans = self.spans(line, action, said)
        version = _VERSION.search(message) if action in ("restore", "get") else None
        number = next(filter(None, version.groups()), "") if version else ""
        found = {role: cleaned(line.text(*span)) for role, span in spans.items()}
        kind = _likeliest(kinds)
        sure = (chances[action], stores[store], kinds[kind])
        read = Request(action, sure[0], store, sure[1], kind, sure[2], version=number, may_get=may_get)
        return replace(read, name=found.get("name", ""), text=found.get("text", ""), new_name=found.get("new_name", ""))

    def spans(self, line: Line, action: str, said: Mapping[str, float]) -> dict[str, tuple[int, int]]:
        """The first and the last word of each argument that the action takes and the message has.

        `said`: for each of `SAID` a score of whether the message has it.
        """
        found: dict[str, tuple[int, int]] = {}
        places = [self.heads["ends"].scores(*place_features(line, at, action)) for at in range(len(line))]
        for role in TAKES.get(action, ()) if places else ():
            ranked = [each for each in self._ranked(line, role, places) if not _clashes(each[1], found)]
            if ranked and (role not in SAID or ranked[0][0] + said[role] >= _LEAST[role]):
                found[role] = ranked[0][1]
        return found

    def _ranked(self, line: Line, role: str, scores: Sequence[Sequence[float]]) -> list[tuple[float, tuple[int, int]]]:
        found = [
            (score + self.heads["span"].scores(*span_features(line, *span, role))[0], span)
            for score, span in candidates(role, scores)
        ]
        return sorted(found, reverse=True)


def candidates(role: str, scores: Sequence[Sequence[float]]) -> Iterator[tuple[float, tuple[int, int]]]:
    """The likeliest spans by where arguments of the role begin and end. `scores`: for each word, those of `ENDS`."""
    which = 2 * ROLES.index(role)
    firsts = sorted(range(len(scores)), key=lambda at: scores[at][which], reverse=True)[:CANDIDATES]
    lasts = sorted(range(len(scores)), key=lambda at: scores[at][which + 1], reverse=True)[:CANDIDATES]
    for first, last in product(firsts, lasts):
        if first <= last:
            yield (scores[first][which] + scores[last][which + 1]) / 2, (first, last)


def _clashes(span: tuple[int, int], found: Mapping[str, tuple[int, int]]) -> bool:
    """Whether the span shares words with another one; a text may only begin with the name ("that Ann limps")."""
    for role, (first, last) in found.items():
        begins_with_it = role == "text" and span[0] == first and span[1] < last
        if span[0] <= last and span[1] >= first and not begins_with_it:
            return True
    return False


def cleaned(text: str) -> str:
    """The text without marks around it; brackets stay where both are there."""
    bare = text.strip(_TRIMMED)
    return f"{bare})" if "(" in bare and ")" not in bare and f"{bare})" in text else bare


def _likeliest(chances: Mapping[str, float]) -> str:
    return max(chances, key=chances.__getitem__)


def load_agent_heads(content: bytes) -> AgentHeads:
    """The heads of a file that `tools.agents` wrote; the concepts are those of the model of intents."""
    heads, said = read_heads(content)
    return with_concepts(heads, said["known"], said["digest"])


def with_concepts(heads: Mapping[str, Head], known: Collection[str], digest: str = "") -> AgentHeads:
    """Heads with the concepts and the frequent words of the packaged model of intents."""
    linear = load_model().linear
    return AgentHeads(heads, frozenset(known), linear.lexicon, linear.frequent, digest)


@cache
def packaged() -> AgentHeads:
    """The heads that come with the stand-in, read when an agent is first asked."""
    return load_agent_heads(PACKAGED.read_bytes())


def header_of(heads: Mapping[str, Head]) -> dict[str, Any]:
    """What the file says of the heads beside their weights."""
    return {
        name: {"classes": each.classes, "bias": each.bias, "unit": each.unit, "exclusive": each.exclusive}
        for name, each in heads.items()
    }
