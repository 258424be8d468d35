"""Terms of Chinese, Japanese and Korean text, which has no spaces between words, or particles written to them.

A run of characters of one script is cut at characters that are mostly function words. A short run is a term; of a
longer one, all pieces of two to four characters are candidates, of which only repeated ones become terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_RUN = re.compile(
    r"(?P<han>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<katakana>[\u30a1-\u30fa\u30fc-\u30ff]+)"
    r"|(?P<hangul>[\uac00-\ud7a3]+)"
)
# Han characters that stand between the words of Chinese, and hardly ever in a noun.
_FUNCTION_CHARACTERS = re.compile("[的了是在和与與及或也就都而之其这這那有为為以于於对對将將被把个個们們你我他她它不]")
# One-character particles at the end of a Korean word.
_PARTICLES = "은는이가을를에의로와과도만"
_LONGEST_WHOLE = 8
_LONGEST_PIECE = 4
_LONGEST_KATAKANA = 15
_LONGEST_HANGUL = 8
SHORTEST = 2


def east_asian_terms(text: str) -> Iterator[str]:
    """The terms and candidates of a text, with repetitions. Hiragana, mostly grammar, is left out."""
    for run in _RUN.finditer(text):
        word = run.group()
        if run.lastgroup == "han":
            yield from _of_han(word)
        elif run.lastgroup == "katakana":
            if SHORTEST <= len(word) <= _LONGEST_KATAKANA:
                yield word
        elif SHORTEST <= len(stem := _without_particle(word)) <= _LONGEST_HANGUL:
            yield stem


def _of_han(run: str) -> Iterator[str]:
    for part in _FUNCTION_CHARACTERS.split(run):
        if SHORTEST <= len(part) <= _LONGEST_WHOLE:
            yield part
        for length in range(SHORTEST, _LONGEST_PIECE + 1):
            if len(part) > length:
                yield from (part[start : start + length] for start in range(len(part) - length + 1))


def _without_particle(word: str) -> str:
    return word[:-1] if len(word) > SHORTEST and word[-1] in _PARTICLES else word
