"""Which lines of the passages answer a question: a few general features, linear weights, one probability.

The weights were fitted on 76 questions that two plays answer and 40 that they do not, with ten retrieved passages each:
multinomial logistic regression over a prompt's units, and logistic regression for the decision. What they reach on
these questions, and on others on the same two plays that were held out: docs/figures/stand-in-answers.json.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.prompt import Passage
from local.bedrock.question import SAYING, Question, read
from local.bedrock.units import Unit, units_of
from local.bedrock.words import Rarity, stem, terms, words

CONTEXT_WORDS = 40  # a shorter unit is embedded with the end of the line before it and the start of the next
UNITS_EMBEDDED = 32  # the best by the other features: embedding takes most of an answer's time

# In the order of the columns of `_features`; similarity comes last.
WEIGHTS = np.array([2.1, 1.65, 3.6, 1.3, 1.3, 2.5, -0.5, 5.0])
DECISION, BIAS = np.array([-4.25, 4.6, 2.1]), -0.95  # what is missing, similarity, speaker asked for


@dataclass(frozen=True, slots=True)
class Selection:
    """`units` in the passages' order, the places of the best with their scores, and the probability of an answer."""

    units: tuple[Unit, ...]
    ranked: tuple[tuple[int, float], ...]
    confidence: float

    def reply_to(self, place: int) -> int | None:
        """The place of the line after this one in the same passage."""
        after = place + 1
        inside = after < len(self.units) and self.units[after].passage is self.units[place].passage
        return after if inside else None


def select(question: str, passages: Sequence[Passage], embedder: Embedder) -> Selection:
    """Rank what can be quoted. Raises EmbedderUnavailableError."""
    units = units_of(passages)
    if not units:
        return Selection((), (), 0.0)
    asked = read(question, dict.fromkeys(unit.speaker for unit in units if unit.speaker))
    features = _features(asked, units, passages)
    shortlist = np.argsort(-(features @ WEIGHTS), kind="stable")[:UNITS_EMBEDDED]
    texts = [question, *(_in_context(units, int(place)) for place in shortlist)]
    vectors = embedder.embed(texts).unit()
    features[shortlist, -1] = vectors[1:] @ vectors[0]
    order = shortlist[np.argsort(-(features[shortlist] @ WEIGHTS), kind="stable")]
    confidence = _probability(_missing_share(question, units, passages), features[shortlist])
    ranked = zip(map(int, order), map(float, features[order] @ WEIGHTS), strict=True)
    return Selection(tuple(units), tuple(ranked), confidence)


def _features(asked: Question, units: Sequence[Unit], passages: Sequence[Passage]) -> Vectors:
    """One row a unit: overlap, overlap with neighbours, speaker asked for, subject, addressed, rank, asks, and 0."""
    found = [frozenset(terms(unit.text)) for unit in units]
    rarity = Rarity(found)
    total = rarity.total(asked.topics) or 1.0
    ranks = {id(passage): rank for rank, passage in enumerate(passages)}
    rows = []
    for place, unit in enumerate(units):
        near = frozenset().union(*(found[other] for other in _neighbours(units, place, 1)))
        around = {units[other].speaker for other in _neighbours(units, place, 2)}
        is_subject = unit.speaker in asked.subjects
        rows.append(
            (
                rarity.total(term for term in asked.topics if term in found[place]) / total,
                rarity.total(term for term in asked.topics if term in near) / total,
                is_subject and asked.asks_for_words,
                is_subject and not asked.asks_for_words,
                asked.asks_for_words and unit.speaker not in asked.named and not around.isdisjoint(asked.named),
                1 / (1 + ranks[id(unit.passage)]),
                unit.asks,
                0,
            )
        )
    return np.array(rows, dtype=np.float32)


def _neighbours(units: Sequence[Unit], place: int, reach: int) -> list[int]:
    around = range(max(0, place - reach), min(len(units), place + reach + 1))
    return [other for other in around if units[other].passage is units[place].passage]


def _in_context(units: Sequence[Unit], place: int) -> str:
    """A unit's text as it is embedded: who speaks, and for a short line what stands before and after."""
    unit = units[place]
    spare = max(0, CONTEXT_WORDS - len(unit.text.split())) // 2
    around = _neighbours(units, place, 1)
    before = units[place - 1].text.split()[-spare:] if spare and place - 1 in around else []
    after = units[place + 1].text.split()[:spare] if spare and place + 1 in around else []
    spoken = f"{unit.speaker}: {unit.text}" if unit.speaker else unit.text
    return " ".join([*before, spoken, *after])


def _missing_share(question: str, units: Sequence[Unit], passages: Sequence[Passage]) -> float:
    """How much of what the question speaks of appears nowhere in the passages, by number of words."""
    present = {term for unit in units for term in (*terms(unit.text), *map(stem, words(unit.speaker)))}
    present.update(term for passage in passages for term in terms(passage.heading))
    asked = [term for term in dict.fromkeys(terms(question)) if term not in SAYING]
    return sum(term not in present for term in asked) / len(asked) if asked else 1.0


def _probability(missing: float, features: Vectors) -> float:
    """From what is missing, the best similarity, and whether the speaker whose words are asked for speaks at all."""
    evidence = np.array([missing, features[:, -1].max(), features[:, 2].max()])
    return float(1 / (1 + np.exp(-(evidence @ DECISION) - BIAS)))
