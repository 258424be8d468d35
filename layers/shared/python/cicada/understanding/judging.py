"""The strategy of a reading: a small model of a few numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from cicada.understanding.facts import MentionKind
from cicada.understanding.heads import Heads, softmax
from cicada.understanding.reading import Reading
from cicada.understanding.vocabulary import Vocabulary

STRATEGIES = ("A", "C", "H", "M", "N")
"""NeedsClarification, ContentOnly, Hybrid, MetadataOnly, NoMatch, in the order of the heads."""
_LEAST = 1e-4
_WORDS = (MentionKind.WORD, MentionKind.NAME, MentionKind.DOCUMENT)


def strategy_chances(reading: Reading, vocabulary: Vocabulary, has_asker: bool, heads: Heads) -> dict[str, float]:
    """The probability of each of `STRATEGIES`."""
    scores = heads.strategy.scores(strategy_numbers(reading, vocabulary, has_asker))
    return dict(zip(heads.strategy.classes, softmax(scores), strict=True))


def strategy_numbers(reading: Reading, vocabulary: Vocabulary, has_asker: bool) -> list[float]:
    """What the strategy depends on: the message as a whole, and whether it has topics, conditions, unknown names."""
    by_words = [math.log(reading.strategies[each] + _LEAST) for each in STRATEGIES]
    topics = _chances(reading, _WORDS, ("topic",))
    strangers = _chances(reading, _WORDS, ("unk",))
    names = _chances(reading, _WORDS, ("cond", "contains"))
    asker = _chances(reading, (MentionKind.ASKER,), ("cond",))
    content = _chances(reading, (MentionKind.VALUE,), ("content",))
    conditions = [
        *(names if vocabulary.open else []),
        *_chances(reading, (MentionKind.VALUE,), ("cond",)),
        *_chances(reading, (MentionKind.NUMBER,), ("gt", "gte", "lt", "lte", "eq")),
        *_chances(reading, (MentionKind.DATE,), ("cond",)),
        *(asker if has_asker else []),
    ]
    topic, condition, inside = _any(topics), _any(conditions), max(content, default=0.0)
    fields = [1 - chance for chance in _chances(reading, (MentionKind.FIELD,), ("none",))]
    line = reading.line
    rare = line.rare_words
    return [
        *by_words,
        topic,
        max(topics, default=0.0),
        min(sum(topics), 6) / 6,
        inside,
        condition,
        0.0 if vocabulary.open else max(names, default=0.0),
        max(strangers, default=0.0),
        min(sum(strangers), 4) / 4,
        max(_chances(reading, _WORDS, ("doc",)), default=0.0),
        0.0 if has_asker else max(asker, default=0.0),
        max(fields, default=0.0),
        min(rare, 6) / 6,
        float(rare == 0),
        float(line.symbols[-1:] == ("?",)),
        min(len(line), 30) / 30,
        topic * condition,
        topic * (1 - condition),
        (1 - topic) * condition,
        (1 - topic) * (1 - condition),
        inside * condition,
        inside * (1 - topic),
        reading.asks["count"],
        reading.asks["group"],
        *(each * topic for each in by_words),
        *(each * condition for each in by_words),
    ]


def _chances(reading: Reading, kinds: Sequence[MentionKind], roles: Iterable[str]) -> list[float]:
    """The probability of each mention of these kinds that it has one of these roles."""
    wanted = tuple(roles)
    return [sum(role.chances.get(each, 0.0) for each in wanted) for _, role in reading.of_kind(*kinds)]


def _any(chances: Iterable[float]) -> float:
    return 1 - math.prod(1 - chance for chance in chances)
