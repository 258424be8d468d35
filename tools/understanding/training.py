"""Training of the heads that read mentions and messages; `from_readings.py` has what learns from what they read."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

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
from cicada.understanding.heads import DenseHead, Heads, Trees, dump_heads
from cicada.understanding.judging import STRATEGIES
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
    wish_features,
)
from cicada.understanding.words import lexicon, tokens_of
from tools.understanding.examples import Label, Message
from tools.understanding.fitting import PENALTY, Table, fit, one_hot, packed
from tools.understanding.from_readings import Fold, crossed, with_following, with_judges, with_whole
from tools.understanding.labels import (
    ASKS,
    ROLES,
    Target,
    asks_of,
    is_upcoming,
    targets,
)

_INTENTS = Path(__file__).parents[1] / "intents" / "examples.jsonl"
# What these go by are words of grammar, which are the same in every store.
_PENALTY_OF_GRAMMAR = 0.015
_BY_GRAMMAR = frozenset({"asks", "field", "operations", "negation", "me"})
_LEAST_STORES = 2
_FOLDS = 4
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
    heads = with_following(with_judges(heads, alone, crossed(messages, folds)), messages)
    return with_whole(heads, messages, folds)


def judged_anew(heads: Heads, messages: Sequence[Message]) -> Heads:
    """The same heads, with trees that have learnt how right their plans are by the rules of today."""
    return with_whole(heads, messages, list(_crossed_heads(messages, judges=False)))


def _penalty(head: str) -> float:
    return _PENALTY_OF_GRAMMAR if head in _BY_GRAMMAR else PENALTY


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
        tables["strategy"].add((features,), one_hot(STRATEGIES, message.label.strategy), store.name)
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
    tables[head].add((features,), one_hot(ROLES[head], target.name), store.name)
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
