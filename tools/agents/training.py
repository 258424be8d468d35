"""Training of the agents' heads: what a message asks for, and where its arguments begin and end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random

from cicada.understanding.heads import Head, dump_heads
from cicada.understanding.intent.features import features
from cicada.understanding.plan import Intent
from local.bedrock.agent_heads.features import place_features, span_features
from local.bedrock.agent_heads.line import Line, line_of, tokens_of
from local.bedrock.agent_heads.request import (
    ACTIONS,
    ENDS,
    KINDS,
    ROLES,
    SAID,
    STORES,
    TAKES,
    AgentHeads,
    candidates,
    header_of,
    with_concepts,
)
from tools.agents.examples import Example
from tools.intents.examples import Example as IntentExample
from tools.intents.examples import load_examples
from tools.understanding.fitting import Table, fit, packed

_PENALTY = {"action": 0.1, "store": 0.02, "kind": 0.02, "said": 0.02, "ends": 0.005, "span": 0.02}
_LEAST_AUTHORS = 3
_TIMES = 3
"""How much an example of the intents counts, of which the action is known in part only."""
_VARIANTS = 2
_STORES_OF = {Intent.PROFILE_REQUEST: "profiles", Intent.THEORY_REQUEST: "theories"}
# What may be asked for, by the changes that an example of the intents asks for.
_MAY_BE: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("text",): ("save", "append", "amend"),
    ("name",): ("rename",),
    ("delete",): ("delete",),
    ("restore",): ("restore",),
}
_READS = {Intent.PROFILE_REQUEST: ("list", "get"), Intent.THEORY_REQUEST: ("list", "get", "search")}
_EVERY = 3
"""One of so many of the intents' examples that no agent is meant by is learnt from."""


@cache
def intent_examples() -> list[IntentExample]:
    """The intents' examples for agents, and a part of the others."""
    return [each for at, each in enumerate(load_examples()) if each.intent in _STORES_OF or at % _EVERY == 0]


def trained(examples: Sequence[Example], unseen: frozenset[str] = frozenset()) -> AgentHeads:
    """Heads of these examples and of the intents' by other authors than `unseen`."""
    others = [each for each in intent_examples() if each.author not in unseen]
    heads = with_concepts({}, _known(examples, others))
    tables = _message_tables(examples, others, heads)
    tables["ends"] = Table(ENDS, exclusive=False)
    lines = [(each, line_of(each.message, heads.known, heads.lexicon)) for each in varied(examples)]
    for example, line in lines:
        _add_ends(tables["ends"], example, line)
    fitted = {name: packed(fit(table, _PENALTY[name])) for name, table in tables.items()}
    span = Table(("fits",), exclusive=False)
    for example, line in lines:
        _add_spans(span, example, line, fitted["ends"])
    fitted["span"] = packed(fit(span, _PENALTY["span"]))
    return AgentHeads(fitted, heads.known, heads.lexicon, heads.frequent)


def _known(examples: Sequence[Example], others: Sequence[IntentExample]) -> frozenset[str]:
    """The words of several authors."""
    authors: defaultdict[str, set[str]] = defaultdict(set)
    for author, message in [(e.author, e.message) for e in examples] + [(e.author, e.text) for e in others]:
        for token in tokens_of(message):
            authors[token.text].add(author)
    return frozenset(word for word, own in authors.items() if len(own) >= _LEAST_AUTHORS)


