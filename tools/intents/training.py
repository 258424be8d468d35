"""Training of linear models, and their predictions for authors whose messages they have not seen.

One tells a message's intent, the other which changes it asks for. Both learn from the same features.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.answering.asked_writes import KINDS
from cicada.understanding.intent.features import Lexicon, features, lexicon
from cicada.understanding.intent.model import BUCKET_BITS, SCORED, bucket
from cicada.understanding.intent.reading import read
from cicada.understanding.plan import Intent
from tools.intents.examples import Concepts, Example, M, Message
from tools.intents.ridge import Floats, Places, Row, Sparse, probabilities, train

CLASSES = (*SCORED, Intent.GENERAL)
# The penalty, the groups' weights and that of rare features were chosen by predictions for the authors a to f, each by
# a model of the others of them.
_PENALTY = 0.3
GROUP_WEIGHTS = (0.84, 1.22, 0.71, 1.0, 0.71, 0.71, 0.84)
_RARITY = 0.15
_USES_OF_WEIGHT_ONE = 100
# A feature that one message alone has says more of the message than of its intent.
_LEAST_MESSAGES = 2
# A frequent word, which the frame keeps, is used this often and by this many authors.
_LEAST_USES = 12
_LEAST_AUTHORS = 4
# Authors of fewer messages are learnt from but not measured: theirs are mostly corrections of mistakes seen.
_LEAST_MEASURED = 300


@dataclass(frozen=True, slots=True)
class Trained:
    """`weights`: buckets × scores; a bucket that the examples do not fill has zeros."""

    weights: Floats
    bias: Floats
    frequent: frozenset[str]
    words: Lexicon

    def scores(self, messages: Sequence[str]) -> Floats:
        """Messages × scores."""
        known = np.asarray(self.weights.any(axis=1), dtype=np.bool_)
        rows = [row_of(groups_of(message, self.words, self.frequent), known) for message in messages]
        return np.array([values @ self.weights[indices] + self.bias for indices, values in rows])


def frequent_words(examples: Sequence[Message]) -> frozenset[str]:
    """Words that are used often and by most authors."""
    uses: Counter[str] = Counter()
    authors: defaultdict[str, set[str]] = defaultdict(set)
    for example in examples:
        for word in {word.lower() for word in read(example.text).words}:
            uses[word] += 1
            authors[word].add(example.author)
    least = min(_LEAST_AUTHORS, len({example.author for example in examples}))
    return frozenset(word for word in uses if uses[word] >= _LEAST_USES and len(authors[word]) >= least)


def groups_of(message: str, words: Lexicon, frequent: frozenset[str]) -> list[Places]:
    """The buckets of each group of the message's features."""
    return [
        np.unique(np.array([bucket(hashed, group) for hashed in hashes], dtype=np.int64))
        for group, hashes in enumerate(features(message, words, frequent))
    ]


def row_of(groups: Sequence[Places], known: NDArray[np.bool_]) -> Row:
    """The known buckets and their values: the group's weight over the root of their number in the group."""
    kept = [group[known[group]] for group in groups]
    values = [
        np.full(len(group), weight / np.sqrt(max(1, len(group))))
        for group, weight in zip(kept, GROUP_WEIGHTS, strict=True)
    ]
    return np.concatenate(kept), np.concatenate(values)


def rarity(uses: Places) -> Floats:
    """How much each bucket is to count. A feature of fewer messages says more of what they have in common."""
    return np.asarray((np.maximum(uses, 1) / _USES_OF_WEIGHT_ONE) ** -_RARITY, dtype=np.float64)


def intent_targets(examples: Sequence[Example]) -> Floats:
    """One class of each example is above the mean, the others below."""
    labels = [CLASSES.index(example.intent) for example in examples]
    return np.asarray(np.eye(len(CLASSES))[labels] - 1 / len(CLASSES), dtype=np.float64)


def change_targets(examples: Sequence[Message]) -> Floats:
    """Each kind of change that an example asks for is above the kind's mean, the others below."""
    asked = labelled_changes(examples).astype(np.float64)
    return np.asarray(asked - asked.mean(axis=0), dtype=np.float64)


def labelled_changes(examples: Sequence[Message]) -> NDArray[np.bool_]:
    """Examples × kinds: which it asks for."""
    return np.array([[kind in example.changes for kind in KINDS] for example in examples], dtype=np.bool_)


def fit(examples: Sequence[Message], words: Lexicon, targets: Floats) -> Trained:
    """A model of these examples. `targets`: examples × scores."""
    frequent = frequent_words(examples)
    groups = [groups_of(example.text, words, frequent) for example in examples]
    uses = np.bincount(np.concatenate([each for row in groups for each in row]), minlength=1 << BUCKET_BITS)
    counts = rarity(uses)
    rows = [row_of(row, uses >= _LEAST_MESSAGES) for row in groups]
    table = Sparse([(buckets, values * counts[buckets]) for buckets, values in rows])
    found, bias = train(table, targets, _PENALTY)
    weights = np.zeros((1 << BUCKET_BITS, len(bias)))
    weights[table.columns] = found * counts[table.columns, None]
    return Trained(weights, bias, frequent, words)


def measured_authors(examples: Sequence[Message]) -> list[str]:
    """The authors with enough messages to be left out and measured."""
    messages = Counter(example.author for example in examples)
    return sorted(author for author, number in messages.items() if number >= _LEAST_MEASURED)


def unseen_scores(
    examples: Sequence[M], concepts: Concepts, targets: Floats, authors: Sequence[str] = ()
) -> tuple[list[M], Floats]:
    """The authors' examples, and their scores by models of all other authors' examples: examples × scores.

    `authors`: those with enough messages if none are named.
    """
    words = lexicon(concepts.values())
    measured: list[M] = []
    scores = []
    for author in authors or measured_authors(examples):
        others = [at for at, example in enumerate(examples) if example.author != author]
        trained = fit([examples[at] for at in others], words, targets[others])
        own = [example for example in examples if example.author == author]
        scores.append(trained.scores([example.text for example in own]))
        measured += own
    return measured, np.concatenate(scores)


def right(examples: Sequence[Example], scores: Floats) -> tuple[Floats, Floats]:
    """Whether the likeliest intent is the label, as 0 or 1, and its probability, for each example."""
    chances = probabilities(scores)
    labels = np.array([CLASSES.index(example.intent) for example in examples])
    return (chances.argmax(axis=1) == labels).astype(np.float64), chances.max(axis=1)
