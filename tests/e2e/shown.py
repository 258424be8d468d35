"""What the end-to-end tests have shown: which passed, and what the functions called meanwhile.

Groups of them run in different workers, each with a stage of its own, and each leaves what it has shown in a file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from tests.chaos.target import Target
from tests.e2e.recorder import Recorded, Recorder

# Seconds to wait for the other groups, which begin earlier or at the same time.
_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Shown:
    """`passed`: ids of tests."""

    passed: frozenset[str] = frozenset()
    calls: frozenset[Recorded] = frozenset()

    def __or__(self, other: Shown) -> Shown:
        return Shown(self.passed | other.passed, self.calls | other.calls)


@dataclass(frozen=True, slots=True)
class ShownHere:
    """By the tests of one worker on one stage."""

    stage: Target
    recorder: Recorder
    folder: Path
    passed: set[str] = field(default_factory=set)

    def now(self) -> Shown:
        with urlopen(f"{self.stage.config.bedrock_url}/_standin/calls", timeout=10) as reply:  # noqa: S310 - of the stage
            of_bedrock = [(agent, path) for agent, path in json.loads(reply.read())]
        return Shown(frozenset(self.passed), frozenset(self.recorder.seen(of_bedrock)))

    def leave(self, group: str) -> None:
        """For `gathered` in another worker."""
        shown = self.now()
        calls = [[call.function, call.action, call.resource] for call in shown.calls]
        unfinished = self.folder / f"{group} of {os.getpid()}"
        unfinished.write_text(json.dumps({"passed": sorted(shown.passed), "calls": calls}), encoding="utf-8")
        unfinished.rename(self.folder / group)


def gathered(folder: Path, groups: Iterable[str]) -> Shown:
    """What these groups have left.

    Raises TimeoutError for one that leaves nothing.
    """
    whole, deadline = Shown(), time.monotonic() + _PATIENCE
    for group in groups:
        while not (folder / group).exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"The tests that share {group} have not ended.")
            time.sleep(1)
        left = json.loads((folder / group).read_text(encoding="utf-8"))
        whole |= Shown(frozenset(left["passed"]), frozenset(Recorded(*call) for call in left["calls"]))
    return whole