def _message_tables(
    examples: Sequence[Example], others: Sequence[IntentExample], heads: AgentHeads
) -> dict[str, Table]:
    tables = {
        "action": Table(ACTIONS, exclusive=True),
        "store": Table(STORES, exclusive=True),
        "kind": Table(KINDS, exclusive=True),
        "said": Table(SAID, exclusive=False),
    }
    labelled = {each.message for each in examples}
    for each in examples:
        groups = tuple(map(list, features(each.message, heads.lexicon, heads.frequent)))
        for _ in range(_TIMES):
            tables["action"].add(groups, _marked(ACTIONS, (each.action,)), each.author)
        if each.store:
            tables["store"].add(groups, _marked(STORES, (each.store,)), each.author)
        if each.kind or each.action == "list":
            tables["kind"].add(groups, _marked(KINDS, (each.kind or "any",)), each.author)
        takes = TAKES.get(each.action, ())
        said = [float(bool(value) and value.lower() in each.message.lower()) for value in (each.name, each.text)]
        tables["said"].add(groups, said, each.author, [float(role in takes) for role in SAID])
    for other in others:
        may_be = _READS.get(other.intent, ("none",)) if not other.changes else _MAY_BE.get(other.changes, ())
        if not may_be or other.text in labelled:
            continue
        groups = tuple(map(list, features(other.text, heads.lexicon, heads.frequent)))
        tables["action"].add(groups, _marked(ACTIONS, may_be), other.author)
        if other.intent in _STORES_OF:
            tables["store"].add(groups, _marked(STORES, (_STORES_OF[other.intent],)), other.author)
    return tables


def _marked(classes: Sequence[str], names: Sequence[str]) -> list[float]:
    return [float(each in names) for each in classes]


def varied(examples: Sequence[Example]) -> Iterator[Example]:
    """The examples, and each with other examples' names, titles and texts in the places of its own."""
    for is_ideographic in (False, True):
        own = [each for each in examples if (each.language in ("ja", "ko", "zh")) is is_ideographic]
        pools = {role: sorted({value for each in own if (value := getattr(each, role))}) for role in ROLES}
        chosen = Random(1)  # noqa: S311 - the same choice each time
        for each in own:
            yield each
            for _ in range(_VARIANTS):
                yield _variant(each, {role: chosen.choice(pool) for role, pool in pools.items() if pool})


def _variant(example: Example, others: dict[str, str]) -> Example:
    message, changed = example.message, dict[str, str]()
    for role, other in others.items():
        said = changed.get(role, getattr(example, role))
        if not said or said not in message or (role == "text" and example.name and example.name in said):
            continue
        message = message.replace(said, other, 1)
        changed = {each: value.replace(said, other, 1) for each, value in changed.items()} | {role: other}
        if role == "name" and said in example.text:
            changed["text"] = example.text.replace(said, other, 1)
    return example.model_copy(update={"message": message, **changed})


def span_of(line: Line, wanted: str, role: str) -> tuple[int, int] | None:
    """The first and the last word of an argument; of several places a text's is the last, a name's the first."""
    low, sought = line.message.lower(), wanted.strip(" .\"'“”").lower()
    start = low.rfind(sought) if role == "text" else low.find(sought)
    if not sought or start < 0:
        return None
    inside = [at for at, each in enumerate(line.tokens) if each.start < start + len(sought) and each.end > start]
    return (inside[0], inside[-1]) if inside else None


def _wanted(example: Example, line: Line) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """The span of each argument that the action takes, None where the message does not have it."""
    said = {"name": example.name, "text": example.text, "new_name": example.new_name}
    for role in TAKES.get(example.action, ()):
        yield role, span_of(line, said[role], role) if said[role] else None


def _add_ends(table: Table, example: Example, line: Line) -> None:
    wanted = dict(_wanted(example, line))
    known = [float(role in wanted) for role in ROLES for _ in range(2)]
    for at in range(len(line) if wanted else 0):
        ends = [float((wanted.get(role) or (-1, -1))[end] == at) for role in ROLES for end in range(2)]
        table.add(place_features(line, at, example.action), ends, example.author, known)


def _add_spans(table: Table, example: Example, line: Line, ends: Head) -> None:
    wanted = dict(_wanted(example, line))
    scores = [ends.scores(*place_features(line, at, example.action)) for at in range(len(line))] if wanted else []
    for role, right in wanted.items():
        for span in {*(span for _, span in candidates(role, scores)), *([right] if right else [])}:
            table.add(span_features(line, *span, role), [float(span == right)], example.author)


def content(heads: AgentHeads, digest: str) -> bytes:
    """The content of the heads' file."""
    weights = b"".join(row.tobytes() for each in heads.heads.values() for row in each.weights)
    return dump_heads({"heads": header_of(heads.heads), "known": sorted(heads.known), "digest": digest}, weights)
