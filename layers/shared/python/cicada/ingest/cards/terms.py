"""The terms that tell a document from the others of its base."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from cicada.documents.model import Passage
from cicada.ingest.cards.parts import Span, beginning_of, heading_of
from cicada.languages.terms import ELISIONS, LANGUAGES, STOP_WORDS, is_in, stemmed_language, stop_words

_SAMPLE = 3_000
_SCRIPTS = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
# An English text that quotes a Chinese name is English.
_LEAST_SHARE = 0.2


def language_of(passages: Sequence[Passage]) -> str:
    """The declared language, unless script and stop words of the first passages show another one."""
    declared = passages[0].language
    sample = _sample(passages)
    if is_in(sample, declared):
        return declared
    return next((language for language in LANGUAGES if is_in(sample, language)), declared)


def _sample(passages: Sequence[Passage]) -> str:
    text = beginning_of(passages, _SAMPLE, glue="\n")
    if text.isascii() or len(_SCRIPTS.findall(text)) >= _LEAST_SHARE * len(text):
        return text
    return _SCRIPTS.sub(" ", text)


# Terms of Chinese, Japanese and Korean text, which has no spaces between words, or particles written to them.
#
# A run of characters of one script is cut at characters that are mostly function words. A short run is a term; of a
# longer one, all pieces of two to four characters are candidates, of which only repeated ones become terms.

_RUN = re.compile(
    r"(?P<han>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<katakana>[\u30a1-\u30fa\u30fc-\u30ff]+)"
    r"|(?P<hangul>[\uac00-\ud7a3]+)"
)
# Han characters that stand between the words of Chinese, and hardly ever in a noun.
_FUNCTION_CHARACTERS = re.compile("[的了是在和与與及或也就都而之其这這那有为為以于於对對将將被把个個们們你我他她它不]")
# One-character particles at the end of a Korean word.
_PARTICLES = "은는이가을를에의로와과도만"
_LONGEST_WHOLE = 8
_LONGEST_PIECE = 4
_LONGEST_KATAKANA = 15
_LONGEST_HANGUL = 8
SHORTEST = 2


def east_asian_terms(text: str) -> Iterator[str]:
    """The terms and candidates of a text, with repetitions. Hiragana, mostly grammar, is left out."""
    for run in _RUN.finditer(text):
        word = run.group()
        if run.lastgroup == "han":
            yield from _of_han(word)
        elif run.lastgroup == "katakana":
            if SHORTEST <= len(word) <= _LONGEST_KATAKANA:
                yield word
        elif SHORTEST <= len(stem := _without_particle(word)) <= _LONGEST_HANGUL:
            yield stem


def _of_han(run: str) -> Iterator[str]:
    for part in _FUNCTION_CHARACTERS.split(run):
        if SHORTEST <= len(part) <= _LONGEST_WHOLE:
            yield part
        for length in range(SHORTEST, _LONGEST_PIECE + 1):
            if len(part) > length:
                yield from (part[start : start + length] for start in range(len(part) - length + 1))


def _without_particle(word: str) -> str:
    return word[:-1] if len(word) > SHORTEST and word[-1] in _PARTICLES else word


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


class TermExtractor(Struct, frozen=True):
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


# Characters of a document that are read for terms; of a longer one, those of passages at even distances.
MAX_READ = 100_000
_TITLE_WEIGHT = 6
_HEADING_WEIGHT = 1
# A term that stands this often in a longer one has no meaning of its own.
_PART_OF = 0.7
_REPEATED = 2
_FEW = 4


class CountedTerms(Struct, frozen=True):
    """How often each term occurs: in the document (`total`), and in each of its sections, in their order.

    The title counts six times, a heading once. Forms of one term are counted together, under the most frequent.
    """

    total: Mapping[str, int]
    sections: tuple[Mapping[str, int], ...]


def count_terms(passages: Sequence[Passage], spans: Sequence[Span], language: str) -> CountedTerms:
    """The document's terms without phrases that occur once, and without those that are parts of longer ones."""
    extractor = TermExtractor(language)
    step = 1 + sum(len(each.text) for each in passages) // MAX_READ
    found = [_of_section(passages, span, step, extractor) for span in spans]
    total = Counter(dict.fromkeys(extractor.terms(passages[0].title), _TITLE_WEIGHT))
    for section in found:
        total.update(section)
    shown = _shown(total, extractor)
    merged = _merged(total, shown)
    kept = _telling(merged)
    sections = (_merged(section, shown) for section in found)
    return CountedTerms(
        {term: merged[term] for term in kept},
        tuple({term: count for term, count in section.items() if term in kept} for section in sections),
    )


