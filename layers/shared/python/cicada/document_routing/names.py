"""Which documents a message names: by number, by file, by title or by a telling part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import PassageFilter
from cicada.languages.terms import STOP_WORDS, is_cjk, words
from cicada.retrieval.model import CardQuery
from cicada.retrieval.ports import DocumentCatalogue

# What people call any document, and what they ask of it; no document is named by these alone.
_GENERIC = frozenset(
    """
    action book chapter content contents copy current document entire events file full latest main new old one original
    our page part piece play plot script section story text version whole work
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
_IN_NAMES = re.compile(r"[^\W_]+")
# A document is named by words of which its name has most; a word of its metadata helps to tell documents apart.
_LEAST = 0.7
_OF_METADATA = 0.9
_CANDIDATES = 20
# Words that more documents have, and of which no title consists, are a topic of theirs and no name.
_MOST_NAMED = 3
_EPSILON = 1e-6


class DocumentNames(Struct, frozen=True):
    """Looks documents up by their names: title, id, and values of their metadata."""

    catalogue: DocumentCatalogue

    def find(self, name: str, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The documents that are named best, in order of id; more than one where the name fits them equally.

        None where the name is of something else than a document.
        """
        if not name.strip():
            return ()
        hits = self.catalogue.find_cards(CardQuery(filter, name, limit=_CANDIDATES)).lexical
        return best_named(name, [hit.row for hit in hits])


def best_named(name: str, rows: Sequence[DocumentRow]) -> tuple[DocumentRow, ...]:
    """The rows that the name fits best, if it fits any."""
    scores = {row.document.document_id: (fit(name, row), row) for row in rows}
    best = max((fitting for fitting, _ in scores.values()), key=lambda each: each.sum, default=_NO_FIT)
    if not best.words:
        return ()
    equal = [fitting for fitting, _ in scores.values() if fitting.words >= best.words - _EPSILON]
    if best.title < 1.0 and len(equal) > _MOST_NAMED:
        return ()
    return tuple(row for _, (fitting, row) in sorted(scores.items()) if fitting.sum >= best.sum - _EPSILON)


class Fit(Struct, frozen=True):
    """How well words name a document. `words`: the part of them that it has, 0 if they do not name it.

    `title`: the part of its title that they have. `sum`: of both.
    """

    words: float
    title: float

    @property
    def sum(self) -> float:
        return self.words + self.title


_NO_FIT = Fit(0.0, 0.0)


def fit(name: str, row: DocumentRow) -> Fit:
    """How well the words name the document; neither part counts if they are no name of it."""
    wanted = _telling(_terms(name))
    if not wanted:
        return _NO_FIT
    title = _terms(row.title)
    identity = _terms(row.document.document_id)
    own = title | identity
    described = _terms(" ".join(_texts(row)))
    found = sum(1.0 if term in own else _OF_METADATA * (term in described) for term in wanted) / len(wanted)
    # A word of the id such as "policy" is that of a kind; its number is the document's own.
    is_named = bool(wanted & title) or any(term.isdigit() for term in wanted & identity)
    if found < _LEAST or not is_named:
        return _NO_FIT
    telling = _telling(title) or title
    return Fit(found, len(telling & wanted) / max(1, len(telling)))


def _telling(terms: frozenset[str]) -> frozenset[str]:
    """Drop generic words, unless there are no others."""
    return terms - _GENERIC or terms


def _terms(text: str) -> frozenset[str]:
    """Words in their singular, and the parts of compound names: "SOP-QA-012" is "sop", "qa", "012"."""
    found = (part for word in words(text) for part in ([word] if is_cjk(word) else _IN_NAMES.findall(word)))
    return frozenset(_singular(each) for each in found if each not in STOP_WORDS)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _texts(row: DocumentRow) -> Iterable[str]:
    for value in row.metadata.values():
        yield from value if isinstance(value, tuple) else (str(value),)
