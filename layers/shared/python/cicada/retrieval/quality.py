"""Whether the evidence that was found can answer the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cicada.documents.model import Passage
from cicada.knowledge_bases.calibrations import SHIPPED, Calibration, Standard
from cicada.languages.terms import (
    STOP_WORDS,
    is_cjk,
    is_in,
    query_terms,
    stemmed_language,
    stop_words,
    without_ending,
    words,
)
from cicada.retrieval.fusion import logistic
from cicada.retrieval.model import RankedPassage, Retrieval

# Words of the request itself. They say what to do with the subject, and passages about it need not have them.
REQUEST_WORDS = frozenset(
    """
    also anything describe explain find get give got know like list many mean much name need one please say says show
    something tell thing things think uk us want way
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
# Names and numbers: capitalised words but the first of the text, and words with digits.
_NAMED = re.compile(r"(?<=\S )[A-ZÀ-ÖØ-ÞА-Я][\w'’-]+|\b[^\W\d]*+\d[\w.,]*")
# Most inflections change the end of a word; six letters keep most different words apart.
_LETTERS = 6


def content_words(text: str, language: str = "en") -> tuple[str, ...]:
    """The different content words in order, each as `stem` has it; without stop words of English and `language`."""
    dropped = STOP_WORDS | stop_words(stemmed_language(language))
    found = (stem(word) for word in words(text) if word not in dropped)
    return tuple(dict.fromkeys(word for word in found if word not in _REQUEST_STEMS))


def named_words(text: str) -> tuple[str, ...]:
    """The words of names and numbers in a question, each as `stem` has it."""
    found = [word for name in _NAMED.findall(text) for word in words(name)]
    return tuple(dict.fromkeys(stem(word) for word in found if word not in STOP_WORDS))


def is_named(word: str) -> bool:
    """Whether a word of a question, wherever it stands, is written as names and numbers are."""
    return word[:1].isupper() or any(character.isdigit() for character in word)


def stems(text: str) -> frozenset[str]:
    """All words of a text, each as `stem` has it."""
    return frozenset(map(stem, words(text)))


def passage_stems(passage: Passage) -> frozenset[str]:
    """All words that a passage is searched by, each as `stem` has it."""
    return stems(f"{passage.title} {passage.context} {passage.text}")


def stem(word: str) -> str:
    """A word without common English endings, cut to six letters."""
    return word if is_cjk(word) else without_ending(word)[:_LETTERS]


_REQUEST_STEMS = frozenset(map(stem, REQUEST_WORDS))


# Passages that are looked at: the relevance of the first three, the words of the first, the documents of five.
_RELEVANT, _SHOWN = 3, 5
# A retriever's hits from here on stand for what any question finds, if there are enough of them.
_BACKGROUND, _FULL = 20, 30
_DOCUMENTS = 5
_LEAST = 1e-4


class Features(NamedTuple):
    """Signals of the evidence; None where a search cannot give one, for example in a base of few passages.

    `relevance`: log odds of the first passages' mean relevance. `margin`: best cosine above that of distant hits.
    `lexical`: best BM25 score per term of the question. `coverage`: share of its content words in the first passage.
    `names`: the same for its names and numbers. `concentration`: by how much the share of the most frequent document
    in the first passages is above its share in all candidates.
    """

    relevance: float | None
    margin: float | None
    lexical: float | None
    coverage: float | None
    names: float | None
    concentration: float | None


def features(question: str, found: Retrieval) -> Features:
    """The signals of `found` for the question. Pure."""
    shown = found.nearest or found.passages
    shares = _word_shares(question, shown[:_SHOWN])
    return Features(
        relevance=_relevance(shown[:_RELEVANT]),
        margin=_margin([hit.score for hit in found.hits.semantic]),
        lexical=_best_per_term(question, found) if shares else None,
        coverage=shares[0] if shares else None,
        names=shares[1] if shares else None,
        concentration=_concentration(shown[:_SHOWN], found),
    )


