"""The questions and the disturbances of each, drawn from the seed."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

QUESTIONS = (
    "What does Macbeth say about tomorrow and tomorrow?",
    "Who tells Macbeth that the queen is dead?",
    "What does Hamlet say about death and sleep?",
    "In which scene does Macbeth buy a bicycle for Banquo?",
    "Hello there!",
)
USERS = ("alice", "bob")
# No answer here has more events than this: a disturbance planned for a later one would never come.
_LATEST_EVENT = 8
LONGEST_STALL_SECONDS = 8
_LONGEST_STORM_SECONDS = 4
# The default of -c firstTextSeconds.
_FIRST_TEXT_SECONDS = 12


class Victim(StrEnum):
    """What a kill hits: the processor that answers the question, any one processor, or all."""

    OWN = "own"
    ANY = "any"
    ALL = "all"


# Listed as often as each is to be drawn.
VICTIMS = (Victim.OWN, Victim.OWN, Victim.OWN, Victim.ANY, Victim.ALL)


class Disturbance(StrEnum):
    CUT = "cut"
    KILL = "kill"
    DUPLICATE = "duplicate"
    FAULT = "fault"
    THROTTLE = "throttle"


@dataclass(frozen=True, slots=True)
class FaultOrder:
    """A fault as the Bedrock stand-in takes it (local/bedrock/faults.py)."""

    operation: str
    kind: str
    after: int
    times: int
    seconds: float
    model_id: str = ""

    @property
    def early(self) -> bool:
        """Whether it strikes before the first piece of text: then the same call is retried."""
        return self.after == 0

    @property
    def silent(self) -> bool:
        """Whether the call is given up before the model goes on: it has twelve seconds for its first text."""
        return self.early and self.kind == "stall" and self.seconds > _FIRST_TEXT_SECONDS


@dataclass(frozen=True, slots=True)
class Storm:
    """DynamoDB throttling: after so many events it refuses this share of its calls for so long.

    The SDK tries a call three times.
    """

    after: int
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Plan:
    """One question. `cuts` and `duplicates`: after so many events; `kill_after`: after so many chunks."""

    user: str
    question: str
    cuts: tuple[int, ...] = ()
    duplicates: tuple[int, ...] = ()
    kill_after: int | None = None
    victim: Victim = Victim.OWN
    faults: tuple[FaultOrder, ...] = ()
    storm: Storm | None = None


def plans(
    seed: int,
    lane: int,
    kinds: Collection[Disturbance] = tuple(Disturbance),
    victims: Sequence[Victim] = VICTIMS,
    longest_stall: float = LONGEST_STALL_SECONDS,
) -> Iterator[Plan]:
    """Endless. Each kind of disturbance comes alone, then two, then all mixed, then none, in a shuffled order."""
    chance = random.Random(f"{seed}/{lane}")
    while True:
        hands: list[frozenset[Disturbance]] = [frozenset({kind}) for kind in kinds]
        if len(hands) > 1:
            hands += [frozenset(chance.sample(list(kinds), 2)), frozenset(kinds), frozenset()]
        chance.shuffle(hands)
        for hand in hands:
            yield _plan(chance, hand, victims, longest_stall)


def _plan(chance: random.Random, hand: frozenset[Disturbance], victims: Sequence[Victim], longest_stall: float) -> Plan:
    return Plan(
        user=chance.choice(USERS),
        question=chance.choice(QUESTIONS),
        cuts=_events(chance) if Disturbance.CUT in hand else (),
        duplicates=_events(chance) if Disturbance.DUPLICATE in hand else (),
        kill_after=chance.randint(1, 2) if Disturbance.KILL in hand else None,
        victim=chance.choice(victims),
        faults=(_fault(chance, longest_stall),) if Disturbance.FAULT in hand else (),
        storm=_storm(chance) if Disturbance.THROTTLE in hand else None,
    )


def _events(chance: random.Random) -> tuple[int, ...]:
    return tuple(sorted(chance.sample(range(1, _LATEST_EVENT + 1), chance.randint(1, 3))))


def _storm(chance: random.Random) -> Storm:
    return Storm(chance.randint(1, 4), chance.uniform(0.5, _LONGEST_STORM_SECONDS), chance.choice((0.2, 0.5, 0.9)))


def _fault(chance: random.Random, longest_stall: float) -> FaultOrder:
    operation = chance.choice(("converse-stream", "converse-stream", "converse-stream", "invoke-model"))
    kinds = ["throttle", "exception", "drop", "stall"]
    if operation == "invoke-model":
        return FaultOrder(operation, chance.choice(kinds[:3]), 0, chance.randint(1, 2), 0)
    return FaultOrder(
        operation=operation,
        kind=chance.choice([*kinds, "bad-checksum"]),
        after=chance.choice((0, 1, 5, 20)),
        times=chance.choice((1, 1, 1, 2)),
        seconds=chance.uniform(0.5, longest_stall),
    )
