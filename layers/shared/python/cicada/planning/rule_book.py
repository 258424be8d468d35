"""The rule book: what speaks for which route, how strongly, and the phrase that says so."""

from collections.abc import Mapping
from dataclasses import dataclass

from cicada.planning.model import Intent
from cicada.planning.patterns import Pattern, Phrases


@dataclass(frozen=True, slots=True)
class Rule:
    """`points` for or against routes where one of `patterns` is found and none of `exceptions`.

    Points are natural-log odds: one point makes a route e times as likely, all else equal.
    With `only`, the rule holds where the message is made of words of that list and of nothing else.
    """

    points: Mapping[Intent, float]
    reason: str
    patterns: tuple[Pattern, ...]
    exceptions: tuple[Pattern, ...]
    only: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """`start` is each route's points before any rule, `silence` its reason when no rule holds."""

    start: Mapping[Intent, float]
    silence: Mapping[Intent, str]
    openers: Phrases
    rules: tuple[Rule, ...]
