"""The numbers by which a plan is judged as a whole: what was read, what was planned of it, and what came before."""

from __future__ import annotations

from collections.abc import Iterator

from cicada.understanding.facts import MentionKind
from cicada.understanding.following import PARTS, Following, part
from cicada.understanding.judging import STRATEGIES
from cicada.understanding.reading import Reading
from cicada.understanding.understood import ReadAlone, Understood

_NONE = -1.0


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
        yield from [_NONE] * (len(PARTS) + 5)
        return
    kept = {name: goes_on.keeps[name] if part(before.meaning, name) else _NONE for name in PARTS}
    yield from kept.values()
    yield min((max(each, 1 - each) for each in kept.values() if each != _NONE), default=1.0)
    yield goes_on.chance
    yield from map(float, (len(before.meaning.restricted), len(before.meaning.aggregates), before.strategy == "M"))
