"""Training of the heads: those that read mentions and messages, then those that judge readings and whole plans."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cicada.understanding.confidence import reading_numbers
from cicada.understanding.facts import Facts, MentionKind, facts_of
from cicada.understanding.features import (
    Line,
    candidate_features,
    masked,
    mention_features,
    message_features,
    negation_features,
    upcoming_features,
)
from cicada.understanding.following import PARTS, Earlier, context_features
from cicada.understanding.heads import DenseHead, Heads, Trees, dump_heads
from cicada.understanding.judging import STRATEGIES, strategy_chances, strategy_numbers
from cicada.understanding.message_meaning import meaning_of
from cicada.understanding.reading import (
    CONDITIONS,
    HEAD_OF,
    NEGATABLE,
    OPERATIONS,
    WISH,
    WISHED,
    Role,
    before,
    candidates,
    read,
    wish_features,
)
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.words import lexicon, tokens_of
from tools.understanding.examples import Label, Message
from tools.understanding.fitting import Table, fit, fit_dense, fit_trees, packed
from tools.understanding.judgement import parts_right, right
from tools.understanding.labels import (
    ASKS,
    RELATIONS,
    ROLES,
    Target,
    as_labelled,
    asks_of,
    is_upcoming,
    meaning_of_label,
    targets,
)

_INTENTS = Path(__file__).parents[1] / "intents" / "examples.jsonl"
_PENALTY = 0.06
# What these go by are words of grammar, which are the same in every store.
_PENALTY_OF_GRAMMAR = 0.015
_BY_GRAMMAR = frozenset({"asks", "field", "operations", "negation", "me"})
_LEAST_STORES = 2
_FOLDS = 4
# Of the messages of unseen authors that the rules decide alone, this share is to be right as a whole.
RIGHT_ALONE = 0.93
_LEAST_ALONE = 200
_DENSE = DenseHead((), (), ())
_NO_TREES = Trees((), (), (), ())


def words_of(messages: Sequence[Message]) -> tuple[frozenset[str], frozenset[str]]:
    """The words that stay unmasked, which several stores' messages have; and those that are no typing errors."""
    stores: defaultdict[str, set[str]] = defaultdict(set)
    for message in messages:
        for token in tokens_of(message.text):
            stores[token.text].add(message.store.name)
    least = min(_LEAST_STORES, len({message.store.name for message in messages}))
    known = {word for word, own in stores.items() if len(own) >= least} | set(lexicon().cues)
    general = {word for word, uses in _general_words().items() if uses >= _LEAST_STORES}
    return frozenset(known), frozenset(known | general)


@cache
def _general_words() -> Counter[str]:
    """How many messages of the intents' examples have each word."""
    uses: Counter[str] = Counter()
    for line in _INTENTS.read_text("utf-8").splitlines():
        uses.update({token.text for token in tokens_of(json.loads(line)["text"])})
    return uses


def trained(messages: Sequence[Message], *, judges: bool = True) -> Heads:
    """Heads of these messages. Without `judges` the last two are left out; they need readings by other heads."""
    known, common = words_of(messages)
    tables = _tables(messages, known, common)
    fitted = {name: fit(table, _penalty(name)) for name, table in tables.items()}
    heads = Heads(
        {name: packed(each) for name, each in fitted.items()}, known, common, _DENSE, _DENSE, _NO_TREES, 1.0, ""
    )
    if not judges:
        return heads
    folds = list(_crossed_heads(messages, judges=False))
    alone = [message for message in messages if message.before is None or message.label.relation == "new"]
    heads = _with_following(_with_judges(heads, alone, _crossed(messages, folds)), messages)
    return _with_whole(heads, messages, folds)


def judged_anew(heads: Heads, messages: Sequence[Message]) -> Heads:
    """The same heads, with trees that have learnt how right their plans are by the rules of today."""
    return _with_whole(heads, messages, list(_crossed_heads(messages, judges=False)))


def _penalty(head: str) -> float:
    return _PENALTY_OF_GRAMMAR if head in _BY_GRAMMAR else _PENALTY


def _tables(messages: Sequence[Message], known: frozenset[str], common: frozenset[str]) -> dict[str, Table]:
    tables = {name: Table(classes, exclusive=True) for name, classes in ROLES.items()}
    tables |= {
        "operations": Table(OPERATIONS, exclusive=False),
        "negation": Table(("negated",), exclusive=False),
        "link": Table(("fits",), exclusive=False),
        "asks": Table(ASKS, exclusive=False),
        "strategy": Table(STRATEGIES, exclusive=True),
        "upcoming": Table(("upcoming",), exclusive=False),
        WISH: Table((WISHED,), exclusive=False),
    }
    for message in messages:
        _add(message, tables, known, common)
    return tables


def _add(message: Message, tables: dict[str, Table], known: frozenset[str], common: frozenset[str]) -> None:
    store = message.store
    facts = facts_of(message.text, store.vocabulary, store.now, common)
    line = masked(facts, store.vocabulary, known)
    wanted = targets(facts, message.label, store, known)
    roles = tuple(Role(each.name) for each in wanted)
    for at, target in enumerate(wanted):
        _add_mention(message, facts, line, target, roles, at, tables)
    features = message_features(line)
    before = None if message.label.relation == "new" else message.before
    # A message that goes on says nothing of what was asked for before it.
    told = [float(not each) for each in asks_of(before.label, facts)] if before else None
    tables["asks"].add((features,), [float(each) for each in asks_of(message.label, facts)], store.name, told)
    # The strategy, and what is wanted, are learnt from messages that say it whole.
    if before is None:
        tables["strategy"].add((features,), _one_hot(STRATEGIES, message.label.strategy), store.name)
        if has_subject(message.label):
            outline = (wish_features(line, roles),)
            tables[WISH].add(outline, [float(message.label.wants_documents)], store.name)


