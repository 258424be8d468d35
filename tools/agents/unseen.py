"""How well messages are understood of authors that the heads have not learnt from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cicada.agents.entries import best_matches
from cicada.agents.model import THEORY, Entry
from local.bedrock.agent_heads.line import tokens_of
from local.bedrock.agent_heads.request import TAKES, AgentHeads, Request
from tools.agents.examples import Example
from tools.agents.training import trained

# Arguments are right if so much of the words that either has are in both.
_LIKE = 0.6
_LEAST_MEASURED = 100


@dataclass(frozen=True)
class Outcome:
    """Which parts of a request are right; a part that the example does not have is left out."""

    example: Example
    request: Request
    parts: dict[str, bool]

    @property
    def whole(self) -> bool:
        return all(self.parts.values())


def outcome(example: Example, heads: AgentHeads) -> Outcome:
    """What the heads read in a message, judged."""
    found = heads.read(example.message)
    parts = {"action": found.action == example.action}
    if example.store:
        parts["store"] = example.store in (found.store, "both")
    if example.action == "save" and example.store == "profiles" and example.kind:
        parts["kind"] = found.kind == example.kind
    for role in TAKES.get(example.action, ()):
        said = getattr(example, role) if getattr(example, role).lower() in example.message.lower() else ""
        is_reference = role == "name" and example.action != "save" and said
        parts[role] = (finds if is_reference else like)(getattr(found, role), said)
    if example.version and example.version in example.message:
        parts["version"] = found.version == example.version
    return Outcome(example, found, parts)


def like(found: str, wanted: str) -> bool:
    """Whether two texts are nearly the same."""
    one, two = Counter(_words(found)), Counter(_words(wanted))
    shared = (one & two).total()
    return shared >= _LIKE * max(one.total(), two.total())


def finds(found: str, wanted: str) -> bool:
    """Whether the tools find an entry of the wanted name by these words."""
    return bool(found) and bool(best_matches(found, [Entry("1", THEORY, wanted, "", 1, 0.0)]))


def _words(text: str) -> list[str]:
    return [token.text for token in tokens_of(text) if token.text[0].isalnum()]


def measured(examples: Sequence[Example]) -> Iterator[tuple[str, list[Outcome]]]:
    """What heads of all other authors' messages read in those of each author of enough."""
    by_author: defaultdict[str, list[Example]] = defaultdict(list)
    for each in examples:
        by_author[each.author].append(each)
    for author, own in sorted(by_author.items()):
        if len(own) >= _LEAST_MEASURED:
            heads = trained([each for each in examples if each.author != author], frozenset({author}))
            yield author, [outcome(each, heads) for each in own]


def table(outcomes: Sequence[tuple[str, Sequence[Outcome]]]) -> str:
    """The figures by author, action and language, as a table of Markdown."""
    every = [each for _, own in outcomes for each in own]
    columns = ("action", "store", "kind", "name", "text", "new_name", "version")
    rows = [f"| messages of | n | {' | '.join(columns)} | whole |", "| --- " * (len(columns) + 3) + "|"]
    rows += [_row(f"author {author}", own, columns) for author, own in outcomes]
    for name in sorted({each.example.action for each in every}):
        rows.append(_row(name, [each for each in every if each.example.action == name], columns))
    for name in sorted({each.example.language for each in every}):
        rows.append(_row(f"language {name}", [each for each in every if each.example.language == name], columns))
    return "\n".join([*rows, _row("all", every, columns)])


def _row(name: str, outcomes: Sequence[Outcome], columns: Sequence[str]) -> str:
    shares = [_share([each.parts[column] for each in outcomes if column in each.parts]) for column in columns]
    return f"| {name} | {len(outcomes)} | {' | '.join(shares)} | {_share([each.whole for each in outcomes])} |"


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits) / len(hits):.2f}" if hits else ""
