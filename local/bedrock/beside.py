"""Answers what is asked of what was quoted: who says a line, to whom and where, and what stands beside it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, quote, spans_of
from local.bedrock.words import stem, terms, words

SHOWN = 2  # spans of what follows or precedes
_QUOTED = re.compile(r'"(.+)" — ')
_NEXT = re.compile(
    r"\W*(?:(?:and|ok(?:ay)?|so|but|what|s|happens|comes|is|the|do (?:i|we)(?: do)?|must (?:i|we) do)\W+)*"
    r"(?:then|after(?:wards)?|after that|next(?: step| one)?|from then on)(?: what)?\W*",
    re.IGNORECASE,
)
BEFORE = re.compile(r"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$")  # the question that this one goes on from
_MESSAGES = re.compile(r"Messages: (\d+)(?:–(\d+))?")
_WHERE = re.compile(
    r"\b(?:which|what) (?:act|scene)\b|\bwhere\b.*\b(?:from|said|spoken|stand|in the play)\b", re.IGNORECASE
)
_WHOM = re.compile(r"\bto whom\b|\bwhom?\b.*\bto\W*$", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|which of them)\b.*\b(?:say|said|speak|spoke)|\bwhose (?:line|words)\b", re.IGNORECASE)
_EARLIER = re.compile(r"\b(?:before|previous|preceding)\b", re.IGNORECASE)
_REPLY = re.compile(r"\b(?:answer|repl|respon|retort|react)\w*|\bsay (?:to|about|back)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:next|after|then|follow\w*|go on|continue\w*|else)\b", re.IGNORECASE)
_OF_A_LINE = frozenset(
    terms(
        """
        act actually address answer back come continue directly else end follow found go happen line next play
        preceding previous quote react read reply respond response retort right said say saying scene sentence
        speak speaking speech spoken stand take talk talking word
        """
    )
)


@dataclass(frozen=True, slots=True)
class _Text:
    """`spans` in the order of the play; `at`: the one that was quoted."""

    spans: Sequence[Span]
    at: int

    @property
    def line(self) -> Span:
        return self.spans[self.at]

    def after(self) -> list[Span]:
        return self._beside(range(self.at, len(self.spans)))

    def before(self) -> list[Span]:
        return self._beside(range(self.at, -1, -1))

    def around(self) -> tuple[list[Span], list[Span]]:
        return self.before(), self.after()

    def _beside(self, order: range) -> list[Span]:
        """The spans from the line on, as far as no passage is missing between them."""
        joined = takewhile(
            lambda each: _joins(self.spans[each[0]].passage, self.spans[each[1]].passage), pairwise(order)
        )
        return [self.spans[at] for _, at in joined]


def of_quoted(question: str, passages: Sequence[Passage], said: str) -> str:
    """The answer; empty if the question asks for something else, or if the passages do not have the line.

    `said`: the last answer.
    """
    asked = BEFORE.sub("", question)
    names = {stem(word) for passage in passages for line in passage.lines for word in words(line.speaker)}
    found = _text(passages, said) if names and _OF_A_LINE.union(names).issuperset(terms(asked)) else None
    if found is None:
        return ""
    forms: tuple[tuple[re.Pattern[str], Callable[[_Text, str], list[str]]], ...] = (
        (_WHERE, _where),
        (_WHOM, _whom),
        (_REPLY, _replied),
        (_WHO, lambda text, _: [quote([text.line])]),
        (_EARLIER, lambda text, _: _shown(text.before())[::-1]),
        (_LATER, lambda text, _: _shown(text.after())),
    )
    answer = next((answer for form, answer in forms if form.search(asked)), None)
    return "\n".join(answer(found, asked)) if answer else ""


def what_follows(question: str, passages: Sequence[Passage], said: str) -> str:
    """The sentences after those that the last answer quoted first; empty if the question asks for something else."""
    quoted = _QUOTED.search(said) if _NEXT.fullmatch(BEFORE.sub("", question)) else None
    spans = [each for each in spans_of(passages) if not each.speaker] if quoted else []
    last = max((at for at, span in enumerate(spans) if quoted and span.text in quoted[1]), default=len(spans))
    return "\n".join(_shown([each for each in spans[last + 1 :] if each.passage.place == spans[last].passage.place]))


def _text(passages: Sequence[Passage], said: str) -> _Text | None:
    quoted = _QUOTED.search(said)
    spans = spans_of(sorted(passages, key=lambda each: (each.locator, _messages(each))))
    at = next((at for at, span in enumerate(spans) if quoted and span.text == quoted[1]), None)
    return None if at is None else _Text(spans, at)


def _messages(passage: Passage) -> tuple[int, int]:
    found = _MESSAGES.search(passage.heading)
    return (int(found[1]), int(found[2] or found[1])) if found else (0, 0)


def _joins(one: Passage, other: Passage) -> bool:
    """Whether nothing stands between the passages, whichever is first."""
    first, last = sorted((_messages(one), _messages(other)))
    return one.locator == other.locator and last[0] <= first[1] + 1


def _shown(spans: Sequence[Span]) -> list[str]:
    return [quote([span]) for span in spans[:SHOWN]]


def _where(text: _Text, _: str) -> list[str]:
    passage = text.line.passage
    return [
        f"{passage.locator} ({passage.scene_title})" if passage.scene_title else passage.locator,
        quote([text.line]),
    ]


def _replied(text: _Text, asked: str) -> list[str]:
    """The next speech of whoever is named, else of another one than the line's."""
    named = {*terms(asked)}
    after = [span for span in text.after() if span.speaker and not span.is_stage]
    by_name = [at for at, span in enumerate(after) if not named.isdisjoint(map(stem, words(span.speaker)))]
    others = by_name or [at for at, span in enumerate(after) if span.speaker != text.line.speaker]
    reply = after[others[0] :] if others else []
    return _shown(list(takewhile(lambda span: span.speaker == reply[0].speaker, reply)))


def _whom(text: _Text, _: str) -> list[str]:
    """Who speaks before and after it: the text says no more."""
    others = [[each for each in beside if each.speaker not in ("", text.line.speaker)] for beside in text.around()]
    nearest = [each[0] for each in others if each]
    names = " and ".join(dict.fromkeys(each.speaker for each in nearest))
    said = [f"{text.line.speaker} speaks there with {names}."] if nearest else []
    return [*said, *(quote([each]) for each in nearest)]
