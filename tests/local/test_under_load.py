"""The busy loops that the tests can be run beside. They hold their starter's standard output open while they run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from tests.under_load import LOOPS


@contextmanager
def under_load(*command: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """The starter, its input and its output."""
    arguments = [sys.executable, "-m", "tests.under_load", *command]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdin
        assert starter.stdout
        assert starter.stdout.readline().count(",") == LOOPS - 1
        yield starter, starter.stdin, starter.stdout


@pytest.mark.parametrize("status", [0, 3])
def test_the_loops_end_with_the_command_whose_exit_status_is_told(status: int) -> None:
    with under_load(sys.executable, "-c", f"print('run'); raise SystemExit({status})") as (starter, _, output):
        assert output.read() == "run\n"
    assert starter.returncode == status


def test_the_loops_end_with_a_starter_that_is_killed() -> None:
    with under_load("cat") as (starter, input, output):
        starter.kill()
        input.close()
        assert output.read() == ""
