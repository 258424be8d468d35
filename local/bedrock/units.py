"""Passages cut into what can be quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from local.bedrock.prompt import Passage

WORDS_PER_UNIT = 60


@dataclass(frozen=True, slots=True)
class Unit:
    """What can be quoted: a line, or a part of a long one."""

    passage: Passage
    speaker: str
    text: str
    is_stage: bool

    @property
    def asks(self) -> bool:
        return self.text.rstrip("'\"- ").endswith("?")


def units_of(passages: Sequence[Passage]) -> list[Unit]:
    """Everything quotable once: passages may overlap."""
    found: dict[tuple[str, str], Unit] = {}
    for passage in passages:
        for line in passage.lines:
            text = re.sub(r"\s*\[[^\]]*\]", "", line.text).strip()
            for part in _parts(text):
                found.setdefault((line.speaker, part), Unit(passage, line.speaker, part, line.is_stage))
    return list(found.values())


def _parts(text: str) -> Iterator[str]:
    """A long speech in runs of whole sentences."""
    run: list[str] = []
    length = 0
    for sentence in re.split(r"(?<=[.!?;:])\s+", text):
        size = len(sentence.split())
        if run and length + size > WORDS_PER_UNIT:
            yield " ".join(run)
            run, length = [], 0
        run.append(sentence)
        length += size
    if any(run):
        yield " ".join(run)
