"""The evidence of theories: what the tools of a turn found, and the verdict that rests on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from cicada.retrieval.model import RankedPassage


class Verdict(StrEnum):
    """What the documents say of a theory."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    OPEN = "open"


class Ground(Struct, frozen=True):
    """A passage that a verdict rests on, which speaks for the theory or `against` it.

    `version`: of its document, when it was judged. `place`: where in the document it stands, for people.
    """

    document_id: str
    version: str
    passage_id: str
    place: str
    against: bool = False


class Judgement(Struct, frozen=True):
    """A verdict, why it is so, and what it rests on. `at`: epoch seconds.

    `seen`: ids of all documents that the searches of its turn found, which the reason may quote.
    """

    verdict: Verdict
    reason: str
    grounds: tuple[Ground, ...]
    at: float
    seen: tuple[str, ...] = ()


class Standing(Struct, frozen=True):
    """What has become of the documents of grounds, by their ids.

    `passages`: those of documents that are as they were. `changed`: the titles of documents with another version now.
    `gone`: documents that were removed, or that the user may not read any more.
    """

    passages: tuple[RankedPassage, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


class TurnEvidence:
    """What the tools of one turn gave to the model. The answer cites a passage by the number that it has here.

    `read`: versions of the theories that were read, by their ids. `verdict`: what was judged. `withheld`: a passage was
    closed to the user meanwhile. `suffices`: a search found what is near enough to answer from.
    """

    def __init__(self) -> None:
        self.passages: dict[int, RankedPassage] = {}
        self.read: dict[str, int] = {}
        self.verdict: Verdict | None = None
        self.withheld = False
        self.suffices = False
        self._numbers: dict[str, int] = {}
        self._wordings: set[frozenset[str]] = set()
        self._path: list[str] = []
        self._confidences: list[float] = []
        self._told = 0

    def searched(self, query: str, path: tuple[str, ...], confidence: float | None, suffices: bool) -> None:
        """Record a search. `suffices`: what it found is near enough to answer from."""
        self._wordings.add(frozenset(re.findall(r"\w+", query.casefold())))
        self._path += path
        self.suffices = self.suffices or suffices
        if confidence is not None:
            self._confidences.append(confidence)

    def number(self, ranked: RankedPassage) -> int:
        """The passage's number, the next one if it is new. Numbers begin at 1."""
        number = self._numbers.setdefault(ranked.passage.passage_id, len(self._numbers) + 1)
        self.passages.setdefault(number, ranked)
        return number

    def untold(self) -> dict[int, RankedPassage]:
        """The passages that no call before this one returned, by their numbers."""
        found = {number: ranked for number, ranked in self.passages.items() if number > self._told}
        self._told = len(self.passages)
        return found

    @property
    def wordings(self) -> int:
        """How many searches there were whose words differ."""
        return len(self._wordings)

    @property
    def confidence(self) -> float | None:
        """The quality of the best search's evidence; None where nothing was searched for, or not all may be shown."""
        return None if self.withheld else max(self._confidences, default=None)

    @property
    def path(self) -> tuple[str, ...]:
        """The steps of the searches, and of the verdict."""
        return (*self._path, *((f"verdict:{self.verdict}",) if self.verdict else ()))
