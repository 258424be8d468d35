"""Which documents a message names: by number, by file, by title or by a telling part of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from operator import attrgetter, eq
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import PassageFilter
from cicada.languages.terms import STOP_WORDS, is_cjk, singular, words
from cicada.retrieval.model import CardQuery
from cicada.retrieval.ports import DocumentCatalogue
from cicada.text import slips

# What people call any document, and what they ask of it; no document is named by these alone.
_GENERIC = frozenset(
    """
    action book chapter content contents copy current document entire events file full latest main new nr number old
    one original our page part piece play plot script section story text version whole work
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
_IN_NAMES = re.compile(r"[^\W\d_]+|\d+")
# A document is named by words of which its name has most; a word of its metadata helps to tell documents apart.
_LEAST = 0.7
_OF_METADATA = 0.9
_MISSPELT = 0.8
_LEAST_WITH_NUMBER = 0.8
# A name that no document has: how alike another name is at least, or which part of its words a title has.
_LEAST_ALIKE = 0.6
_LEAST_SHARED = 0.5
_CANDIDATES = 50
# Rows that are read where no card has a word of the name: it may be misspelt, or a document may have no card.
_SCANNED = 1000
# Words that more documents have, and of which no title consists, are a topic of theirs and no name.
MOST_NAMED = 3
_EPSILON = 1e-6


