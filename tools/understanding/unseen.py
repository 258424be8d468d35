"""How right the plans are for authors that the heads have not learnt from, and so for other stores.

Two authors write for one store, a regulated one; all others have stores of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cicada.understanding.heads import Heads
from cicada.understanding.schema_planner import SchemaReader
from tools.understanding.examples import Message
from tools.understanding.judgement import parts_right
from tools.understanding.labels import as_labelled
from tools.understanding.training import has_subject, left_out


@dataclass(frozen=True)
class Outcome:
    """Which parts of a plan are right, and how sure it was.

    `wish`: whether documents were read to be wanted, and whether they are; None where the message has no subject.
    """

    author: str
    parts: dict[str, bool]
    confidence: float
    sure: bool
    wish: tuple[bool, bool] | None = None

    @property
    def whole(self) -> bool:
        return all(self.parts.values())


def outcome(message: Message, heads: Heads) -> Outcome:
    """The plan of a message, judged; of a later turn, after the right plan of the one before."""
    store = message.store
    before = as_labelled(message.before) if message.before else None
    found = SchemaReader(store.schema, store.vocabulary, heads).next(message.text, before, store.now, store.asker)
    parts = parts_right(found.meaning, found.strategy, message.label)
    wish = None
    if has_subject(message.label) and message.label.relation == "new":
        wish = (found.wants_documents, message.label.wants_documents)
    return Outcome(store.author, parts, found.confidence, found.confidence >= heads.sure, wish)


def table(messages: Sequence[Message]) -> str:
    """The figures by author, as a table of Markdown."""
    authors = sorted({message.store.author for message in messages})
    singles: list[Outcome] = []
    later: list[Outcome] = []
    for group, heads in left_out(messages):
        for message in messages:
            if message.store.author in group:
                (later if message.before else singles).append(outcome(message, heads))
    head = "| messages of | n | strategy | filters | aggregates | whole | alone | right of these |"
    rows = [head, "| --- " * 8 + "|"]
    rows += [_row(author, [each for each in singles if each.author == author]) for author in authors]
    rows += [_row("all", singles), _row("all, later turns", later)]
    return "\n".join([*rows, "", _wishes([each.wish for each in (*singles, *later) if each.wish])])


def _wishes(found: Sequence[tuple[bool, bool]]) -> str:
    """How well it is told whether documents about a subject are wanted, or what they say."""
    right = sum(read and wanted for read, wanted in found)
    precision = right / max(1, sum(read for read, _ in found))
    recall = right / max(1, sum(wanted for _, wanted in found))
    figures = f"precision {precision:.2f}, recall {recall:.2f}"
    return f"Documents are wanted, of {len(found):,} messages with a subject: {figures}."


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    alone = [each for each in outcomes if each.sure]
    shares = [_share(each.parts[part] for each in outcomes) for part in ("strategy", "filters", "aggregates")]
    shares.append(_share(each.whole for each in outcomes))
    shares += [len(alone) / max(1, len(outcomes)), _share(each.whole for each in alone)]
    return f"| {name} | {len(outcomes)} | " + " | ".join(f"{share:.2f}".lstrip("0") for share in shares) + " |"


def _share(hits: Iterator[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0