def has_subject(label: Label) -> bool:
    """Whether the message is about the texts, so that it wants either documents or what they say."""
    return label.strategy in ("C", "H") or bool(label.topic)


def _add_mention(
    message: Message, facts: Facts, line: Line, target: Target, roles: Sequence[Role], at: int, tables: dict[str, Table]
) -> None:
    mention, place, store = facts.mentions[at], line.places[at], message.store
    head = HEAD_OF.get(mention.kind)
    if head is None or target.name is None:
        return
    earlier = before(roles, at)
    features = mention_features(line, place, mention, earlier)
    tables[head].add((features,), _one_hot(ROLES[head], target.name), store.name)
    if target.name == "agg":
        tables["operations"].add((features,), [float(each in target.operations) for each in OPERATIONS], store.name)
    if target.name in NEGATABLE:
        tables["negation"].add((negation_features(line, place, earlier),), [float(target.negated)], store.name)
    is_told = target.name in CONDITIONS or target.name == "contains" or mention.kind is MentionKind.FIELD
    if target.link and is_told:
        fields = list(candidates(facts, line, roles, at, store.vocabulary))
        upcoming = is_upcoming(mention, message.label)
        meant = next((each for each in fields if each.name == target.link), None)
        if upcoming is not None and meant:
            own = upcoming_features(line, place, earlier, meant.words)
            tables["upcoming"].add((own,), [float(upcoming)], store.name)
        if len(fields) > 1 and meant:
            for each in fields:
                own = candidate_features(line, place, mention, each)
                tables["link"].add((own,), [float(each.name == target.link)], store.name)


def _one_hot(classes: Sequence[str], name: str) -> list[float]:
    return [float(each == name) for each in classes]


Fold = tuple[Sequence[str], Heads]
"""Some authors, and heads of the messages of all others."""


class Judged:
    """What a reading by heads that have not seen the store says of a message."""

    def __init__(self, message: Message, heads: Heads) -> None:
        store = message.store
        self.reading = read(message.text, store.vocabulary, store.now, heads)
        self.meaning = meaning_of(self.reading, store.vocabulary, store.asker)
        self.numbers = strategy_numbers(self.reading, store.vocabulary, bool(store.asker))


def _crossed(messages: Sequence[Message], folds: Sequence[Fold]) -> dict[int, Judged]:
    """Each message that stands alone, read by heads of other authors' messages, by its place."""
    found: dict[int, Judged] = {}
    for held, heads in folds:
        for at, message in enumerate(messages):
            if message.store.author in held and (message.before is None or message.label.relation == "new"):
                found[at] = Judged(message, heads)
    return found


def _with_judges(heads: Heads, alone: Sequence[Message], readings: dict[int, Judged]) -> Heads:
    judged = [readings[at] for at in sorted(readings)]
    wanted = np.array([_one_hot(STRATEGIES, message.label.strategy) for message in alone])
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


def _with_whole(heads: Heads, messages: Sequence[Message], folds: Sequence[Fold]) -> Heads:
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
    heads = _with_following(heads, [each for each in messages if each.store.author not in held])
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


def _with_following(heads: Heads, messages: Sequence[Message]) -> Heads:
    """Add the heads that say what a message does to the plan before it."""
    tables = {
        "relation": Table(RELATIONS, exclusive=True),
        "keeps": Table(PARTS, exclusive=False),
        "following_operations": Table(OPERATIONS, exclusive=False),
    }
    for message in messages:
        if message.before is not None:
            _add_following(message, tables, heads)
    fitted = {name: packed(fit(table, _PENALTY)) for name, table in tables.items()}
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
    tables["relation"].add(groups, _one_hot(RELATIONS, label.relation), store.name)
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


def content(heads: Heads, digest: str) -> bytes:
    """The content of the heads' file."""
    said = {
        name: {"classes": each.classes, "bias": each.bias, "unit": each.unit, "exclusive": each.exclusive}
        for name, each in heads.heads.items()
    }
    header = {
        "heads": said,
        "known": sorted(heads.known),
        "common": sorted(heads.common),
        "strategy": _dense(heads.strategy),
        "confidence": _dense(heads.confidence),
        "whole": {name: getattr(heads.whole, name) for name in Trees.__struct_fields__},
        "sure": heads.sure,
        "digest": digest,
    }
    weights = b"".join(row.tobytes() for each in heads.heads.values() for row in each.weights)
    return dump_heads(header, weights)


def _dense(head: DenseHead) -> dict[str, Any]:
    return {"classes": head.classes, "weights": head.weights, "bias": head.bias}


def left_out(messages: Sequence[Message]) -> Iterator[Fold]:
    """Groups of authors, each with heads of the messages of all other groups."""
    return _crossed_heads(messages, judges=True)


def _crossed_heads(messages: Sequence[Message], *, judges: bool) -> Iterator[Fold]:
    authors = sorted({message.store.author for message in messages})
    groups = [authors[fold::_FOLDS] for fold in range(_FOLDS)]
    # Heads that judge are trained by processes of their own.
    with ProcessPoolExecutor(max_workers=1 if judges else None) as executor:
        yield from zip(groups, executor.map(partial(_without, list(messages), judges), groups), strict=True)


def _without(messages: list[Message], judges: bool, authors: Sequence[str]) -> Heads:
    return trained([each for each in messages if each.store.author not in authors], judges=judges)
