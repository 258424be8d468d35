"""The questions of a card: those that the document itself asks and answers, then those that its headings suggest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from cicada.documents.model import Passage, ScriptLocator
from cicada.ingest.cards.sections import Span

MAX_HINTS = 8
MAX_HINT = 120
_ASKING_WORD = re.compile(
    r"(how|what|when|where|who|whom|whose|why|which|can|do|does|is|are|may|must)\s", re.IGNORECASE
)
_NUMBERING = re.compile(r"^\s*((section|chapter|part)\s+)?[\dIVX]+(\.\d+)*[.):]?\s+", re.IGNORECASE)
# As `Q: …` or `3. …` before a question.
_MARKER = re.compile(r"^\s*(?:[-*•]|q(?:uestion)?\s*\d*[:.]|\d{1,3}[.)])\s*", re.IGNORECASE)
_QUESTION_MARKS = ("?", "？", "؟")


def questions_of(passages: Sequence[Passage], spans: Sequence[Span], language: str) -> tuple[str, ...]:
    """At most `MAX_HINTS`. For headings that are no questions there is a form in English alone.

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
    """In lower case where it begins with an ordinary word; an abbreviation or a name in capitals stays."""
    first, _, rest = heading.partition(" ")
    lowered = first.lower() if first[1:].islower() and not rest[:1].isupper() else first
    return f"{lowered} {rest}".strip().rstrip(".:")
