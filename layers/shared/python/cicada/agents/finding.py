"""Finds the entry that a user's words name: "the theory about Lady Macbeth"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from cicada.agents.model import Entry
from cicada.agents.text import matching_key

# fmt: off
_FILLERS = frozenset({
    "a", "about", "an", "and", "are", "at", "by", "called", "character", "episode", "for", "from", "group", "in",
    "is", "its", "location", "my", "named", "of", "on", "one", "our", "profile", "profiles", "that", "the", "their",
    "theories", "theory", "this", "titled", "to", "topic", "which", "with",
})
# fmt: on


def best_matches(wanted: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that match best: those of the first of four tests that any entry passes.

    The name is the same; it has the same words; it has all the words; name and text together have all the words.
    Words like "the" and "theory" do not count.
    """
    key, words = matching_key(wanted), _words(wanted)
    tests: tuple[Callable[[Entry], bool], ...] = (
        lambda entry: matching_key(entry.name) == key,
        lambda entry: _words(entry.name) == words,
        lambda entry: _has_all(entry.name, words),
        lambda entry: _has_all(f"{entry.name}\n{entry.text}", words),
    )
    return next((found for test in tests if (found := [each for each in entries if test(each)])), [])


def _words(text: str) -> frozenset[str]:
    """The words that count; all of them if none does."""
    words = frozenset(re.findall(r"\w+", matching_key(text)))
    return words - _FILLERS or words


def _has_all(text: str, words: frozenset[str]) -> bool:
    """Languages without spaces between words are searched for the characters."""
    key = matching_key(text)
    there = frozenset(re.findall(r"\w+", key))
    return bool(words) and all(word in there or (not word.isascii() and word in key) for word in words)
