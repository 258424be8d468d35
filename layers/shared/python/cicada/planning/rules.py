"""Reading the rule book from its file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from cicada.errors import ConfigurationError
from cicada.planning.model import Intent
from cicada.planning.pattern_language import PatternError, parse_pattern, parse_words
from cicada.planning.patterns import Pattern, Phrases
from cicada.planning.rule_book import Rule, RuleBook
from cicada.validation import Form, checked, parse_toml


def _points(value: object) -> object:
    """Points by intent; anything but a table of numbers is left to pydantic to refuse."""
    if not isinstance(value, dict) or not value:
        raise ValueError("gives no points; write for example points = { general = 3 }")
    if unknown := sorted(value.keys() - set(Intent)):
        raise ValueError(f"names the unknown route '{unknown[0]}'; use one of {', '.join(Intent)}")
    return {Intent(name): points for name, points in value.items()}


class _File(Form):
    words: dict[str, str] = Field(default_factory=dict)
    start: dict[str, Any] = Field(default_factory=dict)
    rule: list[dict[str, Any]] = Field(default_factory=list)


class _Start(Form):
    points: float
    reason: str


class _Rule(Form):
    points: Annotated[dict[Intent, float], BeforeValidator(_points)]
    reason: str
    patterns: str = ""
    unless: str = ""
    only: str | None = None


def load_rules() -> RuleBook:
    """Read the rule book that is packaged with the library. Raises ConfigurationError."""
    return parse_rules(Path(__file__).with_name("rules.toml").read_text("utf-8"))


def parse_rules(text: str) -> RuleBook:
    """A rule book from TOML like `rules.toml`. Raises ConfigurationError, which says what to correct."""
    data = parse_toml(text, "The routing rules are not TOML")
    file = checked(_File, data, "The routing rules")
    lists = {name: _words(words, name) for name, words in file.words.items()}
    start = {
        intent: checked(_Start, file.start.get(intent, {}), f"The routing rules: [start.{intent}]") for intent in Intent
    }
    return RuleBook(
        start={intent: each.points for intent, each in start.items()},
        silence={intent: each.reason for intent, each in start.items()},
        openers=lists.get("openers", {}),
        rules=tuple(_rule(entry, number, lists) for number, entry in enumerate(file.rule, start=1)),
    )


def _rule(entry: Mapping[str, Any], number: int, lists: Mapping[str, Phrases]) -> Rule:
    place = f"Routing rule {number} ('{entry.get('reason', 'without a reason')}')"
    read = checked(_Rule, entry, place)
    rule = Rule(
        points=read.points,
        reason=read.reason,
        patterns=_patterns(read.patterns, place, lists),
        exceptions=_patterns(read.unless, place, lists),
        only=_only(read.only, place, lists),
    )
    if not rule.patterns and not rule.only:
        raise ConfigurationError(f"{place} can never hold; give it 'patterns' or 'only'.")
    return rule


def _words(text: str, name: str) -> Phrases:
    try:
        return parse_words(text)
    except PatternError as error:
        raise ConfigurationError(f"The word list '{name}': {error}.") from error


def _patterns(text: str, place: str, lists: Mapping[str, Phrases]) -> tuple[Pattern, ...]:
    try:
        return tuple(parse_pattern(line, lists) for line in text.splitlines() if line.strip())
    except PatternError as error:
        raise ConfigurationError(f"{place}: {error}.") from error


def _only(name: str | None, place: str, lists: Mapping[str, Phrases]) -> frozenset[str]:
    if name is None:
        return frozenset()
    if name not in lists:
        raise ConfigurationError(f"{place}: there is no word list '{name}'; add it under [words].")
    return frozenset(word for phrases in lists[name].values() for phrase in phrases for word in phrase)
