"""Which tool a message asks for: a table of verbs, read in the order of the message. Deterministic, and no model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from local.bedrock.tools import Tool
from local.bedrock.words import stem, words


@dataclass(frozen=True, slots=True)
class Intent:
    """`verb` starts the tool's name; `signals` are the words people use for it."""

    verb: str
    signals: frozenset[str]


def _intent(verb: str, signals: str) -> Intent:
    return Intent(verb, frozenset((verb, *signals.split())))


INTENTS = (
    _intent("delete", "remove discard erase forget drop scrap clear bin"),
    _intent(
        "save", "create add store record write note remember keep make update change edit append rename set correct new"
    ),
    _intent("list", "which"),
    _intent("get", "show view open read fetch pull see display recall reopen find what"),
    _intent(
        "search",
        "evidence support supports agree agrees contradict prove refute test check validate verify true hold argue "
        "disagree consistent plausible against speaks backed defend",
    ),
)
SYNONYMS = {
    "character": "person people figure role",
    "location": "place city town castle",
    "episode": "play arc part",
    "group": "faction family house team",
    "profile": "entry card sheet page record note",
    "theory": "hypothesis idea",
}


def alike(noun: str, spoken: Iterable[str]) -> bool:
    """Whether a noun, its plural or a synonym is among the words."""
    wanted = {stem(word) for word in (noun, *SYNONYMS.get(noun, "").split())}
    return any(stem(word) in wanted for word in spoken)


def choose(tools: Sequence[Tool], message: str) -> Tool | None:
    """The tool that the first signal in the message stands for; without one a search, a look-up or a listing."""
    spoken = words(message)
    for intent in _in_order(spoken):
        tool = _tool(tools, intent.verb)
        if tool and _fits(tool, tools, spoken):
            return _listing(tools, spoken) or tool if intent.verb == "get" else tool
    return _tool(tools, "search") or _tool(tools, "get") or _most_alike(tools, spoken)


def _in_order(spoken: Sequence[str]) -> list[Intent]:
    """Intents by the place of their first signal; an imperative stands before what it speaks of."""
    places = [
        (min((place for place, word in enumerate(spoken) if word in intent.signals), default=-1), intent)
        for intent in INTENTS
    ]
    return [intent for place, intent in sorted(places, key=lambda found: found[0]) if place >= 0]


def _fits(tool: Tool, tools: Sequence[Tool], spoken: Sequence[str]) -> bool:
    """Where there is a search, the other tools must be asked for by what they keep: `my theory about …`."""
    if tool.verb == "list" and "list" not in spoken and not _listing(tools, spoken):
        return False
    return tool.verb == "search" or not _tool(tools, "search") or alike(tool.noun, spoken)


def _listing(tools: Sequence[Tool], spoken: Sequence[str]) -> Tool | None:
    """`show my profiles`, in the plural, asks for the list."""
    tool = _tool(tools, "list")
    if tool is None:
        return None
    nouns = [tool.noun, *(choice for parameter in tool.parameters for choice in parameter.choices)]
    plurals = {_plural(word) for noun in nouns for word in (noun, *SYNONYMS.get(noun, "").split())}
    return tool if not plurals.isdisjoint(spoken) else None


def _plural(noun: str) -> str:
    return f"{noun.removesuffix('y')}ies" if noun.endswith("y") and noun[-2:-1] not in "aeo" else f"{noun}s"


def is_instruction(message: str) -> bool:
    """Whether a message starts like one, so that it cannot be the answer to a question."""
    first = words(message)[:1]
    return any(word in intent.signals for word in first for intent in INTENTS)


def _tool(tools: Sequence[Tool], verb: str) -> Tool | None:
    return next((tool for tool in tools if tool.verb == verb), None)


def _most_alike(tools: Sequence[Tool], spoken: Sequence[str]) -> Tool | None:
    """For tools of other names: the one whose name and description share the most words with the message."""
    said = {stem(word) for word in spoken}
    shared = {tool.name: len(said & {stem(word) for word in _described(tool)}) for tool in tools}
    best = max(tools, key=lambda tool: shared[tool.name], default=None)
    return best if best and shared[best.name] else None


def _described(tool: Tool) -> list[str]:
    return words(f"{tool.name.replace('_', ' ')} {tool.description}")
