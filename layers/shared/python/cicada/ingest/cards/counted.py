"""Counts the terms of a document and of its sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from cicada.documents.model import Passage
from cicada.ingest.cards.sections import Span, heading_of
from cicada.ingest.cards.terms import TermReader

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
    reader = TermReader(language)
    step = _step(passages)
    found = [_of_section(passages, span, step, reader) for span in spans]
    total = Counter(dict.fromkeys(reader.terms(passages[0].title), _TITLE_WEIGHT))
    for section in found:
        total.update(section)
    shown = _shown(total, reader)
    merged = _merged(total, shown)
    kept = _telling(merged)
    sections = (_merged(section, shown) for section in found)
    return CountedTerms(
        {term: merged[term] for term in kept},
        tuple({term: count for term, count in section.items() if term in kept} for section in sections),
    )


def _step(passages: Sequence[Passage]) -> int:
    return 1 + sum(len(each.text) for each in passages) // MAX_READ


def _of_section(passages: Sequence[Passage], span: Span, step: int, reader: TermReader) -> Counter[str]:
    terms = Counter(dict.fromkeys(reader.terms(heading_of(span, passages[span.first])), _HEADING_WEIGHT))
    for number in range(span.first, span.last + 1, step):
        terms.update(reader.terms(passages[number].text))
    return terms


def _shown(total: Mapping[str, int], reader: TermReader) -> dict[str, str]:
    """For each term the most frequent of the forms that are counted together."""
    forms: dict[str, str] = {}
    for term in sorted(total, key=lambda term: (-total[term], term)):
        forms.setdefault(reader.folded(term), term)
    return {term: forms[reader.folded(term)] for term in total}


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
