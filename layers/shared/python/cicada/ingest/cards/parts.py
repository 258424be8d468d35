"""The parts of a card that are read off the text: overview, questions and sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from msgspec import Struct

from cicada.documents.model import Passage, ScriptLocator
from cicada.ingest.chunks import sentences, size_of
from cicada.ingest.prose.encoding import clip
from cicada.text import one_line

MAX_OVERVIEW = 300
# Later passages hold no beginning.
_PASSAGES_READ = 12
_MAX_SPEAKERS = 8
# A shorter line is a heading or a note.
_SHORTEST_LINE = 25
_WIDE_STOPS = ("。", "！", "？", "」", "』")
# Items of lists, rows of tables and other lines that are no sentences.
_NO_SENTENCE = re.compile(r"\s*([-*•|#>]|\d{1,3}[.)]\s)|.*\s\|\s")


def overview_of(passages: Sequence[Passage]) -> str:
    """Write an overview of at most `MAX_OVERVIEW` characters, in the document's own words and language."""
    if isinstance(passages[0].locator, ScriptLocator):
        return _of_script(passages)
    sentences_found = list(_leading(_sentences(passages)))
    return clip(one_line("".join(sentences_found)) or one_line(passages[0].text), MAX_OVERVIEW)


def beginning_of(passages: Sequence[Passage], most: int, glue: str) -> str:
    """The first `most` characters of the document, with `glue` behind each passage."""
    text = ""
    for passage in passages:
        text += f"{passage.text}{glue}"
        if len(text) >= most:
            break
    return text[:most]


def _sentences(passages: Sequence[Passage]) -> Iterator[str]:
    seen: set[str] = set()
    for passage in passages[:_PASSAGES_READ]:
        for line in passage.text.splitlines():
            if size_of(line) < _SHORTEST_LINE or _NO_SENTENCE.match(line) or line in seen:
                continue
            seen.add(line)
            yield from sentences(line)


def _leading(found: Iterator[str]) -> Iterator[str]:
    """The first sentence, and the next ones that fit."""
    size = 0
    for sentence in found:
        if size and size + len(sentence) > MAX_OVERVIEW:
            return
        # Chinese and Japanese have no spaces between sentences.
        yield sentence if sentence.endswith(_WIDE_STOPS) else f"{sentence} "
        size += len(sentence) + 1


def _of_script(passages: Sequence[Passage]) -> str:
    locators = [each.locator for each in passages if isinstance(each.locator, ScriptLocator)]
    counts = Counter(speaker for locator in locators for speaker in locator.speakers)
    speakers = sorted(counts, key=lambda name: (-counts[name], name))[:_MAX_SPEAKERS]
    places = dict.fromkeys(locator.chapter_title.rstrip(". ") for locator in locators if locator.chapter_title)
    named = ", ".join(speakers)
    room = MAX_OVERVIEW - len(named) - 2
    parts = (named, clip("; ".join(places), room) if places and room > 0 else "")
    return clip(". ".join(part for part in parts if part), MAX_OVERVIEW)


MAX_SECTIONS = 200
MAX_HEADING = 100


class Span(Struct, frozen=True):
    """Passages `first` to `last`, both inclusive, under the headings `path`, outermost first."""

    path: tuple[str, ...]
    first: int
    last: int


def spans_of(passages: Sequence[Passage], most: int = MAX_SECTIONS) -> tuple[Span, ...]:
    """Consecutive spans of all passages: of the deepest headings of which there are at most `most`.

    If even the outermost headings are too many, neighbours are joined under the first one's heading.
    """
    places = _places(passages)
    spans: list[Span] = []
    for depth in range(max(map(len, places), default=0), 0, -1):
        spans = _at(places, depth)
        if len(spans) <= most:
            return tuple(spans)
    return tuple(_joined(spans or _at(places, 1), most))


def heading_of(span: Span, passage: Passage) -> str:
    """The heading as a card shows it; `passage` is one of the span. Text above all headings has the title."""
    return clip(" · ".join(span.path) or passage.title, MAX_HEADING)


