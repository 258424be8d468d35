"""Which language a question is in: a guess by script and stop words, which costs no call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cicada.languages.stemming import STEMMED, stop_words

# By ISO 639-1 code; the names are what a model is told.
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
    """Whether the text is in that language (a key of `LANGUAGES`), as far as its script and stop words show.

    False where they do not decide. Kana makes a text Japanese: Chinese characters without any count as Chinese.
    """
    for script, written in _SCRIPTS:
        if script.search(text):
            return language == written
    words = _words(text)
    votes = {name: sum(word in stop_words(name) for word in words) for name in set(STEMMED.values())}
    own = votes.pop(STEMMED.get(language, ""), 0)
    return own > max(votes.values())


def has_words(text: str) -> bool:
    """Whether there is anything in it that another language says otherwise: `E-4102 (2)` has not."""
    return any(len(word) > 1 for word in _words(text)) or any(script.search(text) for script, _ in _SCRIPTS)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))
