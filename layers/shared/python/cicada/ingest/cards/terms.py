"""Terms of a text: words and phrases of up to three words that may say what it is about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.ingest.cards.east_asian import east_asian_terms
from cicada.languages.stemming import ELISIONS, stemmed_language, stop_words
from cicada.languages.terms import STOP_WORDS

LONGEST_PHRASE = 3
MAX_TERM_CHARACTERS = 40
# Words of a written language that join no phrase; the characters of East Asian scripts are read for themselves.
_EAST_ASIAN = r"\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W_{_EAST_ASIAN}]+(?:['.\-][^\W_{_EAST_ASIAN}]+)*")
_HAS_EAST_ASIAN = re.compile(f"[{_EAST_ASIAN}]")
_LETTER = re.compile(r"[^\W\d_]")
_SHORTEST_WORD = 3
# English words that BM25 counts and that say nothing of a document's topic.
_WEAK = frozenset(
    """
    across ago also although always among another anyone anything apply around ask asked back become becomes beforehand
    beyond call called came come comes done either else enough even ever every everybody everyone everything first five
    following follows found four get gets give given gives goes going got happen happens however instead keep kept know
    known last least less let like made make makes many may maybe might much must name named need needs never new next
    nobody none nothing often one others per perhaps please possible put said say says second see seen set shall show
    shown since six someone something still take taken takes tell ten third three thus together toward towards twice two
    unless upon use used uses using want wants well went whether whose within without wrong yet zero
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)


class TermReader(Struct, frozen=True):
    """Reads the terms of texts in one language."""

    language: str

    def terms(self, text: str) -> Iterator[str]:
        """Words and phrases in lower case, with repetitions. A phrase has no stop word, number or punctuation in it."""
        normal = text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")
        for run in self._runs(normal.lower()):
            yield from _phrases(run)
        if not normal.isascii() and _HAS_EAST_ASIAN.search(normal):
            yield from east_asian_terms(normal)

    def folded(self, term: str) -> str:
        """The form under which a term is counted: in English, a plural counts as its singular."""
        if self.language != "en" or not term.isascii():
            return term
        return " ".join(_singular(word) for word in term.split(" "))

    def _runs(self, text: str) -> Iterator[list[str]]:
        """Runs of telling words with single spaces between them."""
        name = stemmed_language(self.language)
        stopped, elisions = stop_words(name) | STOP_WORDS | _WEAK, ELISIONS.get(name, frozenset())
        run: list[str] = []
        end = -1
        for found in _WORD.finditer(text):
            word = _plain(found.group(), elisions)
            starts_anew = found.start() != end + 1 or text[end] != " "
            if run and (starts_anew or not _is_telling(word, stopped)):
                yield run
                run = []
            if _is_telling(word, stopped):
                run.append(word)
            end = found.end()
        if run:
            yield run


def _plain(word: str, elisions: frozenset[str]) -> str:
    """The word without a possessive ending, and without an article that is written to it."""
    if "'" not in word:
        return word
    article, _, rest = word.partition("'")
    return rest if article in elisions else word.removesuffix("'s")


def _is_telling(word: str, stopped: frozenset[str]) -> bool:
    return len(word) >= _SHORTEST_WORD and word not in stopped and _LETTER.search(word) is not None


def _phrases(run: Sequence[str]) -> Iterator[str]:
    for length in range(1, LONGEST_PHRASE + 1):
        for start in range(len(run) - length + 1):
            phrase = run[start] if length == 1 else " ".join(run[start : start + length])
            if len(phrase) <= MAX_TERM_CHARACTERS:
                yield phrase


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > _SHORTEST_WORD and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
