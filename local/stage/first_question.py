"""Asks a first question, which shows that the whole stage works."""

from __future__ import annotations

import subprocess
import sys

from local.stage.settings import ROOT, StageConfig, StageError, process_environment

QUESTION = "Who tells Macbeth that the queen is dead?"


def ask_first_question(config: StageConfig) -> None:
    """Print the question and the streamed answer, with the command that a user would type."""
    print(f"\n$ cicada ask {QUESTION!r}\n", flush=True)
    command = [sys.executable, "-m", "cli", "ask", QUESTION]
    environment = process_environment() | {"CICADA_STAGE_FILE": str(config.info_file)}
    if subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False).returncode:
        url = config.model_url
        hint = f" Does {url} answer, and is CICADA_LLM_MODEL one of its models?" if url else ""
        raise StageError(f"The first question was not answered; the logs are in {config.folder / 'logs'}.{hint}")
    print(flush=True)
