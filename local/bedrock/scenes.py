"""Answers what is asked of the form of scenes: who is in one, who begins and ends it, where it is, how many there are.

The headings, the speakers and the stage directions say it. The passages must be a text in its order.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby

from local.bedrock.beside import BEFORE
from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, quote, spans_of
from local.bedrock.words import stem, terms, words

SHOWN = 4  # directions that say who comes on
_FIRST = re.compile(r"\b(?:first|opens?|opening|begins?|beginning|starts?)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|ends?|ending|closes?|closing|final|finish(?:es)?)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many (?:\w+ )?(scenes?|acts?|chapters?)\b", re.IGNORECASE)
_WHICH = re.compile(r"^\W*(?:(?:and|so|in|from|at)\b\W*)*(?:which|what) (?:acts?|scenes?)\b", re.IGNORECASE)
_PLACE = re.compile(r"\bwhere\b|\b(?:set|setting|takes? place|location)\b", re.IGNORECASE)
_CAST = re.compile(
    r"\b(?:who(?:['’]s)?|cast|(?:which|what|how many) (?:\w+ )?(?:characters?|people|persons|speakers?|roles))\b",
    re.IGNORECASE,
)
_ENTERS = re.compile(r"\b(?:re-?)?enter(?:s|ing)?\b|\bappears?\b", re.IGNORECASE)
# What says nothing of the content of a scene.
_OF_FORM = frozenset(
    terms(
        """
        act all appear begin beginning cast chapter character close come else end ending enter episode final
        finish first get give how last line list location many name number on open opening part people person
        place play present role scene set setting show speak speaker speech stage start take talk tell there
        word two three four five six seven eight nine ten second third fourth fifth sixth seventh eighth ninth
        tenth
        """
    )
)


def of_scenes(question: str, passages: Sequence[Passage]) -> str:
    """The answer; empty if the question asks for something else than the form, or if the passages are no scenes."""
    asked = BEFORE.sub("", question)
    question = asked if any(form.search(asked) for form in (_COUNT, *(form for form, _ in _FORMS))) else question
    if not any(line.speaker for passage in passages for line in passage.lines) or not _is_of_form(question, passages):
        return ""
    if found := _COUNT.search(question):
        return _counted(passages, found[1].lower().startswith("act"))
    answer = next((answer for form, answer in _FORMS if form.search(question)), None)
    return "\n".join(line for scene in _scenes(passages) for line in answer(scene)) if answer else ""


def scene_asked_for(question: str, passages: Sequence[Passage]) -> Iterator[str]:
    """The scene of the first passage where a scene is asked for: it is oftener the right one than that of a line."""
    if _WHICH.search(question) and any(line.speaker for line in passages[0].lines):
        yield from _places(passages[:1])


def _is_of_form(question: str, passages: Sequence[Passage]) -> bool:
    """Whether no word of the question is of what is said in the passages, but for names and words of their headings."""
    lines = [line for passage in passages for line in passage.lines]
    names = (map(stem, words(line.speaker)) for line in lines)
    of_form = _OF_FORM.union(*names, *(terms(passage.heading) for passage in passages))
    return {*terms(question)}.difference(of_form).isdisjoint(chain.from_iterable(terms(line.text) for line in lines))


def _scenes(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    for _, scene in groupby(passages, lambda passage: passage.locator):
        yield list(scene)


def _cited(passage: Passage) -> str:
    return "" if passage.number is None else f" [{passage.number}]"


def _cast(scene: Sequence[Passage]) -> Iterator[str]:
    spoken = dict.fromkeys(line.speaker for passage in scene for line in passage.lines if line.speaker)
    yield f"In {scene[0].locator}, these speak: {', '.join(spoken)}.{_cited(scene[0])}"
    entering = (span for span in spans_of(scene) if span.is_stage and _ENTERS.search(span.text))
    yield from (quote([span]) for span, _ in zip(entering, range(SHOWN), strict=False))


def _places(scene: Sequence[Passage]) -> Iterator[str]:
    if title := scene[0].scene_title:
        yield f'{scene[0].locator}: "{title}"{_cited(scene[0])}'


def _beginning(scene: Sequence[Passage]) -> Iterator[str]:
    yield from (quote([span]) for span in _until_spoken(spans_of(scene)))


def _ending(scene: Sequence[Passage]) -> Iterator[str]:
    yield from (quote([span]) for span in reversed(_until_spoken(spans_of(scene)[::-1])))


_FORMS: Sequence[tuple[re.Pattern[str], Callable[[Sequence[Passage]], Iterator[str]]]] = (
    (_PLACE, _places),
    (_FIRST, _beginning),
    (_LAST, _ending),
    (_CAST, _cast),
)


def _until_spoken(spans: Sequence[Span]) -> list[Span]:
    """The stage directions before the first speech, and that."""
    at = next((at for at, span in enumerate(spans) if not span.is_stage), len(spans) - 1)
    return list(spans[: at + 1])


def _counted(passages: Sequence[Passage], of_acts: bool) -> str:
    """The scenes by the highest number, as some may not be among the passages."""
    lines = []
    for title, group in groupby(passages, lambda passage: passage.locator.partition(", ")[0]):
        scenes = list(group)
        numbers = {
            tuple(map(int, each.locator.rpartition(", ")[2].split("."))) for each in scenes if _is_numbered(each)
        }
        acts = sorted({number[0] for number in numbers})
        if of_acts and acts:
            lines.append(f"{title} has {acts[-1]} acts.{_cited(scenes[-1])}")
        elif len(acts) == 1:
            last = max(numbers)
            lines.append(
                f"Act {acts[0]} of {title} has {last[-1]} scenes, up to {scenes[-1].locator}.{_cited(scenes[-1])}"
            )
    return "\n".join(lines)


def _is_numbered(passage: Passage) -> bool:
    return re.fullmatch(r"\d+\.\d+", passage.locator.rpartition(", ")[2]) is not None