def _relevance(ranked: Sequence[RankedPassage]) -> float | None:
    values = [each.relevance for each in ranked if each.relevance is not None]
    if not values:
        return None
    mean = min(max(math.fsum(values) / len(values), _LEAST), 1 - _LEAST)
    return math.log(mean / (1 - mean))


def _margin(cosines: Sequence[float]) -> float | None:
    """Source of the idea: weighted information gain; Zhou and Croft, Query Performance Prediction, SIGIR 2007."""
    distant = background(cosines)
    return None if distant is None else cosines[0] - distant


def background(cosines: Sequence[float]) -> float | None:
    """The mean cosine of distant hits, which any question finds; None where there are few hits. Best cosine first."""
    distant = cosines[_BACKGROUND:]
    return math.fsum(distant) / len(distant) if len(cosines) >= _FULL else None


def _best_per_term(question: str, found: Retrieval) -> float | None:
    terms = len(query_terms(question))
    best = found.hits.lexical[0].score if found.hits.lexical else 0.0
    return best / terms if terms else None


def _word_shares(question: str, shown: Sequence[RankedPassage]) -> tuple[float | None, float | None] | None:
    """Shares of content words and of names in the first passage.

    None where passages share no word with the question because they are of another language, as far as one can tell.
    """
    if not shown:
        return None
    first, *others = (each.passage for each in shown)
    asked, named = content_words(question, first.language), named_words(question)
    words = passage_stems(first)
    if (
        words.isdisjoint(asked)
        and not is_in(question, first.language.split("-")[0])
        and all(passage_stems(each).isdisjoint(asked) for each in others)
    ):
        return None
    return _share(asked, words), _share(named, words)


def _share(asked: Sequence[str], text: frozenset[str]) -> float | None:
    return sum(word in text for word in asked) / len(asked) if asked else None


def _concentration(shown: Sequence[RankedPassage], found: Retrieval) -> float | None:
    """Passages of one document support each other; where there are few documents to choose from, this says nothing."""
    everywhere = Counter(_source(each.passage) for each in found.candidates)
    if len(found.candidates) < _FULL or len(everywhere) < _DOCUMENTS or not shown:
        return None
    first = Counter(_source(each.passage) for each in shown)
    return max(count / len(shown) - everywhere[name] / len(found.candidates) for name, count in first.items())


def _source(passage: Passage) -> tuple[str, str]:
    return passage.document.document_id, passage.title


# One signal never decides alone: scores of other engines and embedding models lie outside the usual range.
CLIP = 2.0
# The weights are not fitted: equal ones generalise better than fitted ones where the sets differ, and the reranker's
# relevance, which is fitted itself, counts twice. Source of the idea: Dawes, The Robust Beauty of Improper Linear
# Models, 1979.
WEIGHTS = {name: 2.0 if name == "relevance" else 1.0 for name in Features._fields}


def evidence_quality(question: str, found: Retrieval, calibration: Calibration = SHIPPED) -> float:
    """0 to 1; 0 if nothing was found. `question` is the user's, whatever query was searched for."""
    if not found.candidates:
        return 0.0
    return quality_of(features(question, found), calibration)


def quality_of(signals: Features, calibration: Calibration) -> float:
    """The probability that a question can be answered from evidence with these signals."""
    return logistic(calibration.constant + calibration.slope * total(signals, calibration))


def total(signals: Features, calibration: Calibration = SHIPPED) -> float:
    """The sum of the points: of each signal its deviations from the usual value, at most two, times its weight."""
    standards = calibration.standards
    points = (weight * deviations(getattr(signals, name), standards.get(name)) for name, weight in WEIGHTS.items())
    return math.fsum(points)


def deviations(value: float | None, standard: Standard | None) -> float:
    """Deviations from the usual value, at most two either way; 0 for a missing signal, and without a standard."""
    if value is None or standard is None or not math.isfinite(value):
        return 0.0
    return min(max((value - standard.mean) / standard.deviation, -CLIP), CLIP)
