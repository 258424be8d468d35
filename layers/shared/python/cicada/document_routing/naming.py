"""Which documents and parts of documents a message names, to be read as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from cicada.document_routing.names import DocumentNames
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import Passage, PassageFilter, ScriptLocator, Subject
from cicada.languages.terms import words
from cicada.retrieval.ports import CataloguedIndex

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
_PART_NUMBER = rf"\d+(?:\.\d+)*|(?<![^\W\d_])(?:[ivxl]+|{'|'.join(_WORDS)})|[{_HAN}十]+"
# A number alone is no ordinal: "the 3 parts" are all of them.
_ORDINAL = rf"{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th|\.|ª|º|e|ème)"
_NUMBERED = (
    rf"(?:(?<!\w)(?P<level>{_LEVEL})\s*(?P<number>{_PART_NUMBER})\b"
    rf"|\b(?P<ordinal>{_ORDINAL})\s+(?P<counted>{_LEVEL})\b"
    rf"|第?\s*(?P<han>\d+|[{_HAN}十]+)\s*(?P<unit>{_UNIT})"
    rf"|(?<![\w.\-/])(?<!version )(?<!v)(?P<bare>\d+(?:\.\d+)+)(?![\w\-/]))"
)
_HEADED = (
    rf"\b(?:the\s+)?(?:(?:{_LEVEL})\s+(?:on|about|called|titled|named|headed)\s+(?P<after>[\w’' -]+?)"
    rf"(?=\s+(?:of|in|from)\b|$)|(?P<before>[\w’'-]+(?:\s+[\w’'-]+){{0,3}}?)\s+(?:section|chapter|part)\b)"
)
# Acts and scenes.
_OF_PLAYS = (2, 4)
_FIRST_SCENE = re.compile(r"first scene", re.IGNORECASE)
_ANY_PLAY = frozenset({"play", "script", "story", "drama", "film", "episode"})
# A name beside a scene: "4.6 of Hamlet", "in hamlet 4.6", "In Hamlet, who opens 4.6?".
_TITLE = r"(?:the )?[^\s,?!.]+(?: of(?: the)? [^\s,?!.]+)?"
_NAME_AFTER = re.compile(rf"\W*(?:of|in|from) ({_TITLE})", re.IGNORECASE)
_NAME_BEFORE = re.compile(rf"(?:^|\b(?:in|of|from|for|to|is) )({_TITLE}),? ?$", re.IGNORECASE)
_NAME_FIRST = re.compile(r"in ([^,?!.]{1,40}),", re.IGNORECASE)
# Each only once: a row of a word that could be read in two ways would be tried in 2ⁿ.
_LINKS = (
    r"(?:of|in|from|within|to|the|a|an|this|that|von|vom|aus|im|der|des|dem|den|die|das|de|du|dans|la|le|les|l['’]|"
    r"del|della|dello|dell['’]|dei|nel|nella|il|lo|gli|en|el|los|las|do|da|dos|no|na|o|os)"
)
# The patterns are for texts with single spaces.
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


def scene_in(text: str) -> tuple[str, str]:
    """The act or scene that a question speaks of, and the name beside it; both empty if it speaks of none.

    "Who is in hamlet 4.6?" → ("4.6", "hamlet"); "who opens scene 2 of act 1" → ("scene 2 act 1", "").
    """
    found = [each for each in _numbered(text[:_LONGEST]) if _is_scene(each)]
    if not found:
        return "", ""
    before, after = text[: found[0].start()], text[found[-1].end() :]
    named = _NAME_AFTER.match(after) or _NAME_BEFORE.search(before) or _NAME_FIRST.match(before)
    name = _bare(named[1]) if named else ""
    section = " ".join(each[0].strip() for each in found)
    if len(found) == 1 and _FIRST_SCENE.fullmatch(section):
        section = "1.1"  # Of a play, and not of its every act.
    elif all(_is_scene_alone(each) for each in found):
        return "", ""
    return section, "" if name.casefold() in _ANY_PLAY else name


def _is_scene_alone(found: re.Match[str]) -> bool:
    return re.fullmatch(_LEVELS[_OF_PLAYS[1]], found["level"] or found["counted"] or "", re.IGNORECASE) is not None


def _is_scene(found: re.Match[str]) -> bool:
    level = found["level"] or found["counted"] or found["unit"]
    if level:
        return any(re.fullmatch(_LEVELS[at], level, re.IGNORECASE) for at in _OF_PLAYS)
    return found["bare"].count(".") == 1


def part_name(text: str) -> PartName | None:
    """The part that a phrase names; None if it names none."""
    text = text[:_LONGEST]
    numbered = sorted(_numbered(text), key=_rank)
    if numbered:
        return PartName(tuple(number for found in numbered for number in _part_numbers(found)))
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


def _part_numbers(found: re.Match[str]) -> list[int]:
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
    """Drop the words that linked the parts to the name."""
    return _TRAILING.sub("", _LEADING.sub("", " ".join(text.split())))


# "3.", "3.4 Scope", "Chapter 3: Travel", "§ 3", "Article IV" is left to the order of headings.
_NUMBERED_HEADING = re.compile(r"^(?:[^\W\d]+\.?\s+|§+\s*)?(\d+(?:\.\d+)*)(?=[\s.:)–-]|$)")
_NUMBER = re.compile(r"\d+")


def passages_of_part(passages: Sequence[Passage], part: PartName) -> tuple[Passage, ...]:
    """The passages of the part, in the given order; none if the document has no such part.

    A number names the parts that are numbered so and everything inside of them; in a document without numbers, the
    part at that place. `passages`: all of one document, in its order.
    """
    if not part.numbers:
        return tuple(each for each in passages if _is_headed(each, part.heading))
    numbers = [_numbers(each) for each in passages]
    if not any(numbers):
        numbers = _counted(passages)
    length = len(part.numbers)
    return tuple(each for each, found in zip(passages, numbers, strict=True) if found[:length] == part.numbers)


def places(passages: Sequence[Passage]) -> list[tuple[Passage, ...]]:
    """The document's smallest parts: the runs of passages of one place."""
    return [tuple(run) for _, run in groupby(passages, key=_place)]


