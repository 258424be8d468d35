"""Extracts plain text from a script's text fields."""

from __future__ import annotations

import re
import unicodedata

from cicada.text import one_line

_LINE_BREAK = re.compile(r"\\r\\n|\\[nr]|<br\s{0,9}/?>|@r(?![a-z])", re.IGNORECASE)
_RUBY_READING = re.compile(r"<(rt|rp)>[^<]{0,100}</\1>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:i|b|u|s|em|strong|span|font|colou?r|size|ruby|rb|p|div)(?:[\s=][^<>]{0,200})?>"
    r"|\[/?(?:i|b|u|colou?r|size)(?:=[^\[\]]{0,100})?\]",
    re.IGNORECASE,
)
# Codes of the game engine: ruby over a base text, voices, waits, and single letters. What goes on in lower case
# is no code, so that an address such as name@kyoto.example stays whole.
_ENGINE_RUBY = re.compile(r"@b[^.@]{0,100}\.@<([^@]{0,200})@>")
_ENGINE_CODE = re.compile(r"@v[A-Z][^\s.]{0,200}\.|@[a-z]\d{1,9}\.(?![a-z])|@[ky](?![a-z])|@[|\-]")
_QUOTES = re.compile("`{2,}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
INVISIBLE = re.compile(r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def plain_text(text: str) -> str:
    """`text` in one line: markup of browsers and of the game engine removed, of a ruby its base text kept."""
    text = _ENGINE_RUBY.sub(r"\1", _RUBY_READING.sub("", _LINE_BREAK.sub(" ", text)))
    text = _QUOTES.sub('"', _ENGINE_CODE.sub("", _TAG.sub("", text)))
    return plain_line(text)


def plain_line(text: str) -> str:
    """`text` in one line and in NFC, without control characters and invisible ones."""
    text = INVISIBLE.sub("", _CONTROL.sub(" ", text))
    return unicodedata.normalize("NFC", one_line(text))


def is_whole(text: str) -> bool:
    """Whether the text has no lone surrogate, which JSON can write and UTF-8 cannot encode."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