class DocumentNames(Struct, frozen=True):
    """Looks documents up by their names: title, id, and values of their metadata."""

    catalogue: DocumentCatalogue

    def find(self, name: str, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The documents that are named best, in order of id; more than one where the name fits them equally.

        None where the name is of something else than a document.
        """
        return best_named(name, self.candidates(name, filter)) if name.strip() else ()

    def candidates(self, name: str, filter: PassageFilter) -> list[DocumentRow]:
        """The documents that the name may mean: those of this id, and those whose cards have words of it."""
        hits = self.catalogue.find_cards(CardQuery(filter, _searched(name), limit=_CANDIDATES)).lexical
        same = self.catalogue.rows(replace(filter, document_ids=frozenset({name})), Sort(TITLE), 1).rows
        return list({row.document: row for row in (*same, *(hit.row for hit in hits))}.values())

    def first(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The first thousand documents, with which a name can be compared that finds no card."""
        return self.catalogue.rows(filter, Sort(TITLE), _SCANNED).rows


def best_named(name: str, rows: Sequence[DocumentRow]) -> tuple[DocumentRow, ...]:
    """The rows that the name fits best, if it fits any. Of equal ones, those of which it says most of the title."""
    fits = _fits(name, rows)
    best = _best(fits)
    equal = [fitting for fitting, _ in fits if fitting.words >= best.words - _EPSILON]
    if len(equal) > MOST_NAMED and not best.is_whole:
        return ()
    return _greatest(fits, attrgetter("sum"))


def all_named(name: str, rows: Sequence[DocumentRow]) -> tuple[DocumentRow, ...]:
    """The rows that the name may mean, however many. One whose number, file or whole title it says excludes others."""
    fits = _fits(name, rows)
    return _greatest(fits, attrgetter("sum" if _best(fits).is_whole else "words"))


def nearest(name: str, rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    """The few rows whose file's name or title is written most like the name, or has words of it, the nearest first."""
    # Imported here: only a name that no document has needs it.
    from difflib import SequenceMatcher

    said = " ".join(words(name))
    terms = {each for each in _telling(_terms(name)) if not each.isdecimal()}

    def nearness(row: DocumentRow) -> float:
        texts = (" ".join(words(text)) for text in (PurePosixPath(row.document.document_id).stem, row.title))
        alike = max(SequenceMatcher(None, said, text, autojunk=False).ratio() for text in texts)
        shared = len(terms & _terms(row.title)) / max(1, len(terms))
        return 1 + alike if alike >= _LEAST_ALIKE else shared

    scored = [(-nearness(row), row.document.document_id, row) for row in rows]
    near = sorted((each for each in scored if -each[0] >= _LEAST_SHARED), key=lambda each: each[:2])
    return [row for _, _, row in near[:MOST_NAMED]]


def is_identifier(name: str) -> bool:
    """Whether the words can only be a name: they have a digit, or are a file's."""
    return any(each.isdecimal() for each in name) or _FILE_SUFFIX.search(name.strip()) is not None


class Fit(Struct, frozen=True):
    """How well words name a document. `words`: the part of them that it has, 0 if they do not name it.

    `title`: the part of its title that they have. `exact`: how surely they are its number, file or whole title.
    """

    words: float
    title: float
    exact: int = 0

    @property
    def sum(self) -> float:
        return self.words + self.title + 2 * self.exact

    @property
    def is_whole(self) -> bool:
        """Whether the words are its number, file or whole title."""
        return self.exact > 0 or self.title >= 1.0


_NO_FIT = Fit(0.0, 0.0)
Fits = Sequence[tuple[Fit, DocumentRow]]


def _best(fits: Fits) -> Fit:
    return max((fitting for fitting, _ in fits), key=attrgetter("sum"), default=_NO_FIT)


def _greatest(fits: Fits, of: Callable[[Fit], float]) -> tuple[DocumentRow, ...]:
    """The rows for which this is greatest; none without fits."""
    most = max((of(fitting) for fitting, _ in fits), default=0.0)
    return tuple(row for fitting, row in fits if of(fitting) >= most - _EPSILON)


def _fits(name: str, rows: Sequence[DocumentRow]) -> Fits:
    """How well the name fits each document, in order of id; empty if it fits none.

    Misspellings count where it fits none as it is written.
    """
    said = _Name(name)
    unique = sorted({row.document.document_id: row for row in rows}.items())
    known = [(_Known(row), row) for _, row in unique]
    for is_same in (eq, _is_misspelt):
        fits = [(_fit(said, each, is_same), row) for each, row in known]
        if any(fitting.words for fitting, _ in fits):
            return fits
    return []


class _Name:
    """A name in its parts. `codes`: numbers with the letters that are written to them, and those letters.

    `before`: short words before numbers.
    """

    def __init__(self, text: str) -> None:
        self.terms = _telling(_terms(text))
        self.is_file = _FILE_SUFFIX.search(text.strip()) is not None
        said = _sequence(text)
        while said and said[0] in _BEFORE_A_NAME:
            said = said[1:]
        self.parts, self.joined = said, _joined(said)
        bare = _TRAILING_ZEROS.sub(r"\1", text)
        self.numbers = {each for each in _sequence(bare) if each.isdecimal()}
        codes = ({*_sequence(code)} for code in _CODE.findall(bare) if not code.isdecimal() and _DIGIT.search(code))
        self.codes = [({each for each in code if each.isdecimal()}, code) for code in codes]
        self.before = {singular(each) for each in _BEFORE_A_NUMBER.findall(bare.casefold()) if each not in _LINKS}
        self.least = _LEAST_WITH_NUMBER if self.numbers else _LEAST


class _Known:
    """What a document is known by. `own`: of title, id and number. `described`: of its metadata too.

    `kinds`: of metadata without numbers. `dated`: numbers of years and versions.
    """

    def __init__(self, row: DocumentRow) -> None:
        path = PurePosixPath(row.document.document_id)
        stem, numbers = _sequence(path.stem), [_sequence(each) for each in _own_numbers(row)]
        self.title, self.identity = _terms(row.title), _terms(str(path))
        self.file = _joined(_sequence(path.name))
        self.files = {self.file, _joined(_sequence(str(path)))}
        self.stem = _joined(stem)
        self.names = {_joined(each) for each in (stem, *numbers, _sequence(row.title)) if each}
        self.numbers = [each for each in (stem, *numbers) if _is_number(each)]
        self.texts = [{*each} for each in (_sequence(row.title), _sequence(str(path)), *numbers)]
        self.own = {*chain.from_iterable(self.texts)}
        texts = [(text, _sequence(text)) for text in _texts(row)]
        self.described = self.own.union(*(parts for _, parts in texts))
        self.kinds = {each for text, parts in texts if not any(map(str.isdecimal, text)) for each in parts}
        self.dated = {each for text, parts in texts for each in parts if each.isdecimal() and _is_date(text, each)}


def _fit(name: _Name, known: _Known, is_same: Callable[[str, str], bool]) -> Fit:
    """How well the words name the document; neither part counts if they are no name of it."""
    if exact := _exact(name, known):
        return Fit(1.0, 1.0, exact)
    if name.is_file:
        # The name of a file is that of another one at most by misspelling.
        return Fit(_MISSPELT, 0.0) if is_same(name.joined, known.file) else _NO_FIT
    if not name.terms or not _has_numbers(name, known):
        return _NO_FIT
    found = sum(_share(term, known, is_same) for term in name.terms) / len(name.terms)
    # A word of the id such as "policy" is that of a kind; its number is the document's own.
    said = frozenset(each for each in known.title if any(is_same(term, each) for term in name.terms))
    is_named = bool(said) or any(term.isdecimal() for term in name.terms & known.identity)
    if found < name.least or not is_named:
        return _NO_FIT
    telling = _telling(known.title)
    return Fit(found, len(telling & said) / max(1, len(telling)))


def _exact(name: _Name, known: _Known) -> int:
    """3 for the document's id or its file's name, 2 for its number or its title, 1 for words with its number in them.

    0 for all others. Capitals, spaces and signs between letters and numbers, and zeros before numbers, do not count.
    """
    if not name.parts:
        return 0
    if name.joined in known.files:
        return 3
    if name.is_file:
        return int(_joined(name.parts[:-1]) == known.stem)
    if name.joined in known.names:
        return 2
    return int(any(_has_run(name.parts, each) for each in known.numbers))


def _has_numbers(name: _Name, known: _Known) -> bool:
    """Whether the document has every number of the name, with the letters that belong to it.

    A code stands in one place, but for the kind of the document, and is not another number than the document's own,
    whatever its metadata has. Numbers alone may be a year or a version.
    """
    codes = all(
        any(numbers <= text and code <= text | known.kinds for text in known.texts)
        and not any(_is_another(code, {*own}) for own in known.numbers if numbers <= {*own})
        for numbers, code in name.codes
    )
    return codes and name.numbers <= known.own | known.dated and name.before <= known.described


def _is_another(code: set[str], number: set[str]) -> bool:
    """Whether a code and a document's number have letters that the other has not: "HR-003" and "EHS-003"."""
    return all(any(map(str.isalpha, apart)) for apart in (code - number, number - code))


def _share(term: str, known: _Known, is_same: Callable[[str, str], bool]) -> float:
    if term in known.own:
        return 1.0
    if term in known.described:
        return _OF_METADATA
    return _MISSPELT if any(is_same(term, each) for each in known.own) else 0.0


def _telling(terms: frozenset[str]) -> frozenset[str]:
    """Drop generic words, unless there are no others."""
    return terms - _GENERIC or terms


def _terms(text: str) -> frozenset[str]:
    """Words in their singular, and the parts of compound names: "SOP-QA-012" is "sop", "qa", "12"."""
    return frozenset(_parts(word for word in words(text) if word not in STOP_WORDS))


def _sequence(text: str) -> list[str]:
    """The parts of all words, in order."""
    return list(_parts(words(text)))


def _parts(said: Iterable[str]) -> Iterator[str]:
    for word in said:
        if is_cjk(word):
            yield word
            continue
        for each in _IN_NAMES.findall(word):
            yield each.lstrip("0") or "0" if each.isdecimal() else singular(each)


def _texts(row: DocumentRow) -> Iterable[str]:
    for value in row.metadata.values():
        yield from value if isinstance(value, tuple) else (str(value),)


# Numbers, codes and files: a name of these is one document's or nobody's, so that one is never taken for another.
_FILE_SUFFIX = re.compile(
    r"[^\s.]\.(?:md|markdown|html?|txt|text|pdf|docx?|odt|rtf|json|csv|xlsx?|pptx?)$", re.IGNORECASE
)
_BEFORE_A_NAME = frozenset({"the", "our", "my", "a", "document", "file"})
# A field of these names holds the number of its document: `number`, `contract_number`, `doc_id`.
_IDENTIFYING = re.compile(r"(?:.*[_-])?(?:number|nr|no|code|id|identifier|reference|ref)", re.IGNORECASE)
# "SOP-QA-003", "23-041", "V25": letters or numbers that are written to a number belong to it.
_CODE = re.compile(r"[^\W_]++(?:[-_/.][^\W_]++)*+")
_DIGIT = re.compile(r"\d")
# "SOP IT 3": a short word before a number is a part of it.
_BEFORE_A_NUMBER = re.compile(r"(?<![^\W_])([^\W\d_]{2,4})\s+(?=\d)")
_LINKS = frozenset("at by for from in nr no of on the to and or vom von der die das du de la le".split())  # noqa: SIM905
_TRAILING_ZEROS = re.compile(r"(\d)\.0+\b")
_YEAR_DIGITS = 4


def _joined(parts: Sequence[str]) -> str:
    """One text; two numbers in a row stay two."""
    return "".join(
        f"{each} " if each.isdecimal() and after.isdecimal() else each for each, after in pairwise((*parts, ""))
    )


def _is_number(parts: Sequence[str]) -> bool:
    return len(parts) > 1 and any(each.isdecimal() for each in parts)


def _has_run(parts: Sequence[str], run: Sequence[str]) -> bool:
    return any(parts[start : start + len(run)] == run for start in range(len(parts) - len(run) + 1))


def _own_numbers(row: DocumentRow) -> Iterator[str]:
    for name, value in row.metadata.items():
        if isinstance(value, str) and any(map(str.isdecimal, value)) and _IDENTIFYING.fullmatch(name):
            yield value


def _is_date(text: str, number: str) -> bool:
    """Whether the number of a value is a year, or all of it, as in a version."""
    return len(number) == _YEAR_DIGITS or _TRAILING_ZEROS.sub(r"\1", text).replace(".", "").isdecimal()


# Shorter words are too like others; in longer ones two letters may be wrong.
_SHORTEST_MISSPELT = 5
_LONG = 8


def _is_misspelt(one: str, other: str) -> bool:
    """Whether a word is the other, or has a letter too many, too few, wrong, or in its neighbour's place.

    Numbers are never misspelt.
    """
    length = min(len(one), len(other))
    most = 2 if length >= _LONG else 1 if length >= _SHORTEST_MISSPELT else 0
    if one == other or not most or abs(len(one) - len(other)) > most or len({*one} ^ {*other}) > 2 * most:
        return one == other
    if [each for each in one if each.isdecimal()] != [each for each in other if each.isdecimal()]:
        return False
    return slips(one, other) <= most


# Zeros with which a number is written in names of files.
_PADDED = (2, 3, 4)


def _searched(name: str) -> str:
    """The name with its numbers as files have them: "SOP QA 3" is searched for as "003" too."""
    parts = _sequence(name)
    padded = (each.zfill(width) for each in parts if each.isdecimal() for width in _PADDED if width > len(each))
    return " ".join(dict.fromkeys((name, *parts, *padded)))
