"""How much of a claim stands in its evidence, in numbers that a score is made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from cicada.grounding.sentences import sentences_of
from cicada.grounding.words import MONTHS, Word, listed, words_of
from cicada.languages.terms import STOP_WORDS, without_ending

_NEGATIONS = frozenset(
    listed(
        "not no never n't without cannot nor none neither nobody nothing hardly unable nicht kein keine keinen"
        " keiner nie ohne pas jamais sans aucun aucune nunca sin ningún ninguna mai senza nessun nessuna não sem nenhum"
    )
)
_QUANTIFIERS = frozenset(
    listed("only solely all every always never none some few many most any both each exclusively just")
)
_CONTRASTS = frozenset(
    listed("but although though however despite while whereas instead rather without yet still even")
)
_PERSONS = frozenset(listed("i you me my your we our us mine yours im"))
_DAY = re.compile(r"(?:0[1-9]|1[0-2])-\d\d")
# From this share of capitals on a language writes its nouns with capitals, as German does.
_CAPITAL_NOUNS = 0.35
SIGNALS = (
    *("absent", "absent_share", "contrasts", "figures", "names", "negations", "order", "persons"),
    *("present", "quantifiers"),
)


Read = Sequence[Sequence[Word]]
"""The words of each sentence of a text."""


def read(text: str) -> Read:
    """A passage, for the evidence of any claim."""
    return [words_of(each.text) for each in sentences_of(text)]


class Evidence:
    """Passages as they are compared with claims. `stop_words`: of their language."""

    def __init__(self, passages: Iterable[Read], stop_words: Collection[str] = STOP_WORDS) -> None:
        self._stop_words = stop_words
        self.sentences = [sentence for each in passages for sentence in each]
        self.contents = [frozenset(word.stem for word in self.content(each)) for each in self.sentences]
        words = [word for each in self.sentences for word in each]
        self.texts = frozenset(word.text for word in words)
        self.stems = frozenset(word.stem for word in words) | {name for word in words for name in _months(word.figure)}
        self.figures = frozenset(part for word in words if word.figure for part in (word.figure, *_parts(word.figure)))
        self.pairs = frozenset(pair for each in self.sentences for pair in self._polar_pairs(each))
        self.neighbours = frozenset(pair for each in self.sentences for pair in pairwise(_framed(each)))
        inner = [word for each in self.sentences for word in self.content(each[1:])]
        self.capital_nouns = sum(word.is_capitalised for word in inner) > _CAPITAL_NOUNS * len(inner)

    def content(self, words: Sequence[Word]) -> list[Word]:
        """The words that are neither function words nor negations."""
        return [word for word in words if word.text not in self._stop_words and word.text not in _NEGATIONS]

    def nearest(self, claim: Sequence[Word]) -> Sequence[Word]:
        """The sentence with most of the claim's content words."""
        stems = [word.stem for word in self.content(claim)]
        shares = [sum(stem in content for stem in stems) for content in self.contents]
        return self.sentences[shares.index(max(shares))] if shares else ()

    def absent_figures(self, claim: Sequence[Word]) -> list[str]:
        """The numbers and dates of the claim that the evidence has not."""
        return [word.figure for word in claim if word.figure and word.figure not in self.figures]

    def absent_names(self, claim: Sequence[Word]) -> list[str]:
        """The capitalised words, but the first, that the evidence has not; none where all nouns are capitalised."""
        words = [] if self.capital_nouns else self.content(claim[1:])
        return [each.raw for each in words if each.is_capitalised and not each.figure and each.stem not in self.stems]

    def turned(self, claim: Sequence[Word]) -> list[tuple[str, str, bool]]:
        """Neighbours that the evidence has with a negation between them and the claim has without, or the reverse."""
        return [
            (first, second, negated)
            for first, second, negated in self._polar_pairs(claim)
            if (first, second, not negated) in self.pairs and (first, second, negated) not in self.pairs
        ]

    def displaced(self, claim: Sequence[Word]) -> list[Word]:
        """The words of the claim that the evidence never has behind or before their neighbours in the claim."""
        stems = _framed(claim)
        around = zip(claim, stems, stems[1:], stems[2:], strict=False)
        return [
            word
            for word, before, here, after in around
            if not self.neighbours.intersection(((before, here), (here, after)))
        ]

    def differences(self, claim: Sequence[Word]) -> int:
        """How many numbers, names and negations of the claim are others than those of the evidence, or elsewhere."""
        moved = [
            word
            for word in self.content(self.displaced(claim))
            if word.stem in self.stems and (word.figure or (word.is_capitalised and word is not claim[0]))
        ]
        return len(self.absent_figures(claim)) + len(self.absent_names(claim)) + len(self.turned(claim)) + len(moved)

    def _polar_pairs(self, words: Sequence[Word]) -> list[tuple[str, str, bool]]:
        """Each two words that follow each other, and whether a negation stands between them."""
        found: list[tuple[str, str, bool]] = []
        last, negated = "", False
        for word in words:
            if word.text in _NEGATIONS:
                negated = True
                continue
            found.append((last, word.stem, negated))
            last, negated = word.stem, False
        return found


def _parts(figure: str) -> tuple[str, ...]:
    """The numbers of a date, which a claim may name alone."""
    return tuple(part.lstrip("0") for part in figure.split("-"))


def _months(figure: str) -> tuple[str, ...]:
    """The stem of the month's name, if the figure is a day of a year."""
    return (without_ending(MONTHS[int(figure[:2]) - 1]),) if _DAY.fullmatch(figure) else ()


def _framed(words: Sequence[Word]) -> list[str]:
    return ["", *(word.stem for word in words), ""]


def signals(claim: Sequence[Word], evidence: Evidence) -> dict[str, float]:
    """A number for each of `SIGNALS`; counts, or shares of the claim's content words."""
    content = evidence.content(claim)
    absent = [word for word in content if not word.figure and word.stem not in evidence.stems]
    size = max(1, len(content))
    return {
        "absent": len(absent),
        "absent_share": len(absent) / size if content else 1.0,
        "contrasts": _new(claim, _CONTRASTS, evidence),
        "figures": len(evidence.absent_figures(claim)),
        "names": len(evidence.absent_names(claim)),
        "negations": _new(claim, _NEGATIONS, evidence),
        "order": _in_order(claim, evidence.nearest(claim)) / max(1, len(claim)),
        "persons": sum(word.text in _PERSONS for word in claim),
        "present": len(content) - len(absent),
        "quantifiers": _new(claim, _QUANTIFIERS, evidence),
    }


def _new(claim: Sequence[Word], words: frozenset[str], evidence: Evidence) -> int:
    return sum(word.text in words and word.text not in evidence.texts for word in claim)


def _in_order(claim: Sequence[Word], sentence: Sequence[Word]) -> int:
    """The length of the longest common subsequence of stems."""
    row = [0] * (len(sentence) + 1)
    for word in claim:
        last = row
        row = [0]
        for at, other in enumerate(sentence):
            row.append(last[at] + 1 if word.stem == other.stem else max(row[-1], last[at + 1]))
    return row[-1]
