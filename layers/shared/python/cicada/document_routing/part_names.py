"""The name of a part of a document in a message: "act 3, scene 4", "3.4", "第3章", "the section on scope"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

# Kinds of parts in nine languages, the outer ones first: "scene 4 of act 3" is 3.4. An episode is a document.
_LEVELS = (
    r"books?|volumes?|buch|band|livre|tome|libro|livro|巻|卷|권",
    r"parts?|teil|partie|parte|部|부",
    r"acts?|akt|acte|acto|atto|ato|幕|막",
    r"chapters?|ch\.|kapitel|chapitre|cap[ií]tulo|capitolo|章|장",
    r"scenes?|szene|sc[eè]ne|escena|scena|cena|場|场",
    r"sections?|sec\.|§+|abschnitt|secci[oó]n|sezione|se[cç][cç]?[aã]o|節|节|절",
    r"clauses?|articles?|paragraphs?|annex|appendix|artikel|absatz|anhang|art[ií]culo|articolo|artigo|条|條|項|조|항",
)
_LEVEL = "|".join(_LEVELS)
_WORDS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
_ORDINALS = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
_HAN = "一二三四五六七八九"
# Letters that are matched as if they were these, where case is ignored.
_AS_MATCHED = str.maketrans("ſıİ", "sii")
# Longer numbers are no part's, and Python refuses to read very long ones.
_DIGITS = re.compile(r"\d{1,9}")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
# The units of scripts without spaces, which follow their number.
_UNIT = "|".join(name for names in _LEVELS for name in names.split("|") if len(name) == 1)
# Letters that are written to a word belong to it: "Partei" is no part 1.
_NUMBER = rf"\d+(?:\.\d+)*|(?<![^\W\d_])(?:[ivxl]+|{'|'.join(_WORDS)})|[{_HAN}十]+"
# A number alone is no ordinal: "the 3 parts" are all of them.
_ORDINAL = rf"{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th|\.|ª|º|e|ème)"
_NUMBERED = (
    rf"(?:(?<!\w)(?P<level>{_LEVEL})\s*(?P<number>{_NUMBER})\b"
    rf"|\b(?P<ordinal>{_ORDINAL})\s+(?P<counted>{_LEVEL})\b"
    rf"|第?\s*(?P<han>\d+|[{_HAN}十]+)\s*(?P<unit>{_UNIT})"
    rf"|(?<![\w.\-/])(?<!version )(?<!v)(?P<bare>\d+(?:\.\d+)+)(?![\w\-/]))"
)
_HEADED = (
    rf"\b(?:the\s+)?(?:(?:{_LEVEL})\s+(?:on|about|called|titled|named|headed)\s+(?P<after>[\w’' -]+?)"
    rf"(?=\s+(?:of|in|from)\b|$)|(?P<before>[\w’'-]+(?:\s+[\w’'-]+){{0,3}}?)\s+(?:section|chapter|part)\b)"
)
# Each only once: a row of a word that could be read in two ways would be tried in 2ⁿ.
_LINKS = (
    r"(?:of|in|from|within|to|the|a|an|this|that|von|vom|aus|im|der|des|dem|den|die|das|de|du|dans|la|le|les|l['’]|"
    r"del|della|dello|dell['’]|dei|nel|nella|il|lo|gli|en|el|los|las|do|da|dos|no|na|o|os)"
)
# Of texts with single spaces.
_LEADING = re.compile(rf"^(?:[ ,;:.]++|{_LINKS}(?: |$))+", re.IGNORECASE)
_TRAILING = re.compile(rf"(?: {_LINKS}|[ ,;:.]|の|的|의)+$", re.IGNORECASE)


class PartName(Struct, frozen=True):
    """`numbers`: outermost first, so that scene 4 of act 3 is (3, 4). `heading`: words of it where it has no number."""

    numbers: tuple[int, ...] = ()
    heading: str = ""


# A longer text names no part.
_LONGEST = 300


def split_part(text: str) -> tuple[str, str]:
    """What names a part in this phrase, and the rest, which names the document; either may be empty."""
    text = text[:_LONGEST]
    numbered = list(_numbered(text))
    if numbered:
        rest = re.sub(_NUMBERED, " ", text, flags=re.IGNORECASE)
        return " ".join(found[0].strip() for found in numbered), _bare(rest)
    headed = re.search(_HEADED, text, re.IGNORECASE)
    if headed:
        return headed[0].strip(), _bare(text[: headed.start()] + " " + text[headed.end() :])
    return "", _bare(text)


def part_name(text: str) -> PartName | None:
    """The part that a phrase names; None if it names none."""
    text = text[:_LONGEST]
    numbered = sorted(_numbered(text), key=_rank)
    if numbered:
        return PartName(tuple(number for found in numbered for number in _numbers(found)))
    headed = re.search(_HEADED, text, re.IGNORECASE)
    if headed:
        return PartName(heading=(headed["after"] or headed["before"]).strip())
    return PartName(heading=text.strip()) if text.strip() else None


def _numbered(text: str) -> Iterator[re.Match[str]]:
    # Compiled at first use, because few questions name a part: it would be a hundredth of a cold start.
    return re.finditer(_NUMBERED, text, re.IGNORECASE)


def _rank(found: re.Match[str]) -> int:
    level = found["level"] or found["counted"] or found["unit"]
    if not level:
        return len(_LEVELS)
    return next(rank for rank, names in enumerate(_LEVELS) if re.fullmatch(names, level, re.IGNORECASE))


def _numbers(found: re.Match[str]) -> list[int]:
    text = found["number"] or found["ordinal"] or found["han"] or found["bare"]
    return [_number(part) for part in text.translate(_AS_MATCHED).lower().strip(".").split(".")]


def _number(text: str) -> int:
    if digits := _DIGITS.match(text):
        return int(digits[0])
    for names in (_WORDS, _ORDINALS):
        if text in names:
            return names.index(text) + 1
    if text[0] in f"{_HAN}十":
        tens, ten, units = text.rpartition("十")
        return (_HAN.find(tens) + 1 if tens else int(bool(ten))) * (10 if ten else 0) + _HAN.find(units or " ") + 1
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _bare(text: str) -> str:
    """Without the words that linked the parts to it."""
    return _TRAILING.sub("", _LEADING.sub("", " ".join(text.split())))
