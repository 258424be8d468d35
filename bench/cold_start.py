"""Cold start: a function's import time compared with that of boto3 with three clients.

`python -m bench.cold_start [FUNCTION …] [--also MODULE …]` prints medians over fresh interpreters. A module named after
`--also` is imported after each function, on a line of its own: its price beside what the function loads already. The
variants alternate, so that load on the machine slows all of them alike. The imports run as Lambda runs them: no site,
no environment, compiled byte-code.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
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


def variants(functions: Sequence[str], modules: Sequence[str]) -> Iterator[tuple[str, tuple[str, Path]]]:
    """The name, the code and the folder of each line: every function alone, and with each module after it."""
    for function in functions:
        folder = ROOT / "functions" / function
        yield function, ("import handler", folder)
        for module in modules:
            yield f"{function} + {module.rpartition('.')[2]}", (f"import handler, {module}", folder)


def main(functions: Sequence[str], modules: Sequence[str], runs: int) -> None:
    """Print the table."""
    chosen = functions or sorted(folder.parent.name for folder in (ROOT / "functions").glob("*/handler.py"))
    baseline = "boto3 and three clients"
    found = medians({baseline: (_BASELINE, ROOT)} | dict(variants(chosen, modules)), runs)
    width = max(map(len, found)) + 1
    print(f"{'import':<{width}}{'ms':>6}{'× boto3':>10}")
    for name, milliseconds in found.items():
        print(f"{name:<{width}}{milliseconds:>6.0f}{milliseconds / found[baseline]:>10.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compares the imports of functions with that of boto3.")
    parser.add_argument("functions", nargs="*", metavar="FUNCTION")
    parser.add_argument("--also", nargs="+", default=[], metavar="MODULE", help="import it after each function")
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    main(given.functions, given.also, given.runs)
