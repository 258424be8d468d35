"""`python -m tools.intents.asked_changes`: which changes messages are allowed, of authors whom the model has not seen.

Authors of the examples: each author's messages by a model of all the others'. Strangers: the packaged model on
tools/intents/strangers.jsonl, which nothing was learnt from or chosen by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cicada.answering.asked_writes import KINDS, load_writes_model
from tools.intents.examples import FOLDER, Message, load, load_change_examples, load_concepts
from tools.intents.training import change_targets, labelled_changes, unseen_scores

STRANGERS = FOLDER / "strangers.jsonl"
COLUMNS = ("messages of", "ask for a change", "allowed it", "ask for none", "allowed some")

Allowed = NDArray[np.bool_]
Row = tuple[str, int, float, int, float]


def rows(messages: Sequence[Message], allowed: Allowed) -> Iterator[Row]:
    """Rows for each author and all: how many ask, the share allowed all it asks for, and the same of the others."""
    authors = np.array([message.author for message in messages])
    for name in (*sorted({*authors}), ""):
        mask = authors == name if name else np.ones(len(messages), dtype=np.bool_)
        yield (f"author {name}" if name else "all", *_shares(labelled_changes(messages)[mask], allowed[mask]))


def of_kinds(messages: Sequence[Message], allowed: Allowed) -> Iterator[Row]:
    """Rows for each kind of change alone."""
    for number, kind in enumerate(KINDS):
        yield (f"kind {kind}", *_shares(labelled_changes(messages)[:, [number]], allowed[:, [number]]))


def of_unseen_authors() -> tuple[list[Message], Allowed]:
    """The examples, and what each is allowed by a model of the other authors."""
    examples = load_change_examples()
    measured, scores = unseen_scores(examples, load_concepts(), change_targets(examples))
    return measured, scores >= np.array(load_writes_model().thresholds)


def of_strangers(path: Path = STRANGERS) -> tuple[list[Message], Allowed]:
    """The strangers' messages, and what the packaged model allows each."""
    messages, model = load(Message, path), load_writes_model()
    allowed = [model.kinds(message.text) for message in messages]
    return messages, np.array([[kind in each for kind in KINDS] for each in allowed])


def _shares(asked: Allowed, allowed: Allowed) -> tuple[int, float, int, float]:
    asks = np.flatnonzero(asked.any(axis=1))
    others = np.flatnonzero(~asked.any(axis=1))
    right = np.all(allowed[asks] | ~asked[asks], axis=1)
    return len(asks), _mean(right), len(others), _mean(np.any(allowed[others], axis=1))


def _mean(values: Sequence[bool] | Allowed) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def main() -> None:
    """Print the tables; the first takes some minutes."""
    for title, (messages, allowed) in (("strangers", of_strangers()), ("examples", of_unseen_authors())):
        print("{:<14}{:>18}{:>12}{:>14}{:>14}".format(title, *COLUMNS[1:]))
        _print([*rows(messages, allowed), *of_kinds(messages, allowed)])


def _print(found: Iterable[Row]) -> None:
    for name, asking, right, others, wrong in found:
        print(f"{name:<14}{asking:>18}{right:>12.2f}{others:>14}{wrong:>14.2f}", flush=True)


if __name__ == "__main__":
    main()
