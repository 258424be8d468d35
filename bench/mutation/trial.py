"""Tests run in a child process, forked from one that has imported pytest and libraries but none of our modules.

A mutant is imported from memory: no file is changed, so an interrupted run leaves nothing behind.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import TypeVar

import coverage
import hypothesis
import pytest

T = TypeVar("T")
FORK = get_context("fork")
_ARGUMENTS = ("-q", "-x", "--no-header", "--tb=short", "-W", "ignore::pytest.PytestAssertRewriteWarning")


def in_child(work: Callable[[], T], seconds: float, log: Path = Path(os.devnull)) -> T | None:
    """The result of `work` in a child process; None if the child dies.

    Raises `TimeoutError`; ends the child's processes.
    """
    here, there = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_answer, args=(there, work, log))
    child.start()
    there.close()
    try:
        if not here.poll(seconds):
            raise TimeoutError
        result: T = here.recv()
        return result
    except EOFError:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid or 0, signal.SIGKILL)
        child.join()


def _answer(there: Connection, work: Callable[[], T], log: Path) -> None:
    os.setsid()
    with log.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        answer = work()
        sys.stdout.flush()
    there.send(answer)


@dataclass(frozen=True, slots=True)
class Tests:
    """Files in the order to run them, and pytest's `-k`."""

    files: tuple[str, ...]
    keyword: str = ""

    def run(self, seconds: float, *plugins: object) -> bool:
        """Whether all of them pass, each within these seconds; stops at the first failure."""
        arguments = [*_ARGUMENTS, f"--timeout={seconds}", "-k", self.keyword, *self.files]
        return pytest.main(arguments, plugins=[_AnyFailure(), *plugins]) == pytest.ExitCode.OK

    def pass_with(self, path: Path, source: str, seconds: float) -> bool:
        """Whether they pass with this source instead of the file's."""
        sys.meta_path.insert(0, _InMemory(path, source))
        return self.run(seconds)


class _AnyFailure:
    """Hypothesis need not look for the smallest example."""

    def pytest_collection(self) -> None:
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        hypothesis.settings.register_profile("mutation", hypothesis.settings(), phases=phases)
        hypothesis.settings.load_profile("mutation")


class _InMemory(SourceFileLoader):
    """Finds and loads one module."""

    def __init__(self, path: Path, source: str) -> None:
        roots = [Path(root) for root in sys.path if root and path.is_relative_to(root)]
        relative = path.relative_to(max(roots, key=lambda root: len(root.parts)))
        super().__init__(".".join(relative.with_suffix("").parts), str(path))
        self.source = source
        if self.name in sys.modules:
            raise RuntimeError(f"{self.name} was imported before its mutant.")

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None

    def get_code(self, _: str) -> CodeType:
        return self.source_to_code(self.source.encode(), self.path)


@dataclass(frozen=True, slots=True)
class Reach:
    """`files[source][line]`: the test files that run the line; "" stands for the imports. `seconds`: of each file.

    `longest_seconds`: of the slowest test.
    """

    files: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]
    longest_seconds: float


@dataclass(eq=False)  # pytest keeps its plugins in a set.
class _Recorder:
    measured: coverage.Coverage
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    longest_seconds: float = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.measured.switch_context(item.nodeid.partition("::")[0])
        result = yield
        self.measured.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration
        self.longest_seconds = max(self.longest_seconds, report.duration)


def reach_of(tests: Tests, root: Path, sources: Sequence[str], seconds: float) -> Reach | None:
    """The source lines that each test file runs; None if not all tests pass within these seconds."""
    measured = coverage.Coverage(data_file=None, config_file=False, include=[str(root / each) for each in sources])
    measured.set_option("run:core", "ctrace")  # The other core (sysmon) records only the first test that runs a line.
    recorder = _Recorder(measured)
    with measured.collect():
        passed = tests.run(seconds, recorder)
    data = measured.get_data()
    files = {each: data.contexts_by_lineno(str(root / each)) for each in sources}
    return Reach(files, dict(recorder.seconds), recorder.longest_seconds) if passed else None
