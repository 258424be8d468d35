"""The part of a passage that is shown where the passage is too long to be shown whole."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from cicada.answering.parts import Span
from cicada.ingest.chunks import sentences

_CUT = "…"


def sentence_spans(text: str) -> Iterator[Span]:
    """Where each sentence of the text begins and ends."""
    end = 0
    for line in text.splitlines():
        for sentence in sentences(line):
            start = text.index(sentence, end)
            end = start + len(sentence)
            yield start, end


def cut(text: str, spans: Sequence[Span], fits: Callable[[str], bool]) -> tuple[str, list[Span]]:
    """The text if it fits, else whole sentences from the first span on, and before it as many as fit; with its spans.

    `…` stands where it is cut. A sentence that alone does not fit is cut inside. A span that is not in it is left out,
    one that goes on beyond it ends with it.
    """
    if fits(text):
        return text, list(spans)
    start, end = _kept(text, spans[0][0] if spans else 0, fits)
    before = f"{_CUT} " if text[:start].strip() else ""
    after = f" {_CUT}" if text[end:].strip() else ""
    shift = len(before) - start
    shown = [(first + shift, min(last, end) + shift) for first, last in spans if start <= first < end]
    return f"{before}{text[start:end]}{after}", shown


def _kept(text: str, at: int, fits: Callable[[str], bool]) -> Span:
    """The part of the text around this place that is kept: where it begins and ends."""

    def fit(start: int, end: int) -> bool:
        return fits(f"{_CUT} {text[start:end]} {_CUT}")

    said = list(sentence_spans(text))
    first = next((number for number, (_, end) in enumerate(said) if at < end), 0)
    start, end = said[first] if said else (0, len(text))
    if not fit(start, end):
        end = start + bisect_left(range(start, end), True, key=lambda last: not fit(start, last + 1))
        return start, max(text.rfind(" ", start, end), start) or end
    for _, last in said[first + 1 :]:
        end = last if fit(start, last) else end
    for earlier, _ in reversed(said[:first]):
        start = earlier if fit(earlier, end) else start
    return start, end
