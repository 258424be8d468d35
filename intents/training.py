"""Training of the intent model, and its predictions for authors whose messages it has not seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cicada.planning.intent.concepts import Lexicon, lexicon
from cicada.planning.intent.features import features
from cicada.planning.intent.linear import BUCKET_BITS, SCORED, bucket
from cicada.planning.intent.reading import read
from cicada.planning.model import Intent
from intents.examples import Example
from intents.logistic import Floats, Row, Sparse, probabilities, train

CLASSES = (*SCORED, Intent.GENERAL)
_PENALTY = 0.1
# A feature that one message alone has says more of the message than of its intent.
_LEAST_MESSAGES = 2
# A frequent word, which the frame keeps, is used this often and by this many authors.
_LEAST_USES = 12
_LEAST_AUTHORS = 4


@dataclass(frozen=True, slots=True)
class Trained:
    """`weights`: buckets × classes."""

    weights: Floats
    bias: Floats
    frequent: frozenset[str]

    def scores(self, rows: Sequence[Row]) -> Floats:
        return np.array([values @ self.weights[indices] + self.bias for indices, values in rows])


def frequent_words(examples: Sequence[Example]) -> frozenset[str]:
    """Words that are used often and by most authors."""
    uses: Counter[str] = Counter()
    authors: defaultdict[str, set[str]] = defaultdict(set)
    for example in examples:
        for word in {word.lower() for word in read(example.text).words}:
            uses[word] += 1
            authors[word].add(example.author)
    least = min(_LEAST_AUTHORS, len({example.author for example in examples}))
    return frozenset(word for word in uses if uses[word] >= _LEAST_USES and len(authors[word]) >= least)


def rows_of(messages: Sequence[str], words: Lexicon, frequent: frozenset[str]) -> list[Row]:
    """Each message's buckets and their values: in each group, one over the root of its number of buckets."""
    return [_row(message, words, frequent) for message in messages]


def fit(examples: Sequence[Example], words: Lexicon) -> Trained:
    """A model of these examples."""
    frequent = frequent_words(examples)
    rows = rows_of([example.text for example in examples], words, frequent)
    targets = np.eye(len(CLASSES))[[CLASSES.index(example.intent) for example in examples]]
    table = Sparse(rows, _LEAST_MESSAGES)
    found, bias = train(table, targets, _PENALTY)
    weights = np.zeros((1 << BUCKET_BITS, len(CLASSES)))
    weights[table.columns] = found
    return Trained(weights, bias, frequent)


def unseen_scores(examples: Sequence[Example], concepts: dict[str, dict[str, list[str]]]) -> Floats:
    """Each example's scores by a model of the other authors' examples: examples × classes."""
    words = lexicon(concepts.values())
    scores = np.zeros((len(examples), len(CLASSES)))
    for author in sorted({example.author for example in examples}):
        own = [place for place, example in enumerate(examples) if example.author == author]
        trained = fit([example for example in examples if example.author != author], words)
        scores[own] = trained.scores(rows_of([examples[place].text for place in own], words, trained.frequent))
    return scores


def right(examples: Sequence[Example], scores: Floats) -> tuple[Floats, Floats]:
    """For each example whether the likeliest intent is its label, as 0 or 1, and that intent's probability."""
    chances = probabilities(scores)
    labels = np.array([CLASSES.index(example.intent) for example in examples])
    return (chances.argmax(axis=1) == labels).astype(np.float64), chances.max(axis=1)


def _row(message: str, words: Lexicon, frequent: frozenset[str]) -> Row:
    groups = [
        sorted({bucket(hashed, group) for hashed in hashes})
        for group, hashes in enumerate(features(message, words, frequent))
    ]
    indices = np.array([each for group in groups for each in group], dtype=np.int64)
    values = np.concatenate([np.full(len(group), 1 / np.sqrt(max(1, len(group)))) for group in groups])
    return indices, values
