"""The rule book: patterns, the points that they give to intents, and the reason to log."""

from collections.abc import Mapping
from dataclasses import dataclass

from cicada.planning.model import Intent
from cicada.planning.patterns import Pattern, Phrases


@dataclass(frozen=True, slots=True)
class Rule:
    """`points` for or against intents if one of `patterns` matches and none of `exceptions` does.

    Points are natural-log odds: one point makes an intent e times as likely, all else equal.
    With `only`, the rule matches if the message has only words of that list.
    """

    points: Mapping[Intent, float]
    reason: str
    patterns: tuple[Pattern, ...]
    exceptions: tuple[Pattern, ...]
    only: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """`start`: each intent's points before any rule. `silence`: its reason if no rule matches."""

    start: Mapping[Intent, float]
    silence: Mapping[Intent, str]
    openers: Phrases
    rules: tuple[Rule, ...]
