"""Sentences of the sample documents, as they are and with one number, name, date or negation changed.

The same texts give the same sentences: nothing is drawn by chance.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cicada.grounding.sentences import sentences_of
from cicada.grounding.words import listed
from cicada.languages.terms import STOP_WORDS

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
_MONTHS = listed("January February March April May June July August September October November December")
_DATE = re.compile(rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:\d{{1,2}} )?(?:{'|'.join(_MONTHS)})\b(?: \d{{1,2}}\b)?(?:,? \d{{4}})?")
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?:[.,]\d+)?(?![\w:-]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_NEGATION = re.compile(r"\b(?:not|never) ")
_VERB = re.compile(r"\b(?:is|are|was|were|must|may|can|will|shall|has|have|should|would|could)\b(?! not)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_SPEECHES = 12
_SHORTEST, _LONGEST = 6, 60


@dataclass(frozen=True, slots=True)
class Claim:
    """A text, what it is held against, and whether that supports it. `set`: where it is from."""

    set: str
    source: str
    text: str
    supported: bool


def changed_claims(samples: Path = SAMPLES) -> list[Claim]:
    """Every sentence that something can be changed in, once as it is and once for each kind of change."""
    passages = [*_sections(samples / "store"), *_scenes(samples)]
    common = {word for passage in passages for word in re.findall(r"\b[a-z]+\b", passage)} | STOP_WORDS
    found = {name for passage in passages for name in _NAME.findall(passage)}
    names = sorted(name for name in found if name.lower() not in common and name not in _MONTHS)
    return [claim for passage in passages for claim in _claims(passage, names)]


def _sections(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.md")):
        text = _FRONT_MATTER.sub("", path.read_text("utf-8"))
        yield from filter(str.strip, re.split(r"^#+ ", text, flags=re.MULTILINE))


def _scenes(folder: Path) -> Iterator[str]:
    for play in ("macbeth.json", "hamlet.json"):
        messages = json.loads((folder / play).read_text("utf-8"))["messages"]
        lines = [f"{each['speaker']}: {each['textENG']}".lstrip(": ") for each in messages]
        yield from ("\n".join(lines[at : at + _SPEECHES]) for at in range(0, len(lines), 5 * _SPEECHES))


def _claims(passage: str, names: Sequence[str]) -> Iterator[Claim]:
    for at, sentence in enumerate(sentences_of(passage)):
        if "|" in sentence.text or not _SHORTEST <= len(sentence.text.split()) <= _LONGEST:
            continue
        changed = list(_changed(sentence.text, passage, names))
        for supported, text in ((True, sentence.text), *((False, each) for each in changed)) if changed else ():
            yield Claim("samples", passage, _cited(text) if at % 2 else text, supported)


def _cited(text: str) -> str:
    """The sentence as a model quotes it in a sentence of its own."""
    return f"{text[0].lower()}{text[1:].rstrip('.')} [1]."


def _changed(text: str, passage: str, names: Sequence[str]) -> Iterator[str]:
    """The sentence with one thing changed, once for each kind of thing that it has."""
    dates = [found.span() for found in _DATE.finditer(text)]
    if dates:
        yield _replaced(text, dates[0], _other_date(text[slice(*dates[0])]))
    numbers = [each for each in _NUMBER.finditer(text) if not any(a <= each.start() < b for a, b in dates)]
    if numbers:
        yield _replaced(text, numbers[0].span(), _other(numbers[0][0], _NUMBER.findall(passage)) or f"1{numbers[0][0]}")
    if named := next((each for each in _NAME.finditer(text) if each[0] in names), None):
        near = _other(named[0], [each for each in _NAME.findall(passage) if each in names])
        yield _replaced(text, named.span(), near or names[(names.index(named[0]) + 1) % len(names)])
    if negated := _NEGATION.search(text):
        yield _replaced(text, negated.span(), "")
    elif verb := _VERB.search(text):
        yield _replaced(text, verb.span(), f"{verb[0]} not")


def _replaced(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _other(one: str, all_: Sequence[str]) -> str | None:
    """Another of the same passage, which is harder to tell than one that is not there."""
    return next((each for each in all_ if each.rstrip("s") != one.rstrip("s")), None)


def _other_date(date: str) -> str:
    """The date in another month, or if it names none another year."""
    if month := next((each for each in _MONTHS if each in date), None):
        return date.replace(month, _MONTHS[(_MONTHS.index(month) + 1) % 12])
    year, month_number, day = date.split("-")
    return f"{year}-{int(month_number) % 12 + 1:02}-{day}"