def _places(passages: Sequence[Passage]) -> list[tuple[str, ...]]:
    """The headings above each passage, without one that stands above all of them: it is the document's title."""
    paths = [_path(passage) for passage in passages]
    if any(len(path) > 1 for path in paths) and len({path[:1] for path in paths}) == 1:
        return [path[1:] for path in paths]
    return [() if path == (passage.title,) else path for path, passage in zip(paths, passages, strict=True)]


def _path(passage: Passage) -> tuple[str, ...]:
    """A chapter of a script is a heading; in another language it is another one."""
    if isinstance(passage.locator, ScriptLocator):
        return (f"{passage.locator.chapter_id} {passage.locator.chapter_title}".strip(),)
    return passage.locator.path


def _at(places: Sequence[tuple[str, ...]], depth: int) -> list[Span]:
    spans = []
    for path, numbers in groupby(range(len(places)), key=lambda number: places[number][:depth]):
        first, *others = numbers
        spans.append(Span(path, first, others[-1] if others else first))
    return spans


def _joined(spans: Sequence[Span], most: int) -> list[Span]:
    step = -(-len(spans) // most)
    groups = (spans[start : start + step] for start in range(0, len(spans), step)) if spans else ()
    return [Span(group[0].path, group[0].first, group[-1].last) for group in groups]


MAX_HINTS = 8
MAX_HINT = 120
_ASKING_WORD = re.compile(
    r"(how|what|when|where|who|whom|whose|why|which|can|do|does|is|are|may|must)\s", re.IGNORECASE
)
_NUMBERING = re.compile(r"^\s*((section|chapter|part)\s+)?[\dIVX]+(\.\d+)*[.):]?\s+", re.IGNORECASE)
# A mark before a question, such as `Q: …` or `3. …`.
_MARKER = re.compile(r"^\s*(?:[-*•]|q(?:uestion)?\s*\d*[:.]|\d{1,3}[.)])\s*", re.IGNORECASE)
_QUESTION_MARKS = ("?", "？", "؟")


def questions_of(passages: Sequence[Passage], spans: Sequence[Span], language: str) -> tuple[str, ...]:
    """Find at most `MAX_HINTS` questions. Headings that are no questions become some in English alone.

    A script has none: what is asked in it is asked by its characters.
    """
    if isinstance(passages[0].locator, ScriptLocator):
        return ()
    headings = dict.fromkeys(span.path[-1] for span in spans if span.path)
    plain = [_NUMBERING.sub("", heading).strip() for heading in headings]
    found = chain(
        (heading for heading in plain if _is_question(heading)),
        _asked(passages),
        (f"What about {_in_sentence(each)}?" for each in plain if language == "en" and _is_topic(each)),
    )
    return _first(found)


def _first(found: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for question in found:
        if len(kept) == MAX_HINTS:
            break
        if len(question) <= MAX_HINT:
            kept.setdefault(question.casefold(), question)
    return tuple(kept.values())


def _asked(passages: Sequence[Passage]) -> Iterator[str]:
    """Lines of the text that are one question."""
    for passage in passages:
        if not any(mark in passage.text for mark in _QUESTION_MARKS):
            continue
        for line in passage.text.splitlines():
            question = _MARKER.sub("", line).strip()
            if _is_one_question(question):
                yield question


def _is_one_question(line: str) -> bool:
    return len(line) <= MAX_HINT and line.endswith(_QUESTION_MARKS) and not re.search(r"[.!?。！？]\s*\S", line)


def _is_question(heading: str) -> bool:
    return heading.endswith(_QUESTION_MARKS) or _ASKING_WORD.match(heading) is not None


def _is_topic(heading: str) -> bool:
    return any(letter.isalpha() for letter in heading) and not _is_question(heading)


def _in_sentence(heading: str) -> str:
    """Begin in lower case if the first word is an ordinary one; an abbreviation or a name in capitals stays."""
    first, _, rest = heading.partition(" ")
    lowered = first.lower() if first[1:].islower() and not rest[:1].isupper() else first
    return f"{lowered} {rest}".strip().rstrip(".:")
