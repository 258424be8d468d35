"""Runs one area: its tests without a mutant, then with each mutant of a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random

from bench.mutation.areas import Area
from bench.mutation.mutants import Mutant, mutants
from bench.mutation.trial import FORK, Reach, Tests, in_child, reach_of

BASELINE_SECONDS = 1800


class Outcome(StrEnum):
    """`TIMEOUT`: outside any test, in an import for instance; a test that hangs fails."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"


class BaselineFailed(Exception):
    """The tests do not pass without a mutant."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`tests` has no files if no test runs the mutated statement. `seconds`: time limits for each test, and for all."""

    path: Path
    source: str
    tests: Tests
    seconds: tuple[float, float]

    def outcome(self) -> Outcome:
        if not self.tests.files:
            return Outcome.SURVIVED
        each_seconds, total_seconds = self.seconds
        try:
            passed = in_child(partial(self.tests.pass_with, self.path, self.source, each_seconds), total_seconds)
        except TimeoutError:
            return Outcome.TIMEOUT
        return Outcome.SURVIVED if passed else Outcome.KILLED


def sampled(area: Area, root: Path, count: int | None, seed: int) -> list[Mutant]:
    """A sample of `count` mutants of the area, or all of them, in the order of the sources."""
    found = [each for source in area.sources for each in mutants(source, (root / source).read_text("utf-8"))]
    if count is None or count >= len(found):
        return found
    positions = Random(seed).sample(range(len(found)), count)  # noqa: S311
    return [found[position] for position in sorted(positions)]


def baseline(area: Area, root: Path, log: Path) -> Reach:
    """Raises `BaselineFailed` with the end of what pytest said, or if the tests import another copy of the sources."""
    tests = Tests(area.tests, area.keyword)
    found = in_child(partial(reach_of, tests, root, area.sources, BASELINE_SECONDS), BASELINE_SECONDS, log)
    if found is None:
        raise BaselineFailed(log.read_text("utf-8", "replace")[-3000:])
    if not any(found.files.values()):
        raise BaselineFailed(f"They import none of {', '.join(area.sources)} from {root}.")
    return found


def outcomes(
    area: Area, root: Path, reach: Reach, tried: Sequence[Mutant], jobs: int, patience_seconds: float
) -> Iterator[Outcome]:
    """Each mutant's outcome, in the order of the mutants."""
    with ProcessPoolExecutor(jobs, mp_context=FORK) as pool:
        yield from pool.map(Trial.outcome, [_trial(area, root, reach, each, patience_seconds) for each in tried])


def _trial(area: Area, root: Path, reach: Reach, mutant: Mutant, patience_seconds: float) -> Trial:
    """The reference times were measured with coverage, which slows the code down more than a parallel job does."""
    files = _files(area, reach, mutant)
    total = sum(reach.seconds.get(each, 0) for each in files)
    seconds = patience_seconds + 2 * reach.longest_seconds, 3 * patience_seconds + 2 * total
    return Trial(root / mutant.path, mutant.source(), Tests(files, area.keyword), seconds)


def _files(area: Area, reach: Reach, mutant: Mutant) -> tuple[str, ...]:
    """The test files that run the statement, quick ones first; all files for a statement that runs at import."""
    if area.shared_setup:
        return area.tests
    lines = reach.files[mutant.path]
    found = {file for line in mutant.lines for file in lines.get(line, ())}
    near = {file for files in lines.values() for file in files}
    chosen = area.tests if "" in found else [each for each in area.tests if each in found]
    return tuple(sorted(chosen, key=lambda file: (file not in near, reach.seconds.get(file, 0))))
