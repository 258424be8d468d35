"""Which changes of the user's profiles and theories a message asks for.

Decided from the message's words alone by a small model that is learnt from messages of many authors in nine languages
(docs/intents.md). No language model, no document and no earlier turn has a say in it, so a text that tells an agent to
save or delete changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from cicada.agents.model import Write
from cicada.understanding.intent.model import LinearModel, load_linear

PACKAGED = Path(__file__).with_name("asked_writes.bin")
# `text`: something is to be kept, added, corrected or taken out of an entry; `name`: an entry is to get another name;
# `delete`: whole entries are to go; `restore`: what was deleted or changed is to come back.
Kind: TypeAlias = Literal["text", "name", "delete", "restore"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_WRITES: Mapping[Kind, frozenset[Write]] = {
    "text": frozenset({Write.SAVE, Write.APPEND, Write.AMEND}),
    "name": frozenset({Write.RENAME}),
    "delete": frozenset({Write.DELETE}),
    "restore": frozenset({Write.RESTORE}),
}


class WritesModel(Struct, frozen=True):
    """`linear` gives a score for each of `KINDS`; one that is asked for has at least its threshold."""

    linear: LinearModel
    thresholds: tuple[float, ...]
    digest: str

    def kinds(self, message: str) -> frozenset[Kind]:
        """What the message asks for."""
        scores = zip(KINDS, self.linear.scores(message), self.thresholds, strict=True)
        return frozenset(kind for kind, score, threshold in scores if score >= threshold)


def asked_writes(message: str) -> frozenset[Write]:
    """The kinds of writes that the message asks for; none for a question about what is there."""
    return frozenset[Write]().union(*(_WRITES[kind] for kind in _packaged().kinds(message)))


def load_writes_model(path: Path = PACKAGED) -> WritesModel:
    """Reads the model's file."""
    linear, said = load_linear(path)
    return WritesModel(linear, tuple(said["thresholds"]), said["digest"])


@cache
def _packaged() -> WritesModel:
    """Read when the first message goes to an agent, so that questions do not wait for it."""
    return load_writes_model()
