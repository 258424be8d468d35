"""What a search's result says about whether the question can be answered from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cicada.documents.model import Passage
from cicada.languages.detection import is_in
from cicada.languages.terms import query_terms
from cicada.retrieval.model import RankedPassage, Retrieval
from cicada.retrieval.quality.content_words import content_words, named_words, stems

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
    background = cosines[_BACKGROUND:]
    return cosines[0] - math.fsum(background) / len(background) if len(cosines) >= _FULL else None


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
    language = shown[0].passage.language
    asked, named = content_words(question, language), named_words(question)
    first, *others = map(_text, shown)
    words = stems(first)
    if words.isdisjoint(asked) and not is_in(question, language.split("-")[0]) and _strange(asked, others):
        return None
    return _share(asked, words), _share(named, words)


def _strange(asked: Sequence[str], texts: Sequence[str]) -> bool:
    return all(stems(text).isdisjoint(asked) for text in texts)


def _text(ranked: RankedPassage) -> str:
    passage = ranked.passage
    return f"{passage.title} {passage.context} {passage.text}"


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
