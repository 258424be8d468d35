"""How a model is shown text that others wrote: titles, names, passages, saved entries, earlier answers.

A prompt has two kinds of lines. Those that begin with a bar are quoted; the others are the application's own. Every
text from a document goes through `quoted`, or through `named` where it stands inside a sentence, so no content of it
can begin a line of the application's, close its quotation, or hold characters that people cannot see.
"""

from __future__ import annotations

import re
import unicodedata

BAR = "|"

# Joiners are part of spelling in Persian and Indic scripts and of emoji: one is kept between two such characters.
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = re.compile(r"[\u200c\u200d]{2,}|(?<![^\s\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\s\x00-\x7f])")
# Blank in every font: Hangul fillers, the Braille blank, variation selectors, the combining grapheme joiner.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0e\U000e0100-\U000e01ef]")
# Control, format (bidirectional controls, zero width, tags), surrogates, private use, unassigned.
_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
# A citation is `[1]`: only the application numbers passages.
_CITATION = re.compile(r"[\[［【〔](\s*\d[\d\s,;–—-]*)[\]］】〕]")
# Words that delimit turns in the chat templates of published models.
_TEMPLATE = re.compile(
    r"<\|([^<>|]{1,60})\|>|<<\s*(/?SYS)\s*>>|\[\s*(/?INST|/?SYSTEM_PROMPT|/?TOOL_\w{1,30}|/?AVAILABLE_TOOLS)\s*\]"
    r"|<\s*(/?(?:start_of_turn|end_of_turn|s|bos|eos|thinking|document|passage|function_calls|tool_result))\s*>",
    re.IGNORECASE,
)
_QUOTATION_MARKS = str.maketrans(dict.fromkeys("“”„‟", "'"))


def quoted(text: str) -> str:
    """The text with a bar before every line, for every kind of line break; an empty text is one bar."""
    return "\n".join(f"{BAR} {line}".rstrip() for line in _lines(text)) or BAR


def named(text: str) -> str:
    """The text on one line between curly quotation marks, of which it has none itself."""
    return f"“{' '.join(visible(text).split()).translate(_QUOTATION_MARKS)}”"


def one_quoted_line(text: str) -> str:
    """The text behind one bar."""
    return quoted(" ".join(text.split()))


def visible(text: str) -> str:
    """What a reader sees of the text: without invisible characters, citations, and delimiters of chat templates.

    Line breaks stay, all in the form of a line feed.
    """
    return "\n".join(_lines(text))


def _lines(text: str) -> list[str]:
    return [_plain(line) for line in text.splitlines()]


def _plain(line: str) -> str:
    if line.isascii() and line.isprintable() and "[" not in line and "<" not in line:
        return line
    shown = "".join(" " if each == "\t" else each for each in _BLANK.sub("", line) if each == "\t" or _is_seen(each))
    shown = _LOOSE_JOINER.sub("", shown)
    return _TEMPLATE.sub(_said, _CITATION.sub(r"(\1)", shown))


def _said(found: re.Match[str]) -> str:
    return f"({next(each for each in found.groups() if each)})"


def _is_seen(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _INVISIBLE