def _of_section(passages: Sequence[Passage], span: Span, step: int, extractor: TermExtractor) -> Counter[str]:
    terms = Counter(dict.fromkeys(extractor.terms(heading_of(span, passages[span.first])), _HEADING_WEIGHT))
    for number in range(span.first, span.last + 1, step):
        terms.update(extractor.terms(passages[number].text))
    return terms


def _shown(total: Mapping[str, int], extractor: TermExtractor) -> dict[str, str]:
    """The form in which each term is shown: the most frequent of those that are counted together."""
    forms: dict[str, str] = {}
    for term in sorted(total, key=lambda term: (-total[term], term)):
        forms.setdefault(extractor.folded(term), term)
    return {term: forms[extractor.folded(term)] for term in total}


def _merged(counts: Mapping[str, int], shown: Mapping[str, str]) -> Counter[str]:
    merged: Counter[str] = Counter()
    for term, count in counts.items():
        merged[shown[term]] += count
    return merged


def _telling(total: Mapping[str, int]) -> set[str]:
    repeated = {term for term, count in total.items() if count >= _REPEATED or not _is_joined(term)}
    kept = repeated if len(repeated) >= _FEW else set(total)
    holders: dict[str, int] = {}
    for term in kept:
        for part in _parts(term):
            holders[part] = max(holders.get(part, 0), total[term])
    return {term for term in kept if holders.get(term, 0) < _PART_OF * total[term]}


def _is_joined(term: str) -> bool:
    """Whether the term is a phrase, or characters of a script without spaces."""
    return " " in term or (not term.isascii() and term > "\u3000")


def _parts(term: str) -> Iterator[str]:
    """The shorter terms within a term."""
    if not _is_joined(term):
        return
    pieces, glue = (term.split(" "), " ") if " " in term else (list(term), "")
    for length in range(1, len(pieces)):
        yield from (glue.join(pieces[start : start + length]) for start in range(len(pieces) - length + 1))


# How many terms the statistics of the base are asked for.
MAX_CANDIDATES = 64
# What standing in many sections adds: less than standing in the title.
_SPREAD = 0.25


class BaseStatistics(Struct, frozen=True):
    """How many `passages` the knowledge base has, and in how many of them each term occurs."""

    passages: int = 0
    holding: Mapping[str, int] = field(default_factory=dict)

    def idf(self, term: str) -> float:
        """1 where the base is empty or the term was not counted."""
        if not self.passages or term not in self.holding:
            return 1.0
        return math.log(1 + self.passages / (1 + self.holding[term]))


def candidates(terms: CountedTerms) -> tuple[str, ...]:
    """The terms that may become tags, best first by the document alone: by their number and their sections."""
    spread, found = _spread(terms), terms.total.items()
    scores = {term: _weight(count) * (1 + _SPREAD * math.log(max(1, spread[term]))) for term, count in found}
    return tuple(_best(scores)[:MAX_CANDIDATES])


def tags(terms: CountedTerms, found: Iterable[str], statistics: BaseStatistics, most: int) -> tuple[str, ...]:
    """The salient ones of the candidates `found`, most salient first: by their number times the idf of the base.

    Without statistics they stay as they are ordered by the document alone.
    """
    if not statistics.passages:
        return _distinct(found, most)
    scores = {term: _weight(terms.total[term]) * statistics.idf(term) for term in found}
    return _distinct(_best(scores), most)


def keywords(terms: CountedTerms, statistics: BaseStatistics, most: int) -> list[tuple[str, ...]]:
    """The salient terms of each section, most salient first: those that the other sections and the base have less."""
    spread = _spread(terms)
    sections = len(terms.sections)

    def score(term: str, count: int) -> float:
        return _weight(count) * math.log(1 + sections / spread[term]) * statistics.idf(term)

    scored = ({term: score(term, count) for term, count in section.items()} for section in terms.sections)
    return [_distinct(_best(scores), most) for scores in scored]


def _spread(terms: CountedTerms) -> Counter[str]:
    """Count the sections in which each term occurs."""
    return Counter(term for section in terms.sections for term in section)


def _weight(count: int) -> float:
    return 1 + math.log(count)


def _best(scores: Mapping[str, float]) -> list[str]:
    """Best first; of equal ones the longest, which is usually the most specific."""
    return sorted(scores, key=lambda term: (-scores[term], -len(term), term))


def _distinct(ordered: Iterable[str], most: int) -> tuple[str, ...]:
    """The first `most` of which none is a part of another one."""
    kept: list[str] = []
    for term in ordered:
        if len(kept) == most:
            break
        if not any(is_part(term, other) or is_part(other, term) for other in kept):
            kept.append(term)
    return tuple(kept)


def is_part(term: str, other: str) -> bool:
    """Whether all words of `term` stand in `other`; of an East Asian term, all its characters in this order."""
    return f" {term} " in f" {other} " if term.isascii() else term in other
