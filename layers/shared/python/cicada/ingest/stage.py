"""What a script does not say in words: who comes on, who dies and by whose hand.

The facts are computed from stage directions and speakers in English, by the words that directions of any play or film
use, and the words that verse cuts short are written in full. All this is searched with a passage and never shown,
because it is no part of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.model import Passage, ScriptLocator
from cicada.ingest.model import StoredDocument

_LANGUAGE = "en"
_DIRECTION = re.compile(r"\[([^\[\]]+)\]|\(([^()]+)\)")
_CLAUSE_END = re.compile(r"[.;:!?]|,?\s(?:and )?then\s")
_SPOKEN_OF = re.compile(r"['\"‘“][A-Z][^'\"’”]*['\"’”]")
_NAME = re.compile(r"\b[A-Z][\w-]+(?:\s+(?:(?i:of)\s+)?[A-Z][\w-]+)*(?P<possessive>['’])?")
_VERB = re.compile(r"(?:re-?)?enters?|exits?|exeunt", re.IGNORECASE)
_ENTERS = re.compile(
    r"\b(?:re-?)?enter(?:s|ing)?\b|\bappears?\b|\bcom(?:es|ing) (?:in|on)\b|\breturns?\b", re.IGNORECASE
)
_LEAVES = re.compile(
    r"\b(?:exeunt|exits?|vanish(?:es)?|escapes?|descends?|leaves?|(?:goes|go|runs?|carried|led|borne) (?:out|off))\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"\ball (?:but|except|save)\b", re.IGNORECASE)
_FIGHTS = re.compile(r"\b(?:fight|duel|grappl|struggl|wrestl)\w*", re.IGNORECASE)
_STRIKES = re.compile(
    r"\b(?:stabb?|wound|strik|shoot|attack|poison|kill|slay|murder|strangl|smother|throttl|behead)(?:s|es|ing)?\b"
    r"|\bsets? upon\b|\bmakes? a pass\b|\bruns? (?:him|her|\w+) through\b",
    re.IGNORECASE,
)
_IS_KILLED = re.compile(
    r"\b(?:is|are|being) (?:slain|killed|murdered|stabbed|shot(?! off)|poisoned|strangled)\b", re.IGNORECASE
)
_KILLS = re.compile(r"\b(?:kill|slay|murder|strangl|smother|behead)(?:s|es|ing)?\b", re.IGNORECASE)
_DIES = re.compile(r"\b(?:dies|die|dying|expires?|falls? dead|(?:is|are) dead)\b", re.IGNORECASE)
_FALLS = re.compile(r"\bfalls?\b", re.IGNORECASE)
_THEY = re.compile(r"(?:they|all)\b", re.IGNORECASE)
_SELF = re.compile(r"\b(?:him|her|them)sel(?:f|ves)\b", re.IGNORECASE)
_REMAINS = re.compile(
    r"(?i:head|corpse|body) of (?:the )?([A-Z][\w-]+(?: [A-Z][\w-]+)*)"
    r"|(?<![\w-])([A-Z][\w-]+)['’]s? (?:head|corpse|body)\b"
)
# "drown'd": verse leaves out the vowel that a question has.
_ELIDED = re.compile(r"\b([a-z]{3,})'d\b", re.IGNORECASE)
_NO_VERBS = frozenset({"she", "they", "you", "who", "that", "there", "what", "how", "where", "why"})
# How many blows before a death are looked at for its cause, and how many names of those who enter are searched.
_BLOWS, _MOST_NAMES = 6, 12
# Words of a speaker's name, and speakers whose names end alike, that are compared with a name in a direction.
_NAME_WORDS, _MOST_ALIKE = 6, 20
# Words in full on the line of one passage.
_MOST_WORDS = 60


class _Blow(Struct, frozen=True):
    by: tuple[str, ...]
    on: tuple[str, ...]


class _Cast:
    """The speakers of a document. Titles stand before a name: POLONIUS in a direction is the speaker Lord Polonius."""

    def __init__(self, speakers: Iterable[str]) -> None:
        self._ending: dict[str, list[str]] = {}
        for name in sorted(set(speakers)):
            words = name.lower().split()
            for at in range(max(0, len(words) - _NAME_WORDS), len(words)):
                self._ending.setdefault(" ".join(words[at:]), []).append(name)
        self._words = {word for ending in self._ending for word in ending.split()}

    def named(self, clause: str) -> Iterator[tuple[int, str]]:
        """The names in a clause of a direction and where each ends; those that something belongs to are left out."""
        for found in _NAME.finditer(clause):
            words = found[0].split()
            if _VERB.fullmatch(words[0]) or (not found.start() and self._is_plain(words[0])):
                words.pop(0)
            if words and not found["possessive"]:
                yield found.end(), self.speaker(" ".join(words))

    def _is_plain(self, word: str) -> bool:
        """Whether a word that begins a clause has its capital letter for that alone."""
        return not word.isupper() and word.lower() not in self._words

    def speaker(self, name: str) -> str:
        """The one speaker whose name this is or ends with; else the name."""
        low = " ".join(name.lower().split())
        alike = self._ending.get(low, [])
        exact = next((each for each in alike[:_MOST_ALIKE] if each.lower() == low), None)
        return exact or (alike[0] if len(alike) == 1 else name.title().replace(" Of ", " of "))


class _Scene(Struct):
    """A scene as far as it has been read. `entered` and `dead` (with who killed them) are those of one passage."""

    cast: _Cast
    present: dict[str, None] = field(default_factory=dict)
    blows: list[_Blow] = field(default_factory=list)
    speakers: list[str] = field(default_factory=list)
    entered: dict[str, None] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)

    def read(self, line: str, speakers: Iterable[str]) -> None:
        """Read a line as chunks have it: a direction in brackets, or a speech with directions in it."""
        speaker = next((name for name in speakers if line.startswith(f"{name}: ")), "")
        if speaker:
            self.present[speaker] = None
            if speaker not in self.speakers[-1:]:
                self.speakers.append(speaker)
        for square, round in _DIRECTION.findall(line.removeprefix(f"{speaker}: ")):
            for clause in _CLAUSE_END.split(_SPOKEN_OF.sub(" ", square or round)):
                self._follow(clause.strip(), "".join(self.speakers[-1:]))

    def _follow(self, clause: str, speaker: str) -> None:
        """What a clause of a direction makes happen; what it names nobody for happens to the last speaker."""
        named = list(self.cast.named(clause))
        remains = [self.cast.speaker(of or whose) for of, whose in _REMAINS.findall(clause)]
        if _ENTERS.search(clause):
            arriving = dict.fromkeys(name for _, name in named if name not in remains)
            self.entered |= arriving
            self.present |= arriving
        elif found := _LEAVES.search(clause):
            for name in self._leaving(clause, found[0], [name for _, name in named], speaker):
                self.present.pop(name, None)
        self._strike(clause, named, speaker)
        for name in (*remains, *self._dying(clause, named, speaker)):
            self.dead[name] = self._killer_of(name)
            self.present.pop(name, None)

    def _leaving(self, clause: str, verb: str, named: Sequence[str], speaker: str) -> list[str]:
        if _ALL_BUT.search(clause):
            return [name for name in self.present if name not in named]
        return list(named or (self.present if verb.lower() == "exeunt" or _THEY.match(clause) else [speaker]))

    def _strike(self, clause: str, named: Sequence[tuple[int, str]], speaker: str) -> None:
        if killed := _IS_KILLED.search(clause):
            on = tuple(name for end, name in named if end <= killed.start())
            other = next((name for name in reversed(self.speakers[-_MOST_NAMES:]) if name not in on), None)
            self.blows.append(_Blow((other,) if other else (), on))
        elif _FIGHTS.search(clause):
            both = tuple(name for _, name in named) or tuple(self.speakers[-2:])
            self.blows.append(_Blow(both, both))
        elif found := _STRIKES.search(clause):
            by = tuple(name for end, name in named if end <= found.start()) or (speaker,)
            on = tuple(name for end, name in named if end > found.end())
            self.blows.append(_Blow(by, by if _SELF.search(clause) else on))

    def _dying(self, clause: str, named: Sequence[tuple[int, str]], speaker: str) -> list[str]:
        if found := _IS_KILLED.search(clause) or _DIES.search(clause):
            return [name for end, name in named if end <= found.start()] or [speaker] * bool(speaker)
        if found := _KILLS.search(clause):
            return [name for end, name in named if end > found.end()]
        return [name for _, name in named if _FALLS.search(clause) and self._killer_of(name)]

    def _killer_of(self, name: str) -> str:
        """Who last struck them, or somebody who is not named; empty if nobody did."""
        for blow in reversed(self.blows[-_BLOWS:]):
            others = [each for each in blow.by if each and each != name]
            if others and (name in blow.on or not blow.on):
                return others[0]
        return ""


def with_stage_facts(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages, those of scripts in English with the facts on a line of the context, after the place.

    The passages are those of one document, in its order. Facts that are there already are computed anew.
    """
    facts = _facts([each for each in passages if _is_told(each)])
    return tuple(_with(each, next(facts)) if _is_told(each) else each for each in passages)


