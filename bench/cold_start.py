"""Cold start: a function's import time compared with that of boto3 with three clients.

`python -m bench.cold_start [FUNCTION …]` prints medians over fresh interpreters. The variants alternate, so that load
on the machine slows all of them alike. The imports run as Lambda runs them: no site, no environment, compiled
byte-code.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 7
# Credentials are given, as Lambda gives them: without any, the SDK would look for them on the network.
_BASELINE = """
import boto3
for service in ("dynamodb", "bedrock-runtime", "sqs"):
    boto3.client(service, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
"""
_TIMED = """
import sys, time
sys.path[:0] = sys.argv[2:]
start = time.perf_counter()
exec(sys.argv[1])
print(time.perf_counter() - start)
"""


def import_milliseconds(code: str, folder: Path) -> float:
    """Milliseconds that `code` takes in a fresh interpreter with `folder`, the library and the packages on its path."""
    paths = [folder, ROOT / "layers/shared/python", Path(sysconfig.get_paths()["purelib"])]
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-P", "-c", _TIMED, code, *map(str, paths)],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout) * 1000


def medians(codes: Mapping[str, tuple[str, Path]], runs: int = RUNS) -> dict[str, float]:
    """Median milliseconds by name; one run before them fills the caches and is not counted."""
    rounds = [
        {name: import_milliseconds(code, folder) for name, (code, folder) in codes.items()} for _ in range(runs + 1)
    ]
    return {name: statistics.median(each[name] for each in rounds[1:]) for name in codes}


def main(functions: list[str]) -> None:
    """Print the table."""
    chosen = functions or sorted(folder.parent.name for folder in (ROOT / "functions").glob("*/handler.py"))
    baseline = "boto3 and three clients"
    codes = {baseline: (_BASELINE, ROOT)} | {name: ("import handler", ROOT / "functions" / name) for name in chosen}
    found = medians(codes)
    print(f"{'import':<26}{'ms':>6}{'× boto3':>10}")
    for name, milliseconds in found.items():
        print(f"{name:<26}{milliseconds:>6.0f}{milliseconds / found[baseline]:>10.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
