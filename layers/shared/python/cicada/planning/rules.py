"""The rule book: what speaks for which route, how strongly, and the phrase that says so."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cicada.errors import ConfigurationError
from cicada.planning.model import Route
from cicada.planning.pattern_language import PatternError, parse_pattern, parse_words
from cicada.planning.patterns import Pattern, Phrases

_RULE_KEYS = frozenset({"points", "reason", "patterns", "unless", "only"})


@dataclass(frozen=True, slots=True)
class Rule:
    """`points` for or against routes where one of `patterns` is found and none of `exceptions`.

    Points are natural-log odds: one point makes a route e times as likely, all else equal.
    With `only`, the rule holds where the message is made of words of that list and of nothing else.
    """

    points: Mapping[Route, float]
    reason: str
    patterns: tuple[Pattern, ...]
    exceptions: tuple[Pattern, ...]
    only: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """`start` is each route's points before any rule, `silence` its reason when no rule holds."""

    start: Mapping[Route, float]
    silence: Mapping[Route, str]
    openers: Phrases
    rules: tuple[Rule, ...]


def load_rules() -> RuleBook:
    """Read the rule book that is packaged with the library. Raises ConfigurationError."""
    return parse_rules(Path(__file__).with_name("rules.toml").read_text("utf-8"))


def parse_rules(text: str) -> RuleBook:
    """A rule book from TOML like `rules.toml`. Raises ConfigurationError, which says what to mend."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"The routing rules are not TOML: {error}; correct that line.") from error
    lists = {name: _words(words, f"The word list '{name}'") for name, words in data.get("words", {}).items()}
    start = data.get("start", {})
    return RuleBook(
        start={route: _number(_start(start, route, "points"), f"[start.{route}] points") for route in Route},
        silence={route: _text(_start(start, route, "reason"), f"[start.{route}] reason") for route in Route},
        openers=lists.get("openers", {}),
        rules=tuple(_rule(entry, number, lists) for number, entry in enumerate(data.get("rule", []), start=1)),
    )


def _start(start: Mapping[str, Any], route: Route, key: str) -> Any:
    try:
        return start[route][key]
    except KeyError as error:
        raise ConfigurationError(f"The routing rules lack [start.{route}] {key}; add it.") from error


def _rule(entry: Mapping[str, Any], number: int, lists: Mapping[str, Phrases]) -> Rule:
    place = f"Routing rule {number} ('{entry.get('reason', 'without a reason')}')"
    if unknown := sorted(entry.keys() - _RULE_KEYS):
        known = ", ".join(sorted(_RULE_KEYS))
        raise ConfigurationError(f"{place} has the unknown key '{unknown[0]}'; use one of {known}.")
    rule = Rule(
        points=_points(entry.get("points"), place),
        reason=_text(entry.get("reason"), f"{place}: reason"),
        patterns=_patterns(entry.get("patterns", ""), place, lists),
        exceptions=_patterns(entry.get("unless", ""), place, lists),
        only=_only(entry.get("only"), place, lists),
    )
    if not rule.patterns and not rule.only:
        raise ConfigurationError(f"{place} can never hold; give it 'patterns' or 'only'.")
    return rule


def _points(table: Any, place: str) -> Mapping[Route, float]:
    if not isinstance(table, dict) or not table:
        raise ConfigurationError(f"{place} gives no points; write for example points = {{ general = 3 }}.")
    if unknown := sorted(table.keys() - set(Route)):
        known = ", ".join(Route)
        raise ConfigurationError(f"{place} names the unknown route '{unknown[0]}'; use one of {known}.")
    return {Route(name): _number(value, f"{place}: points") for name, value in table.items()}


def _words(value: Any, place: str) -> Phrases:
    try:
        return parse_words(_text(value, place))
    except PatternError as error:
        raise ConfigurationError(f"{place}: {error}.") from error


def _patterns(value: Any, place: str, lists: Mapping[str, Phrases]) -> tuple[Pattern, ...]:
    lines = [line.strip() for line in _text(value, f"{place}: patterns").splitlines()]
    try:
        return tuple(parse_pattern(line, lists) for line in lines if line)
    except PatternError as error:
        raise ConfigurationError(f"{place}: {error}.") from error


def _only(name: str | None, place: str, lists: Mapping[str, Phrases]) -> frozenset[str]:
    if name is None:
        return frozenset()
    if name not in lists:
        raise ConfigurationError(f"{place}: there is no word list '{name}'; add it under [words].")
    return frozenset(word for phrases in lists[name].values() for phrase in phrases for word in phrase)


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise ConfigurationError(f"{place} is missing or is not text; write text in quotes.")
    return value


def _number(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{place} is missing or is not a number; write a number such as 2 or 1.5.")
    return float(value)
