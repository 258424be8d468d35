"""Asks the question that shows that everything works together."""

from __future__ import annotations

import subprocess
import sys

from local.stage.settings import ROOT, StageError

QUESTION = "Who tells Macbeth that the queen is dead?"


def ask_first_question() -> None:
    """Prints the question and the answer as it streams, with the command that a user would type."""
    print(f"\n$ cicada ask {QUESTION!r}\n", flush=True)
    command = [sys.executable, "-m", "clients.command", "ask", QUESTION]
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode:
        raise StageError("The first question was not answered; the logs are in .stage/logs.")
    print(flush=True)
