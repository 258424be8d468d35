"""The intent of a message: small talk by certain rules, everything else by a model learnt from examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey
from cicada.understanding.follow_up_text import speaks_to_the_assistant
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.plan import Classification, Intent
from cicada.understanding.quoted_lines import asks_of_words
from cicada.understanding.subjects import subjects_of

if TYPE_CHECKING:
    from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases

AGENT_NAMES: Final = {Intent.PROFILE_REQUEST: "profiles", Intent.THEORY_REQUEST: "theories"}
AGENT_INTENTS: Final = {name: intent for intent, name in AGENT_NAMES.items()}
_REASONS = {
    Intent.SCRIPT_QUERY: "reads like a question about the texts",
    Intent.PROFILE_REQUEST: "reads like a request about the user's saved notes",
    Intent.THEORY_REQUEST: "reads like a request about a theory",
    Intent.GENERAL: "reads like conversation",
}
_SMALL_TALK = Classification(Intent.GENERAL, 1.0, "nothing but small talk")
_SEARCHED = Classification(Intent.SCRIPT_QUERY, 1.0, "may be about the documents")
AGENTS: Final = frozenset(AGENT_NAMES)
# What an agent keeps is compared and quoted as well.
_KEPT = re.compile(r"\b(?:profiles?|theor(?:y|ies)|notes?|entr(?:y|ies)|saved?|my|mine)\b", re.IGNORECASE)

Classify = Callable[[str, KnowledgeBaseKey], Classification]


class IntentModel(Protocol):
    """Gives each intent its probability. `asks`: whether the message is a question about something."""

    @property
    def threshold(self) -> float: ...

    def probabilities(self, message: str) -> Mapping[Intent, float]: ...

    def asks(self, message: str) -> bool: ...


class MessageClassifier(Struct, frozen=True):
    """Classifies messages as conversation, questions about the texts, or requests on profiles and theories."""

    bases: KnowledgeBases
    model: IntentModel

    @property
    def threshold(self) -> float:
        """The confidence from which on a classification needs no second opinion."""
        return self.model.threshold

    def classify(self, message: str, base_key: KnowledgeBaseKey) -> Classification:
        """The intent among those that the base has. Every message has one."""
        base = self.bases.of(base_key)
        if is_small_talk(message):
            return _SMALL_TALK
        off = frozenset(Intent) - frozenset(served_intents(base))
        if base.content == "scripts":
            return _among_stories(message, self.model, off)
        return self._among_documents(message, base, off)

    def _among_documents(self, message: str, base: KnowledgeBase, off: frozenset[Intent]) -> Classification:
        """A search, unless the assistant or an agent of the base is surely meant: what the documents say is unknown."""
        speaks = speaks_to_the_assistant(message)
        if not base.agents and not speaks:
            return _SEARCHED
        found = _likeliest(self.model.probabilities(message))
        if speaks and found.intent is Intent.GENERAL and found.confidence >= self.threshold:
            return found
        if found.intent in off:
            return _SEARCHED
        is_sure = found.intent in AGENT_NAMES and found.confidence >= self.threshold
        return found if is_sure else replace(_SEARCHED, seems=found)


def classify(message: str, probabilities: Callable[[str], Mapping[Intent, float]]) -> Classification:
    """The intent of a message to a base of scripts with profiles and theories."""
    return _SMALL_TALK if is_small_talk(message) else _likeliest(probabilities(message))


def served_intents(base: KnowledgeBase) -> tuple[Intent, ...]:
    """All intents but those of the agents that the base has not."""
    return tuple(intent for intent in Intent if AGENT_NAMES.get(intent) in (None, *base.agents))


def _asks_the_texts(message: str) -> bool:
    """Whether the message compares two, or asks whose words it quotes or where they stand, and names nothing kept."""
    return not _KEPT.search(message) and (asks_of_words(message) or len(subjects_of(message)) > 1)


def _among_stories(message: str, model: IntentModel, off: frozenset[Intent]) -> Classification:
    """What would be for an agent that is off is a search if it asks, and else what is likeliest without the agent."""
    if _asks_the_texts(message):
        return Classification(Intent.SCRIPT_QUERY, 1.0, _REASONS[Intent.SCRIPT_QUERY])
    chances = model.probabilities(message)
    likeliest = _likeliest(chances)
    if likeliest.intent not in off:
        return likeliest
    if model.asks(message):
        return Classification(Intent.SCRIPT_QUERY, likeliest.confidence, _REASONS[Intent.SCRIPT_QUERY])
    rest = {intent: chance for intent, chance in chances.items() if intent not in off}
    whole = sum(rest.values())
    return _likeliest({intent: chance / whole for intent, chance in rest.items()})


def _likeliest(chances: Mapping[Intent, float]) -> Classification:
    intent = max(chances, key=chances.__getitem__)
    return Classification(intent, chances[intent], _REASONS[intent])
