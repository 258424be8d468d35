"""`python -m local.stage run|stop`: the commands of `make run` and `make stop`."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from local.stage import settings
from local.stage.lock import held, stop
from local.stage.settings import ROOT, StageConfig, StageError, process_environment
from local.stage.stage import LocalStage

QUESTION = "Who tells Macbeth that the queen is dead?"


def main(arguments: list[str]) -> int:
    """Exit status 0 after an orderly end, 1 with a sentence on standard error otherwise."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        config = settings.load()
        if arguments == ["stop"]:
            print(stop(config.folder))
            return 0
        with held(config.folder):
            return _run(config)
    except StageError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1


def _run(config: StageConfig) -> int:
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"[{time.monotonic() - began:5.1f} s] {line}", flush=True)

    try:
        with LocalStage(config, say) as stage:
            say("Asking a first question …")
            _ask_first_question(config)
            say("Ready.")
            _print_addresses(stage)
            _wait(stage)
            print(flush=True)
    except KeyboardInterrupt:
        print("\nStopped.", flush=True)
        return 0
    print("Stopped. Nothing is left running.", flush=True)
    return 0


def _ask_first_question(config: StageConfig) -> None:
    """Print a question and its streamed answer, with the command that a user would type: the whole stage works."""
    print(f"\n$ cicada ask {QUESTION!r}\n", flush=True)
    command = [sys.executable, "-m", "cli", "ask", QUESTION]
    environment = process_environment() | {"CICADA_STAGE_FILE": str(config.info_file)}
    if subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False).returncode:
        url = config.model_url
        hint = f" Does {url} answer, and is CICADA_LLM_MODEL one of its models?" if url else ""
        raise StageError(f"The first question was not answered; the logs are in {config.folder / 'logs'}.{hint}")
    print(flush=True)


def _print_addresses(stage: LocalStage) -> None:
    info = stage.info
    user = info["users"][0]
    print(f"\n  chat page   {info['pageUrl']}   (sign in as {user['name']} / {user['password']})")
    print(f"  WebSocket   {info['websocketUrl']}?token=$(.venv/bin/cicada token {user['name']})")
    print("  terminal    .venv/bin/cicada chat")
    print(f"  logs        {info['logs']}\n\nCtrl-C stops everything.", flush=True)


def _wait(stage: LocalStage) -> None:
    """Wait until Ctrl-C, or until a process of the stage ends by itself."""
    try:
        while True:
            for process in stage.processes:
                if process.guard.poll() is not None:
                    raise StageError(f"The {process.name} has ended unexpectedly; its log is {process.log}.")
            time.sleep(0.5)
    except KeyboardInterrupt:
        return


def _interrupt(*_: object) -> None:
    """`make stop` and a closed terminal end the stage as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, _interrupt)
    sys.exit(main(sys.argv[1:]))
