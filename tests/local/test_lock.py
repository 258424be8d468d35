from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from local.stage.lock import stop
from tests.patience import PATIENCE_SECONDS

# Takes the lock, and says only a moment later who it is.
HOLDER = """
import fcntl, os, sys, time
file = open(sys.argv[1], "a+")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(0.3)
file.write(str(os.getpid()))
file.flush()
time.sleep(600)
"""


def test_a_stage_that_has_just_taken_the_lock_can_be_stopped(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path / "lock")], stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        assert stop(tmp_path) == "The local stage has been stopped."
        assert holder.wait(PATIENCE_SECONDS) == -signal.SIGTERM


def test_without_a_holder_there_is_nothing_to_stop(tmp_path: Path) -> None:
    assert stop(tmp_path) == "The local stage is not running."
    (tmp_path / "lock").write_text("1")
    assert stop(tmp_path) == "The local stage is not running."
