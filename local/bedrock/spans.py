"""Cuts passages into quotable spans."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from local.bedrock.prompt import Passage

WORDS_PER_SPAN = 60


@dataclass(frozen=True, slots=True)
class Span:
    """A line of a passage, or a run of whole sentences of a long one. `rank` counts the prompt's passages from 1."""

    passage: Passage
    rank: int
    speaker: str
    text: str
    is_stage: bool

    @property
    def asks(self) -> bool:
        return self.text.rstrip("'\"- ").endswith("?")


def spans_of(passages: Sequence[Passage]) -> list[Span]:
    """Every span once, although passages may overlap."""
    found: dict[tuple[str, str], Span] = {}
    for rank, passage in enumerate(passages, start=1):
        for line in passage.lines:
            text = re.sub(r"\s*\[[^\]]*\]", "", line.text).strip()
            for part in _parts(text):
                found.setdefault((line.speaker, part), Span(passage, rank, line.speaker, part, line.is_stage))
    return list(found.values())


def _parts(text: str) -> Iterator[str]:
    """A long speech, cut into runs of whole sentences."""
    run: list[str] = []
    length = 0
    for sentence in re.split(r"(?<=[.!?;:])\s+", text):
        size = len(sentence.split())
        if run and length + size > WORDS_PER_SPAN:
            yield " ".join(run)
            run, length = [], 0
        run.append(sentence)
        length += size
    if any(run):
        yield " ".join(run)
