"""Adds to quoted spans what they are not understood without: the rest of a short list, and what a pronoun refers to."""

import re
from collections.abc import Sequence

from local.bedrock.beside import BEFORE
from local.bedrock.spans import Span, is_item

LIST_WORDS = 160
ITEM_WORDS = 25  # on average; longer items are paragraphs with numbers, as in minutes
_ASKS_FOR_STEPS = re.compile(
    r"\bwhat (?:do|must|should|shall|to|has to|needs? to)\b|\bhow (?:do|to|should|must)\b"
    r"|\bsteps?\b|\bprocedure\b|\bchange[sd]?\b",
    re.IGNORECASE,
)
_PLACES = {"first": 1, "one": 1, "second": 2, "two": 2, "third": 3, "three": 3, "fourth": 4, "four": 4}
_STEP = re.compile(
    r"\b(?P<named>first|second|third|fourth) (?:step|thing)\b|\bstep (?P<numbered>[1-9]|one|two|three|four)\b"
    r"|\bwhat (?:do (?:i|we) do )?first\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"(?:It|Its|They|Them|Their|He|She|His|Her|This|These|Those|That|Both|Instead|Otherwise|In that case|If not"
    r"|If (?:it|they|he|she|we|this|that) )\b|.{0,60}\bthat (?:date|day|time|sum|amount)\b"
)
# What comes later is asked for by itself: "and after that?".
_GOES_ON = re.compile(r"(?:After that|Then|Afterwards)\b")


def with_whole_list(question: str, chosen: Sequence[int], spans: Sequence[Span]) -> list[int]:
    """The positions that were chosen, with all of a short list if it asks for steps, or two of its items are there.

    Of a list of which one step is asked for, that alone.
    """
    best = spans[chosen[0]]
    items = [at for at, span in enumerate(spans) if span.passage is best.passage and is_item(span)]
    if (step := _STEP.search(BEFORE.sub("", question))) and (numbered := _numbered(_place(step), best, spans)):
        return numbered
    words = sum(len(spans[at].text.split()) for at in items)
    is_meant = len({*items} & {*chosen}) > 1 or _ASKS_FOR_STEPS.search(question) is not None
    if not is_item(best) or not is_meant or words > min(LIST_WORDS, ITEM_WORDS * len(items)):
        return list(chosen)
    return [*items, *(at for at in chosen if at not in items)]


def _numbered(number: int, best: Span, spans: Sequence[Span]) -> list[int]:
    """The position of the item with the number in the section of the span, which may be in several passages."""
    label = re.compile(rf"\(?{number}[.)] ")
    places = [at for at, span in enumerate(spans) if span.passage.place == best.passage.place]
    return [at for at in places if label.match(spans[at].text)][:1]


def _place(step: re.Match[str]) -> int:
    """The number of the step, from 1."""
    said = (step["named"] or step["numbered"] or "first").lower()
    return int(said) if said.isdecimal() else _PLACES[said]


def with_referents(chosen: Sequence[int], spans: Sequence[Span]) -> list[int]:
    """The positions that were chosen, each with the sentence that it refers to and the one that refers to it."""
    found: list[int] = []
    for at in chosen:
        found.append(at)
        if at and (_follows(spans, at, _REFERS_BACK) or _follows(spans, at, _GOES_ON)):
            found.append(at - 1)
        if at + 1 < len(spans) and _follows(spans, at + 1, _REFERS_BACK) and not is_item(spans[at + 1]):
            found.append(at + 1)
    return list(dict.fromkeys(found))


def _follows(spans: Sequence[Span], at: int, words: re.Pattern[str]) -> bool:
    """Whether the span begins with one of the words, and can be quoted with the one before it."""
    return spans[at].joins(spans[at - 1]) and words.match(spans[at].text) is not None
