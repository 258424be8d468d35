"""The intent of a message. In a base of scripts every matching rule adds its points, and the most points win.

Points are log odds, so the confidence is their softmax. Ties go to the intent that comes first in the labelling
guide's precedence: a saved entry, then a claim, then the text, then the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from cicada.planning.model import Classification, Intent
from cicada.planning.patterns import Cue, Pattern, without_openers
from cicada.planning.rule_book import Rule, RuleBook
from cicada.planning.tokenizer import ASKED, Message, tokenise

if TYPE_CHECKING:
    from cicada.knowledge_bases.settings import KnowledgeBases

PRECEDENCE = (Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST, Intent.SCRIPT_QUERY, Intent.GENERAL)
_LONGEST_CUE_IN_WORDS = 5

_Held: TypeAlias = list[tuple[Rule, Cue]]


@dataclass(frozen=True, slots=True)
class MessageClassifier:
    """Classifies messages as small talk, questions about documents, or requests on profiles and theories."""

    bases: KnowledgeBases
    rules: RuleBook

    def classify(self, message: str, knowledge_base: str) -> Classification:
        """Profiles and theories are about stories, so only a base of scripts has those intents."""
        by = classify if self.bases.of(knowledge_base).content == "scripts" else classify_for_documents
        return by(message, self.rules)


def classify(text: str, rules: RuleBook) -> Classification:
    """The intent of a message; every text has one."""
    message = without_openers(tokenise(text), rules.openers)
    held = list(_held(message, rules))
    totals = {intent: rules.start[intent] + sum(rule.points.get(intent, 0) for rule, _ in held) for intent in Intent}
    intent = max(PRECEDENCE, key=totals.__getitem__)
    return Classification(intent, _share(totals, intent), _reason(intent, held, rules, message))


def classify_for_documents(text: str, rules: RuleBook) -> Classification:
    """A search, unless the whole message is small talk.

    The subject of the documents is unknown, so no word speaks against a search.
    """
    if only_small_talk(text, rules):
        return Classification(Intent.GENERAL, 1.0, "nothing but small talk")
    return Classification(Intent.SCRIPT_QUERY, 1.0, "may be about the documents")


def only_small_talk(text: str, rules: RuleBook) -> bool:
    """Whether the message has only words of a rule's `only` list, such as greetings."""
    message = without_openers(tokenise(text), rules.openers)
    return any(rule.only and _whole(rule.only, message) is not None for rule in rules.rules)


def _held(message: Message, rules: RuleBook) -> Iterator[tuple[Rule, Cue]]:
    vocabulary = frozenset(message.words)
    for rule in rules.rules:
        cue = _cue(rule, message, vocabulary)
        if cue is not None:
            yield rule, cue


def _cue(rule: Rule, message: Message, vocabulary: frozenset[str]) -> Cue | None:
    if rule.only:
        return _whole(rule.only, message)
    cue = _first(rule.patterns, message, vocabulary)
    if cue is None or _first(rule.exceptions, message, vocabulary) is not None:
        return None
    return cue


def _whole(words: frozenset[str], message: Message) -> Cue | None:
    said = tuple(at for at, word in enumerate(message.words) if word[0].isalnum() or word[0] == "'")
    return said if all(message.words[at] in words for at in said) else None


def _first(patterns: tuple[Pattern, ...], message: Message, vocabulary: frozenset[str]) -> Cue | None:
    for pattern in patterns:
        if pattern.anchor is None or not pattern.anchor.isdisjoint(vocabulary):
            cue = pattern.find(message)
            if cue is not None:
                return cue
    return None


def _share(totals: Mapping[Intent, float], intent: Intent) -> float:
    return 1 / sum(math.exp(total - totals[intent]) for total in totals.values())


def _reason(intent: Intent, held: _Held, rules: RuleBook, message: Message) -> str:
    telling = [pair for pair in held if _weight(pair[0], intent) > (0, 0)]
    if not telling:
        return rules.silence[intent]
    rule, cue = max(telling, key=lambda pair: _weight(pair[0], intent))
    words = [message.words[at] for at in cue if message.words[at] != ASKED]
    return f"{rule.reason} ('{' '.join(words[:_LONGEST_CUE_IN_WORDS])}')" if words else rule.reason


def _weight(rule: Rule, intent: Intent) -> tuple[float, float]:
    """Sort key: the rule's points for the intent, then its points against another."""
    against = max((-points for other, points in rule.points.items() if other is not intent), default=0.0)
    return rule.points.get(intent, 0.0), against
