"""Training of what learns from readings: strategy, confidence, what a message does to the plan before, and whole plans.

Strategy, confidence and whole plans learn from readings by heads that have not seen the author of the message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cicada.understanding.confidence import reading_numbers
from cicada.understanding.following import PARTS, Earlier, context_features
from cicada.understanding.heads import Heads
from cicada.understanding.judging import STRATEGIES, strategy_chances, strategy_numbers
from cicada.understanding.message_meaning import meaning_of
from cicada.understanding.reading import OPERATIONS, read
from cicada.understanding.schema_planner import SchemaReader
from tools.understanding.examples import Message
from tools.understanding.fitting import PENALTY, Table, fit, fit_dense, fit_trees, one_hot, packed
from tools.understanding.judgement import parts_right, right
from tools.understanding.labels import RELATIONS, as_labelled, meaning_of_label

# Of the messages of unseen authors that the rules decide alone, this share is to be right as a whole.
RIGHT_ALONE = 0.93
_LEAST_ALONE = 200

Fold = tuple[Sequence[str], Heads]
"""Some authors, and heads of the messages of all others."""


class Judged:
    """What a reading by heads that have not seen the store says of a message."""

    def __init__(self, message: Message, heads: Heads) -> None:
        store = message.store
        self.reading = read(message.text, store.vocabulary, store.now, heads)
        self.meaning = meaning_of(self.reading, store.vocabulary, store.asker)
        self.numbers = strategy_numbers(self.reading, store.vocabulary, bool(store.asker))


def crossed(messages: Sequence[Message], folds: Sequence[Fold]) -> dict[int, Judged]:
    """Each message that stands alone, read by heads of other authors' messages, by its place."""
    found: dict[int, Judged] = {}
    for held, heads in folds:
        for at, message in enumerate(messages):
            if message.store.author in held and (message.before is None or message.label.relation == "new"):
                found[at] = Judged(message, heads)
    return found


def with_judges(heads: Heads, alone: Sequence[Message], readings: dict[int, Judged]) -> Heads:
    """Add the strategy and the confidence of a reading. `readings`: of the messages `alone`, in their order."""
    judged = [readings[at] for at in sorted(readings)]
    wanted = np.array([one_hot(STRATEGIES, message.label.strategy) for message in alone])
    strategy = fit_dense(STRATEGIES, [each.numbers for each in judged], wanted, exclusive=True)
    with_strategy = replace(heads, strategy=strategy)
    numbers, correct = [], []
    for message, each in zip(alone, judged, strict=True):
        store = message.store
        chances = strategy_chances(each.reading, store.vocabulary, bool(store.asker), with_strategy)
        numbers.append(reading_numbers(each.reading, each.meaning, chances, store.vocabulary))
        correct.append(right(each.meaning, chances, message))
    confidence = fit_dense(("right",), numbers, np.array(correct, dtype=np.float64)[:, None], exclusive=False)
    return replace(heads, strategy=strategy, confidence=confidence)


def with_whole(heads: Heads, messages: Sequence[Message], folds: Sequence[Fold]) -> Heads:
    """Add the trees that judge whole plans, by plans of authors that the heads of a fold have not learnt from."""
    judges = replace(heads, heads={}, known=frozenset(), common=frozenset())
    with ProcessPoolExecutor() as executor:
        plans = list(executor.map(partial(_judged_plans, list(messages), judges), folds))
    numbers, holds = [np.array(rows) for rows, _ in plans], [np.array(each) for _, each in plans]
    chances = []
    for fold, rows in enumerate(numbers):
        trees = fit_trees(np.concatenate(_others(numbers, fold)), np.concatenate(_others(holds, fold)))
        chances += [trees.chance(row) for row in rows.tolist()]
    sure = sure_from(chances, np.concatenate(holds).tolist())
    return replace(heads, whole=fit_trees(np.concatenate(numbers), np.concatenate(holds)), sure=sure)


