"""A message to an agent as a line of masked words, so that what it is about does not matter, only how it is asked."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from cicada.understanding.features import END, START, code
from cicada.understanding.intent.features import Lexicon
from cicada.understanding.intent.reading import is_ideograph

MOST_TOKENS = 1_200
AROUND = 4
_QUOTES = frozenset('"“”„«»「」『』')
_PLAIN = str.maketrans(dict.fromkeys("’‘`´", "'") | dict.fromkeys(_QUOTES, '"') | dict.fromkeys("–—", "-"))
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3"
_TOKEN = re.compile(
    rf"[{_IDEOGRAPHS}]"
    r"|['’](?:s|m|re|ve|ll|d)(?!\w)"
    r"|\d+(?:[.,:]\d+)*"
    r"|\b(?:[ldjcnsmt]|qu|(?:d|n)?ell|all|un)['’](?=\w)"
    rf"|(?:(?![{_IDEOGRAPHS}])[^\W_])+"
    r"|[^\w\s]|\n",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_ENDINGS = ("ing", "ed", "s")


@dataclass(frozen=True, slots=True)
class Token:
    """`text`: in lower case, with plain marks. `start`, `end`: where it stands in the message."""

    text: str
    raw: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        return self.raw[0].isupper()


@dataclass(frozen=True, slots=True)
class Line:
    """`codes`: of the masked words, with four beyond either end. `cues`: the concepts that begin at each word.

    `quoted`: which words stand in quotation marks.
    """

    message: str
    tokens: tuple[Token, ...]
    codes: tuple[int, ...]
    cues: tuple[tuple[int, ...], ...]
    quoted: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def code(self, at: int) -> int:
        """The code of the word at this place, which may lie up to four places outside."""
        return self.codes[at + AROUND]

    def text(self, first: int, last: int) -> str:
        """The words from the first to the last as they were written; the last word of all stands for all after it.

        What hyphens join is one word: "Put-on".
        """
        end = len(self.message) if last == MOST_TOKENS - 1 else self.tokens[last].end
        begins = next(
            (each.start() for each in self._joined() if each.start() < self.tokens[first].start < each.end()), -1
        )
        ends = next((each.end() for each in self._joined() if each.start() < end < each.end()), end)
        return self.message[begins if begins >= 0 else self.tokens[first].start : ends]

    def _joined(self) -> Iterator[re.Match[str]]:
        return _JOINED.finditer(self.message)


def tokens_of(message: str) -> tuple[Token, ...]:
    """Words, marks and single ideographs."""
    found = [
        Token(each.group().translate(_PLAIN).lower(), each.group(), each.start(), each.end())
        for _, each in zip(range(MOST_TOKENS), _TOKEN.finditer(message), strict=False)
    ]
    return tuple(found)


def line_of(message: str, known: Collection[str], lexicon: Lexicon) -> Line:
    """The line of a message. `known`: the words that many authors use, which stay unmasked."""
    tokens = tokens_of(message)
    codes = [code(_symbol(token, known)) for token in tokens]
    return Line(
        message,
        tokens,
        (*[START] * AROUND, *codes, *[END] * AROUND),
        _cues(message, tokens, lexicon),
        tuple(_in_quotes(tokens)),
    )


def _symbol(token: Token, known: Collection[str]) -> str:
    if token.text in known:
        return token.text
    first = token.text[0]
    if not first.isalnum():
        return first
    if first.isdigit():
        return "#"
    if is_ideograph(first):
        return "字"
    if token.is_capital:
        return "Aa"
    return "~" + next((ending for ending in _ENDINGS if token.text.endswith(ending)), "")


def _cues(message: str, tokens: Sequence[Token], lexicon: Lexicon) -> tuple[tuple[int, ...], ...]:
    # One character for one, so that places stay.
    lower = "".join(each.lower() if len(each.lower()) == 1 else each for each in message).translate(_PLAIN)
    placed = dict(lexicon.placed(lower, any(map(is_ideograph, message))))
    return tuple(placed.get(token.start, ()) for token in tokens)


def _in_quotes(tokens: Sequence[Token]) -> list[bool]:
    inside, found = False, list[bool]()
    for token in tokens:
        inside = not inside if token.text == '"' else inside
        found.append(inside and token.text != '"')
    return found
