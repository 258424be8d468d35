"""The numbers by which confidence is judged: that in the reading of a message, then that in the whole plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain

from cicada.understanding.facts import MentionKind
from cicada.understanding.following import PARTS, Following, part
from cicada.understanding.judging import STRATEGIES
from cicada.understanding.meaning import Meaning
from cicada.understanding.reading import NEGATABLE, Reading
from cicada.understanding.understood import ReadAlone, Understood
from cicada.understanding.vocabulary import Vocabulary

_NONE = -1.0
# What stands beside the parts of the plan before.
_BESIDE_PARTS = 5


def reading_numbers(
    reading: Reading, meaning: Meaning, strategies: Mapping[str, float], vocabulary: Vocabulary
) -> list[float]:
    """What the confidence depends on: how sure each head was, and what the plan leaves unexplained."""
    telling = [(mention, role) for mention, role in reading.of_kind(*MentionKind) if role.chances]
    sure = [max(role.chances.values()) for _, role in telling] or [1.0]
    linked = [role.field_chance for _, role in telling if role.is_condition] or [1.0]
    polar = [max(role.negated, 1 - role.negated) for _, role in telling if role.name in NEGATABLE] or [1.0]
    asked = [abs(chance - 0.5) * 2 for chance in reading.asks.values()]
    ranked = sorted(strategies.values(), reverse=True)
    likeliest = max(strategies, key=strategies.__getitem__)
    unread = len(reading.unread)
    passed = sum(role.name == "content" for _, role in reading.of_kind(MentionKind.VALUE))
    corrected = sum(mention.corrected for mention in reading.facts.mentions)
    whole = sum(map(math.log, chain(sure, linked, polar, ranked[:1], ((each + 1) / 2 for each in asked))))
    return [
        min(sure),
        sum(sure) / len(sure),
        math.log(min(sure)),
        min(linked),
        math.log(min(linked)),
        min(polar),
        min(asked),
        sum(asked) / len(asked),
        ranked[0],
        math.log(ranked[0]),
        ranked[0] - ranked[1],
        whole,
        math.exp(whole),
        min(unread, 4) / 4,
        float(unread > 0 and likeliest == "M"),
        min(passed, 3) / 3,
        min(corrected, 2) / 2,
        min(len(reading.line), 40) / 40,
        min(len(meaning.restricted), 4) / 4,
        min(len(meaning.aggregates), 2) / 2,
        float(bool(meaning.group)),
        float(meaning.order is not None),
        float(bool(meaning.unknown)),
        float(bool(vocabulary.open)),
        *(float(likeliest == each) for each in STRATEGIES),
    ]


def plan_numbers(own: ReadAlone, plan: Understood, before: Understood | None, goes_on: Following | None) -> list[float]:
    """What the probability depends on that the plan is right.

    `own`: the message read alone. `before`: the plan before, `goes_on`: what the message does to it.
    """
    likeliest = max(own.strategies, key=own.strategies.__getitem__)
    return [
        plan.confidence,
        own.confidence,
        *own.numbers,
        *own.strategies.values(),
        *own.reading.asks.values(),
        *_of_mentions(own.reading),
        float(plan.strategy == likeliest),
        float(plan.meaning == own.meaning),
        *_of_plan(plan),
        *_of_earlier(before, goes_on),
    ]


def _of_mentions(reading: Reading) -> Iterator[float]:
    """How many mentions of each kind there are, and how sure the least sure role of these is."""
    for kind in MentionKind:
        sure = [max(role.chances.values()) for _, role in reading.of_kind(kind) if role.chances]
        yield float(len(sure))
        yield min(sure, default=1.0)


def _of_plan(plan: Understood) -> Iterator[float]:
    meaning = plan.meaning
    yield from (float(plan.strategy == each) for each in STRATEGIES)
    yield from map(float, (plan.single, plan.continues, meaning.order is not None, meaning.limit is not None))
    stated = (meaning.restricted, meaning.unwanted, meaning.bounds, meaning.aggregates)
    yield from (float(len(each)) for each in (*stated, meaning.group, meaning.fields, meaning.named, meaning.unknown))


def _of_earlier(before: Understood | None, goes_on: Following | None) -> Iterator[float]:
    """How probable it is that each part of the plan before still holds, where it has that part."""
    if before is None or goes_on is None:
        yield from [_NONE] * (len(PARTS) + _BESIDE_PARTS)
        return
    kept = {name: goes_on.keeps[name] if part(before.meaning, name) else _NONE for name in PARTS}
    yield from kept.values()
    yield min((max(each, 1 - each) for each in kept.values() if each != _NONE), default=1.0)
    yield goes_on.chance
    yield from map(float, (len(before.meaning.restricted), len(before.meaning.aggregates), before.strategy == "M"))