def _others(parts: Sequence[NDArray[Any]], fold: int) -> list[NDArray[Any]]:
    return [each for at, each in enumerate(parts) if at != fold]


def _judged_plans(messages: list[Message], judges: Heads, fold: Fold) -> tuple[list[Sequence[float]], list[bool]]:
    """The numbers of the plans of a fold's authors, and whether each plan is right."""
    held, heads = fold
    heads = replace(heads, strategy=judges.strategy, confidence=judges.confidence)
    heads = with_following(heads, [each for each in messages if each.store.author not in held])
    numbers, correct = [], []
    for message in messages:
        store = message.store
        if store.author not in held:
            continue
        before = as_labelled(message.before) if message.before else None
        reader = SchemaReader(store.schema, store.vocabulary, heads)
        plan, row = reader.judged(message.text, before, store.now, store.asker)
        if row:
            numbers.append(row)
            correct.append(all(parts_right(plan.meaning, plan.strategy, message.label).values()))
    return numbers, correct


def sure_from(chances: Sequence[float], correct: Sequence[bool], least: float = RIGHT_ALONE) -> float:
    """The lowest confidence such that of the messages with at least this one the share `least` is right."""
    order = np.argsort(-np.array(chances), kind="stable")
    shares = np.cumsum(np.array(correct, dtype=np.float64)[order]) / np.arange(1, len(order) + 1)
    enough = [at for at in np.flatnonzero(shares >= least) if at >= _LEAST_ALONE]
    return float(np.array(chances)[order][enough[-1]]) if enough else 1.0


def with_following(heads: Heads, messages: Sequence[Message]) -> Heads:
    """Add the heads that say what a message does to the plan before it."""
    tables = {
        "relation": Table(RELATIONS, exclusive=True),
        "keeps": Table(PARTS, exclusive=False),
        "following_operations": Table(OPERATIONS, exclusive=False),
    }
    for message in messages:
        if message.before is not None:
            _add_following(message, tables, heads)
    fitted = {name: packed(fit(table, PENALTY)) for name, table in tables.items()}
    return replace(heads, heads={**heads.heads, **fitted})


def _add_following(message: Message, tables: dict[str, Table], heads: Heads) -> None:
    if message.before is None:
        return
    store, label = message.store, message.label
    reading = read(message.text, store.vocabulary, store.now, heads)
    own = meaning_of(reading, store.vocabulary, store.asker)
    chances = strategy_chances(reading, store.vocabulary, bool(store.asker), heads)
    strategy = max(chances, key=chances.__getitem__)
    earlier = Earlier(meaning_of_label(message.before.label), message.before.label.strategy)
    groups = (reading.features, context_features(reading, own, strategy, earlier))
    tables["relation"].add(groups, one_hot(RELATIONS, label.relation), store.name)
    computed = {operation for operation, _ in label.aggregates}
    tables["following_operations"].add(groups, [float(each in computed) for each in OPERATIONS], store.name)
    holds = [_holds(name, earlier, own.restricted, message) for name in PARTS]
    known = [float(each is not None) for each in holds]
    if any(known):
        tables["keeps"].add(groups, [float(bool(each)) for each in holds], store.name, known)


def _holds(name: str, earlier: Earlier, own: frozenset[str], message: Message) -> bool | None:
    """Whether this part of the plan before still holds; None if there is no such part."""
    now = meaning_of_label(message.label)
    if name == "conditions":
        rest = earlier.meaning.restricted - own
        return all(_same_condition(earlier, now, each) for each in rest) if rest else None
    if name == "topic":
        return bool(now.topic) if earlier.meaning.topic else None
    part = getattr(earlier.meaning, name)
    return getattr(now, name) == part if part else None


def _same_condition(earlier: Earlier, now: Any, name: str) -> bool:
    parts: Sequence[Callable[[Any], Any]] = (
        lambda each: each.wanted.get(name),
        lambda each: each.unwanted.get(name),
        lambda each: each.bounds.get(name),
    )
    return all(part(earlier.meaning) == part(now) for part in parts)
