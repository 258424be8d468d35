"""A message as tokens with their positions, for the planner's grammars.

Hyphens inside words are left out ("change-control" is two tokens); clitics are tokens of their own ("Nair's" is
`nair` `'s`, "isn't" is `is` `n't`). Quotation marks are all `"`.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

MAX_CHARACTERS = 480
"""Of a longer message only the beginning and the end are read: what is asked for stands in one of them."""
_BEGINNING, _END = 300, 179
MAX_TOKENS = 200
SENTENCE_ENDS = frozenset(".?!;\n")

_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
)
_TOKEN = re.compile(
    r"""\d{4}-\d{2}(?:-\d{2})?(?![\w-])
    | \d{1,2}[./]\d{1,2}[./]\d{4}(?!\w)
    | \d+(?:[.,]\d+)+(?!\w)
    | n't(?!\w)
    | '(?:s|m|re|ve|ll|d)(?!\w)
    | (?:do|does|did|is|are|was|were|ca|wo|has|have|had|must|need|should|could|would)(?=n't(?!\w))
    | [^\W_]+
    | (?<!\w)'|'(?!\w)
    | [.,;:?!()/="&+%\#<>|*\n]
    | (?<!\w)-+ | -+(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)


class Token(Struct, frozen=True):
    """`text` is in lower case. `start`, `end`: where `raw` stands in the message. `glued`: no space before it."""

    text: str
    raw: str
    start: int
    end: int
    glued: bool = False

    @property
    def is_capitalised(self) -> bool:
        return self.raw[0].isupper()


def tokens_of(message: str) -> tuple[Token, ...]:
    """The tokens of a message; a very long one is cut."""
    text = normal(message)
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        tokens.append(_token(found, tokens[-1].end if tokens else -1))
        if len(tokens) == MAX_TOKENS:
            break
    return tuple(tokens)


def normal(message: str) -> str:
    """The message as the positions of its tokens count, with plain quotation marks and hyphens."""
    return unicodedata.normalize("NFKC", _ends(message)).translate(_ASCII)


def _ends(message: str) -> str:
    """The message, or the beginning and the end of a long one as lines of their own, without words cut in two."""
    if len(message) <= MAX_CHARACTERS:
        return message
    beginning, end = message[:_BEGINNING], message[-_END:]
    return f"{beginning.rpartition(' ')[0] or beginning}\n{end.partition(' ')[2] or end}"


def _token(found: re.Match[str], previous_end: int) -> Token:
    raw = found.group()
    text = '"' if raw == "'" else raw[0] if raw[0] == "-" else raw.lower()
    between = found.start() - previous_end
    glued = previous_end >= 0 and (between == 0 or (between == 1 and found.string[previous_end] in "-_"))
    return Token(text, raw, found.start(), found.end(), glued)
