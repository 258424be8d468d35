"""Cuts passages into quotable spans: sentences, items of lists, rows of tables, and runs of a speech.

Each knows what it cannot be understood without: its table's header, its list's lead-in, the question that it answers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from local.bedrock.prompt import Line, Passage

WORDS_PER_SPAN = 60
CELLS = " | "
ROW_END = " ||"
_ITEM = re.compile(r"(?:[-*•–]|\(?(?:\d{1,2}|[a-z])[.)]) ")
_ABBREVIATED = (
    r"(?<!\b[A-Za-z]\.)(?<!\b(?:Mr|Ms|Dr|St|No|no|Nr|cf|vs)\.)(?<!\b(?:Mrs|acc|art|Art|fig|Fig|Ltd|tel|Tel|vol|Vol)\.)"
)
_SENTENCE_END = re.compile(
    rf"(?<=[.!?]){_ABBREVIATED}\s+(?=[\"'“‘(]*[A-Z0-9])|(?<=[.!?][\"'”’)])\s+(?=[\"'“‘(]*[A-Z0-9])"
)
_BRACKETED = re.compile(r"\s*\[[^\]]*\]")
# Where a passage ends within a direction, its bracket is not closed.
_DIRECTION = re.compile(r"\s*\[[^\]]*(?:\]|$)")
# Directions that answer nothing alone.
_BARE = frozenset({"", "Aside", "Within", "Exit", "Exeunt", "Sings", "Reads", "Beneath", "Behind", "Rising", "Writing"})
_CLAUSE_END = re.compile(r"(?<=[.!?;:])\s+")


@dataclass(frozen=True, slots=True)
class Span:
    """`rank` counts the prompt's passages from 1. `lead` is before the text; `is_apart`: with others between them.

    A stage direction (`is_stage`) in a speech has that one's speaker.
    """

    passage: Passage
    rank: int
    speaker: str
    text: str
    is_stage: bool = False
    lead: str = ""
    is_apart: bool = False

    @property
    def asks(self) -> bool:
        return self.text.rstrip("'\"- ").endswith("?")

    @property
    def is_row(self) -> bool:
        return CELLS in self.lead

    @property
    def meaning(self) -> str:
        """The text with its lead: a row's values, each with its column's name."""
        if not self.is_row:
            return f"{self.lead} {self.text}".strip()
        cells = zip(self.lead.split(CELLS), self.text.split(CELLS), strict=False)
        return "; ".join(f"{name}: {value}" for name, value in cells)

    def joins(self, other: "Span") -> bool:
        """Whether both can be quoted as one text, if one follows the other."""
        return other.passage is self.passage and other.lead == self.lead and not (self.speaker or self.is_stage)


def is_item(span: Span) -> bool:
    """Whether it is an item of a list."""
    return _ITEM.match(span.text) is not None


def beginning(spans: Sequence[Span]) -> list[Span]:
    """The first of a passage's spans that can be quoted as one text of a span's length."""
    lengths = list(accumulate(len(span.text.split()) for span in spans))
    ends = (at for at in range(1, len(spans)) if lengths[at] > WORDS_PER_SPAN or not spans[at].joins(spans[0]))
    return list(spans[: next(ends, len(spans))])


def joined(spans: Sequence[Span]) -> str:
    """Spans that follow each other, after their lead: the rows of a table behind its header."""
    first = spans[0]
    lead = [f"{first.lead} […]" if first.is_apart and not first.is_row else first.lead] if first.lead else []
    return _one_line([*lead, *(span.text for span in spans)])


def quote(run: Sequence[Span]) -> str:
    """`Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]`."""
    span = run[0]
    number = span.passage.number
    said = f'"{joined(run)}" — {span.passage.locator}' + ("" if number is None else f" [{number}]")
    if span.is_stage:
        return f"Stage direction{f' at the words of {span.speaker}' if span.speaker else ''}: {said}"
    return f"{span.speaker} says: {said}" if span.speaker else said


def whole(passage: Passage) -> Span:
    """All of a passage without speakers."""
    return Span(passage, 1, "", _one_line([line.text for line in passage.lines]))


def spans_of(passages: Sequence[Passage]) -> list[Span]:
    """Every span once, although passages may overlap."""
    found: dict[tuple[str, str], Span] = {}
    for rank, passage in enumerate(passages, start=1):
        is_script = any(line.speaker for line in passage.lines)
        lines = [part for line in passage.lines for part in _parts(line, is_script)]
        cut = _spoken if is_script else _written
        led = ""
        for line, lead, text in cut(lines):
            span = Span(passage, rank, line.speaker, text, line.is_stage, lead, bool(lead) and lead == led)
            found.setdefault((line.speaker, text), span)
            led = lead
    return list(found.values())


def _parts(line: Line, is_script: bool) -> Iterator[Line]:
    """The line without what stands in brackets; in a script, these stage directions after it."""
    yield replace(line, text=(_DIRECTION if is_script else _BRACKETED).sub("", line.text).strip())
    if is_script and not line.is_stage:
        found = (each.strip(" []") for each in _DIRECTION.findall(line.text))
        yield from (replace(line, text=text, is_stage=True) for text in found if text not in _BARE)


Part = tuple[Line, str, str]


def _spoken(lines: Sequence[Line]) -> Iterator[Part]:
    """Speeches, the long ones in runs of whole clauses."""
    for line in lines:
        run: list[str] = []
        for clause in filter(None, _CLAUSE_END.split(line.text)):
            if run and len(" ".join([*run, clause]).split()) > WORDS_PER_SPAN:
                yield line, "", " ".join(run)
                run = []
            run.append(clause)
        if run:
            yield line, "", " ".join(run)


def _written(lines: Sequence[Line]) -> Iterator[Part]:
    """Sentences, items and rows, each with the lead that holds for it."""
    lead = ""
    for at, line in enumerate(lines):
        below = [each.text for each in lines[at + 1 :]]
        if CELLS in line.text:
            begins = not at or CELLS not in lines[at - 1].text
            if begins and below and CELLS in below[0]:
                lead = line.text
            else:
                yield line, "" if begins else lead, line.text
        elif _ITEM.match(line.text):
            yield line, lead if lead.endswith((":", "?")) else "", line.text
        else:
            lead = lead if lead.endswith("?") and lines[at - 1].text.endswith("?") else ""
            sentences = _SENTENCE_END.split(line.text)
            if sentences[0].endswith("?") and len(line.text.split()) <= WORDS_PER_SPAN:
                sentences = [line.text]
            for sentence in filter(None, sentences):
                if sentence.endswith("?") and (below or not line.text.endswith(sentence)):
                    lead = sentence
                elif sentence.endswith(":") and below:
                    lead = sentence
                    yield line, "", f"{sentence} {_following(below)}"
                else:
                    yield line, lead, sentence


def _following(below: Sequence[str]) -> str:
    """The items or rows after a lead-in, or the line after it."""
    items = list(takewhile(_ITEM.match, below)) or list(takewhile(lambda text: CELLS in text, below)) or below[:1]
    return " ".join(_one_line(items).split()[:WORDS_PER_SPAN])


def _one_line(lines: Sequence[str]) -> str:
    """Lines as one, with a sign between the rows of tables."""
    return " ".join(f"{text}{ROW_END}" if CELLS in text else text for text in lines).removesuffix(ROW_END)
