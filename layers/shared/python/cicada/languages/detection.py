"""Guesses a question's language from its script and stop words, without a call of a model."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cicada.languages.stemming import STEMMED, stop_words

# By ISO 639-1 code; the names are for prompts.
LANGUAGES: Mapping[str, str] = {
    **{code: name.capitalize() for code, name in STEMMED.items()},
    "ja": "Japanese",
    "ko": "Korean",
    "zh": "Chinese",
}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SCRIPTS = (
    (re.compile(r"[\u3041-\u30ff]"), "ja"),
    (re.compile(r"[\uac00-\ud7a3]"), "ko"),
    (re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"), "zh"),
)


def is_in(text: str, language: str) -> bool:
    """Whether script and stop words show that the text is in that language (a key of `LANGUAGES`).

    False if they do not decide. A text with kana is Japanese; one with Chinese characters and no kana is Chinese.
    """
    written = _written(text)
    if written:
        return language == written
    votes = _votes(text)
    own = votes.pop(STEMMED.get(language, ""), 0)
    return own > max(votes.values())


def has_words(text: str) -> bool:
    """Whether the text has words to translate; `E-4102 (2)` has none."""
    return any(len(word) > 1 for word in _words(text)) or any(script.search(text) for script, _ in _SCRIPTS)


def _written(text: str) -> str:
    """The language that the script shows; empty for scripts of several languages."""
    return next((language for script, language in _SCRIPTS if script.search(text)), "")


def _votes(text: str) -> dict[str, int]:
    """The number of stop words by the name of their language."""
    words = _words(text)
    return {name: sum(word in stop_words(name) for word in words) for name in set(STEMMED.values())}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))