def with_stored_facts(stored: StoredDocument) -> StoredDocument:
    """The document with the facts in its passages' contexts; their vectors are as they were."""
    passages = with_stage_facts([each.passage for each in stored.passages])
    told = (replace(each, passage=passage) for each, passage in zip(stored.passages, passages, strict=True))
    return replace(stored, passages=tuple(told))


def _is_told(passage: Passage) -> bool:
    return isinstance(passage.locator, ScriptLocator) and passage.language.split("-")[0] == _LANGUAGE


def _with(passage: Passage, facts: str) -> Passage:
    place = passage.context.partition("\n")[0]
    return replace(passage, context=f"{place}\n{facts}" if facts else place)


def _facts(passages: Sequence[Passage]) -> Iterator[str]:
    """The facts of each passage, in order; a scene is the passages in a row with one chapter."""
    cast = _Cast(name for each in passages for name in _speakers(each))
    for _, chapter in groupby(passages, lambda each: each.chapter):
        scene = _Scene(cast)
        for passage in chapter:
            yield ". ".join(_told(scene, passage))


def _speakers(passage: Passage) -> tuple[str, ...]:
    return passage.locator.speakers if isinstance(passage.locator, ScriptLocator) else ()


def _told(scene: _Scene, passage: Passage) -> Iterator[str]:
    """The facts of a passage, which the scene has been read up to."""
    scene.entered, scene.dead = {}, {}
    for line in passage.text.split("\n"):
        scene.read(line, _speakers(passage))
    for name, killer in list(scene.dead.items())[:_MOST_NAMES]:
        yield f"{name} {f'is killed by {killer} and ' if killer else ''}dies, the death of {name}"
    if scene.entered:
        yield f"Enters, appears: {', '.join(list(scene.entered)[:_MOST_NAMES])}"
    if whole := _in_full(passage.text):
        yield " ".join(whole)


def _in_full(text: str) -> list[str]:
    """The words that verse has cut short, as others write them."""
    stems = dict.fromkeys(stem.lower() for stem in _ELIDED.findall(text))
    return [f"{stem}ed" for stem in stems if stem not in _NO_VERBS][:_MOST_WORDS]
