"""What a stage does under load, computed: M/M/c with a finite number of users, the machine-repair model.

Each user waits for the answer, pauses, and asks again; pauses and answers are exponential. Kleinrock, Queueing Systems
I, 1975, section 3.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """`rate`: questions a second. `busy`: processors that answer, on average. `wait`: mean seconds before one takes it.

    `full`: the share of the time in which no processor is free.
    """

    rate: float
    busy: float
    wait: float
    full: float


def predicted(users: int, *, pause: float, service: float, processors: int) -> Load:
    """`pause`: seconds between an answer and the user's next question. `service`: seconds that an answer takes."""
    weights, heaviest = [0.0], 0.0
    for number in range(1, users + 1):
        arrives, leaves = (users - number + 1) / pause, min(number, processors) / service
        weights.append(weights[-1] + math.log(arrives / leaves))
        heaviest = max(heaviest, weights[-1])
    chances = [math.exp(weight - heaviest) for weight in weights]
    total = sum(chances)
    busy = sum(min(number, processors) * chance for number, chance in enumerate(chances)) / total
    inside = sum(number * chance for number, chance in enumerate(chances)) / total
    rate = busy / service
    # Little's law, for the queue alone.
    return Load(rate, busy, wait=(inside - busy) / rate, full=sum(chances[processors:]) / total)
