"""The text of a file: its encoding, its characters, and damage to it."""

from __future__ import annotations

import codecs
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from cicada.errors import DocumentRejectedError
from cicada.ingest.markup import plain_line
from cicada.ingest.model import Problem

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a page may declare (https://encoding.spec.whatwg.org/#names-and-labels), by Python's names: a codec such as
# `punycode` or `zlib` is a text encoding to Python too, and takes hours or memory on hostile bytes.
_DECLARABLE = {
    *("utf-8", "big5", "gbk", "gb2312", "gb18030", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949"),
    *("koi8-r", "koi8-u", "cp866", "mac-roman", "mac-cyrillic", "cp874"),
    *(f"iso8859-{part}" for part in range(2, 17)),
    *(f"cp125{page}" for page in range(9)),
}
# Names of the web that Python does not know.
_LABELS = {"windows-31j": "cp932", "x-sjis": "cp932", "windows-949": "cp949", "x-gbk": "gbk", "x-euc-jp": "euc_jp"}
# Browsers read these labels so: the control characters of Latin-1 are printable in Windows-1252.
_ALIASES = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}


class Decoded(Struct, frozen=True):
    r"""The text with `\n` as its only line ends, and what was guessed."""

    text: str
    problems: tuple[Problem, ...] = ()


def has_mark(content: bytes) -> bool:
    """Whether the content begins with a Unicode byte order mark."""
    return any(content.startswith(mark) for mark, _ in _MARKS)


def decode(content: bytes, declared: str = "") -> Decoded:
    """Decode by the byte order mark, else as declared, else as UTF-8, else as Windows-1252 or Latin-1 with a problem.

    `DocumentRejectedError` if the bytes are invalid in the encoding of their byte order mark.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(_unix_lines(_marked(content[len(mark) :], encoding)))
    known = _known(declared)
    for encoding in dict.fromkeys([known or "utf-8", "utf-8"]):
        text = _tried(content, encoding)
        if text is not None:
            return Decoded(_unix_lines(text))
    guess = "cp1252" if _tried(content, "cp1252") is not None else "latin-1"
    reason = (
        f"The file is not in {known or 'utf-8'}, so it was read as {'Windows-1252' if guess == 'cp1252' else 'Latin-1'}"
        "; if letters are wrong, save it as UTF-8 and upload it again."
    )
    return Decoded(_unix_lines(content.decode(guess)), (Problem("", reason, "guessed_encoding"),))


def _marked(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentRejectedError(
            f"The file has the byte order mark of {encoding}, but is in another encoding from byte {error.start + 1} "
            "on; save it as UTF-8 and upload it again.",
            "damaged",
        ) from error


def _known(declared: str) -> str:
    try:
        name = codecs.lookup(_LABELS.get(declared.lower(), declared)).name if declared else ""
    except (LookupError, ValueError):
        return ""
    name = _ALIASES.get(name, name)
    return name if name in _DECLARABLE else ""


def _tried(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Ligatures of printed pages, which queries do not contain.
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_SPACES = re.compile(r"( +)")
# More spaces in one place are no readable layout; they would only fill chunks.
_MOST_SPACES = 40


def clean_line(text: str) -> str:
    """`text` in one line without ligatures; surrogate pairs are joined, and a lone surrogate becomes U+FFFD."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return plain_line(text if text.isascii() else text.translate(_LIGATURES))


def clean_code(text: str) -> tuple[str, ...]:
    """The lines with their spaces, up to 40 in one place, without empty lines before and after."""
    lines = [_spaced(line) for line in text.expandtabs(4).splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    start = next((number for number, line in enumerate(lines) if line), 0)
    return tuple(lines[start:])


def whole_number(text: str | None, most_digits: int = 4) -> int | None:
    """A whole number that is written in at most so many digits; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= most_digits else None


def clip(text: str, length: int) -> str:
    """The text, cut to `length` characters of which the last is then an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _spaced(line: str) -> str:
    parts = (part[:_MOST_SPACES] if part.startswith(" ") else clean_line(part) for part in _SPACES.split(line))
    return "".join(parts).rstrip()


# Besides their own errors, the libraries raise these on damaged bytes.
STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,  # with RecursionError and NotImplementedError
    TypeError,
    ValueError,  # with UnicodeError
    struct.error,
    zlib.error,
)


@contextmanager
def damage_reported(sentence: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn a library's exceptions into `DocumentRejectedError(sentence)`. `errors`: the library's own."""
    foreign: tuple[type[Exception], ...] = (*STUMBLES, *errors)
    try:
        yield
    except foreign as error:
        raise DocumentRejectedError(sentence, "damaged") from error
