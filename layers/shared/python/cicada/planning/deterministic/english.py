"""The planner's closed lists of English words: grammar and words for documents in general, nothing of a domain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from cicada.understanding.tokens import tokens_of


class English(Struct, frozen=True):
    """Phrases by list, each a tuple of words as `tokens_of` writes them, and lists of single words."""

    words: Mapping[str, frozenset[str]]
    phrases: Mapping[str, frozenset[tuple[str, ...]]]
    grouped: Mapping[str, Mapping[str, frozenset[tuple[str, ...]]]]
    known: frozenset[str] = frozenset()

    def is_known(self, word: str) -> bool:
        """Whether the word is in any list, so that it is not a misspelt value."""
        return word in self.known

    def is_function(self, word: str) -> bool:
        """Whether the word is of grammar alone."""
        return word in self.words["function"] or word in self.words["determiners"]


@lru_cache(maxsize=1)
def english() -> English:
    """The lists that are packaged with the library."""
    data: dict[str, list[str] | dict[str, list[str]]] = json.loads(
        Path(__file__).with_name("english.json").read_text("utf-8")
    )
    flat = {name: _phrases(lines) for name, lines in data.items() if isinstance(lines, list)}
    return English(
        words={name: frozenset(each[0] for each in phrases if len(each) == 1) for name, phrases in flat.items()},
        phrases=flat,
        grouped={
            name: {key: _phrases(lines) for key, lines in groups.items()}
            for name, groups in data.items()
            if isinstance(groups, dict)
        },
        known=frozenset(word for phrases in flat.values() for each in phrases for word in each),
    )


def phrase(text: str) -> tuple[str, ...]:
    """A word or phrase as the tokens of a message are."""
    return tuple(token.text for token in tokens_of(text))


def word_set(text: str) -> frozenset[str]:
    """Words with spaces between them, as a set."""
    return frozenset(text.split())


def _phrases(lines: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(phrase(text) for line in lines for text in line.split(",") if text.strip())