def _place(passage: Passage) -> tuple[str, ...]:
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return (locator.chapter_id, locator.chapter_title)
    return locator.path


def _numbers(passage: Passage) -> tuple[int, ...]:
    """The numbers of a script's chapter, "3.4" as (3, 4), or of the innermost numbered heading of prose."""
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return tuple(int(each) for each in _NUMBER.findall(locator.chapter_id))
    found: tuple[int, ...] = ()
    for heading in locator.path:
        if numbered := _NUMBERED_HEADING.match(heading):
            own = tuple(int(each) for each in numbered[1].split("."))
            # "2 Scope" below "Chapter 3" is 3.2; "3.2 Scope" below it is 3.2 too.
            found = own if len(own) > 1 or not found else (*found, *own)
    return found


def _counted(passages: Sequence[Passage]) -> list[tuple[int, ...]]:
    """Each passage's place among the parts, counted from 1 at every level below what all have in common."""
    paths = [_place(each) for each in passages]
    common = _common(paths)
    found: list[tuple[int, ...]] = []
    seen: dict[tuple[str, ...], dict[str, int]] = {}
    for path in paths:
        numbers = []
        for depth in range(common, len(path)):
            headings = seen.setdefault(path[:depth], {})
            numbers.append(headings.setdefault(path[depth], len(headings) + 1))
        found.append(tuple(numbers))
    return found


def _common(paths: Sequence[tuple[str, ...]]) -> int:
    """How many of the outer headings all passages stand under: a document's title is no part of it."""
    depth = 0
    while paths and all(len(path) > depth and path[depth] == paths[0][depth] for path in paths):
        depth += 1
    return depth if any(len(path) > depth for path in paths) else max(0, depth - 1)


def _is_headed(passage: Passage, heading: str) -> bool:
    """Whether one of the headings above the passage has all of these words."""
    wanted = set(words(heading))
    return bool(wanted) and any(wanted <= set(words(each)) for each in _place(passage))


# Versions of one document may have the same name; more are no answer to "which one?".
_MOST_OF_A_NAME = 3


class Dispatched(Struct, frozen=True):
    """A document, and the passages of it that are to be read, in its order. `is_part`: they are not all of it."""

    row: DocumentRow
    passages: tuple[Passage, ...]
    is_part: bool = False


class Dispatcher(Struct, frozen=True):
    """Reads the passages only of documents that are dispatched."""

    index: CataloguedIndex

    def dispatch(self, subjects: Sequence[Subject], filter: PassageFilter) -> tuple[Dispatched, ...]:
        """What the subjects name, in their order. Empty if one of them names nothing, or too much to be meant.

        `filter`: the documents that may be read. Failures are `DependencyError`s.
        """
        found: dict[tuple[str, str], Dispatched] = {}
        for subject in subjects:
            of_subject = self._of(subject, filter)
            if not of_subject:
                return ()
            for each in of_subject:
                found.setdefault((each.row.document.document_id, subject.section), each)
        return tuple(found.values())

    def _of(self, subject: Subject, filter: PassageFilter) -> list[Dispatched]:
        rows = self._rows(subject, filter)
        read = [each for row in rows if (each := self._read(row, subject.section)).passages]
        return read if len(read) <= _MOST_OF_A_NAME else []

    def _rows(self, subject: Subject, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The documents of the name; without a name all of the filter, unless they are many."""
        if subject.document:
            rows = DocumentNames(self.index).find(subject.document, filter)
        else:
            rows = self.index.rows(filter, Sort(TITLE), _MOST_OF_A_NAME + 1).rows
            # "It" is a document only where there is no other.
            rows = rows if subject.section or len(rows) == 1 else ()
        return rows if len(rows) <= _MOST_OF_A_NAME else ()

    def _read(self, row: DocumentRow, section: str) -> Dispatched:
        whole = Dispatched(row, self.index.passages_of(row.document))
        part = part_name(section)
        if part is None:
            return whole
        return replace(whole, passages=passages_of_part(whole.passages, part), is_part=True)
