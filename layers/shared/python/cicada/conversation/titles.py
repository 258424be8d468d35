"""Titles of sessions: made from the first message, or given by the user."""

from __future__ import annotations

import re

from cicada.text import one_line

TITLE_LENGTH = 80
# Control characters, what turns the reading direction, and what takes no place: with them a title could look like
# another one, or like none. Joiners stay, because words of some scripts and emoji need them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def clean_title(text: str) -> str:
    """The text on one line, without what nobody sees; empty if nothing is left."""
    return one_line(_UNSEEN.sub("", text))


def title_of(message: str) -> str:
    """What a session that begins with this message is called: at most 80 characters, not cut within a word.

    Of a longer message its first question that is short enough says more than its beginning.
    """
    text = clean_title(message)
    if len(text) <= TITLE_LENGTH:
        return text or message[:TITLE_LENGTH]
    sentences = text.replace("? ", "?\n").replace(". ", ".\n").replace("! ", "!\n").split("\n")
    question = next((each for each in sentences if each.endswith("?") and len(each) <= TITLE_LENGTH), None)
    return question or _beginning(text)


def _beginning(text: str) -> str:
    cut = text[: TITLE_LENGTH - 1]
    whole_words = cut if text[TITLE_LENGTH - 1] == " " else cut.rpartition(" ")[0]
    return f"{whole_words.rstrip() or cut}…"
