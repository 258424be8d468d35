"""A message as the classifier reads it: its text in one spelling, its words, and what is quoted in it."""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

# A long message says what it wants at its beginning or its end.
_HEAD_CHARACTERS = 240
_TAIL_CHARACTERS = 120
_QUOTATION_MARKS = "«»“”„‟「」『』《》〈〉"
_ASCII = str.maketrans(dict.fromkeys("’‘`´", "'") | dict.fromkeys(_QUOTATION_MARKS, '"'))
_QUOTATION = re.compile(r'"[^"]{1,300}"|(?<!\w)\'[^\']{2,80}\'(?!\w)')
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s]")
_SPACE = re.compile(r"\s+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")


class Reading(Struct, frozen=True):
    """`text`: in lower case, white space as one space. `unquoted`: the same, each quotation as one mark.

    `words`: words and marks of the unquoted text as they are spelled. `is_ideographic`: words are not separated by
    spaces everywhere (Japanese, Chinese) or carry endings (Korean).
    """

    text: str
    unquoted: str
    words: tuple[str, ...]
    is_ideographic: bool


def read(message: str) -> Reading:
    """Every text has a reading; an empty one has no words."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFKC", _shortened(message)).translate(_ASCII)).strip()
    unquoted = _without_quotations(plain)
    return Reading(plain.lower(), unquoted.lower(), tuple(words_of(unquoted)), _IDEOGRAPHS.search(plain) is not None)


def words_of(text: str) -> list[str]:
    """Words and marks as they are spelled."""
    return _WORD.findall(text)


def is_ideograph(character: str) -> bool:
    return character > "\u2fff" and _IDEOGRAPHS.match(character) is not None


def _shortened(message: str) -> str:
    if len(message) <= _HEAD_CHARACTERS + _TAIL_CHARACTERS:
        return message
    return f"{message[:_HEAD_CHARACTERS]} {message[-_TAIL_CHARACTERS:]}"


def _without_quotations(text: str) -> str:
    """What is quoted is not what is asked, unless the message is nothing but a quotation."""
    rest = _QUOTATION.sub('"', text)
    return text if rest.strip() == '"' else rest
