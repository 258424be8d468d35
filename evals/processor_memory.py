"""What memory the processor of messages needs: `python -m evals.processor_memory`.

Lambda gives a function CPU in proportion to its memory: one vCPU at 1,769 MB
(https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). This measures the CPU time of the function's
import in a fresh interpreter, of an answer up to its first token, and of the whole answer (plan, search in a small
base, prompt, 300 tokens, each event stored and posted through the real SDK), with scripted services. For each memory
follow the seconds that this CPU time takes there and the price of 1,000 answers, which mostly wait for the model.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from evals.cold_start import ROOT
from evals.delivery_bench.cost import FIRST_TOKEN_SECONDS, PRICES, TOKENS_PER_SECOND, TURN_TOKENS
from evals.delivery_bench.overhead import overhead
from evals.delivery_bench.pipeline import PacedModel, Pipeline, tokens

MEMORIES_MB = (512, 1024, 1769, 3008)
MB_OF_A_VCPU = 1769
_IMPORT = "import sys; sys.path[:0] = sys.argv[1:]; import handler"


@dataclass(frozen=True, slots=True)
class Work:
    """CPU seconds, medians."""

    cold_import: float
    first_token: float
    answer: float


@dataclass(frozen=True, slots=True)
class At:
    """`answer_seconds`: the model's own time and the CPU work of the answer; `dollars` are those of 1,000 answers."""

    memory_mb: float
    import_seconds: float
    first_token_seconds: float
    answer_seconds: float
    dollars: float


def work(runs: int) -> Work:
    return Work(
        statistics.median(_import_seconds() for _ in range(runs)),
        overhead(runs).first_token_cpu_ms / 1000,
        statistics.median(_answer_seconds() for _ in range(runs)),
    )


def at(memory_mb: float, done: Work, dollars_a_gb_second: float) -> At:
    """While the model streams, the function works: what it takes beyond the model's time is before the first token."""
    slower = max(1.0, MB_OF_A_VCPU / memory_mb)
    waiting = FIRST_TOKEN_SECONDS + TURN_TOKENS / TOKENS_PER_SECOND
    seconds = waiting + done.first_token * slower
    return At(
        memory_mb,
        done.cold_import * slower,
        done.first_token * slower,
        seconds,
        1000 * seconds * memory_mb / 1024 * dollars_a_gb_second,
    )


def _import_seconds() -> float:
    """CPU time of the import as Lambda runs it: no site, no environment, compiled byte-code."""
    paths = (ROOT / "functions/message_processor", ROOT / "layers/shared/python", sysconfig.get_paths()["purelib"])
    before = _children()
    subprocess.run([sys.executable, "-S", "-E", "-P", "-c", _IMPORT, *map(str, paths)], env={}, check=True)
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _answer_seconds() -> float:
    pipeline = Pipeline(PacedModel(tokens(TURN_TOKENS), TOKENS_PER_SECOND, FIRST_TOKEN_SECONDS))
    pipeline.connect()
    key = pipeline.accept()
    began, metered = time.process_time(), pipeline.aws.meter_cpu_seconds
    pipeline.process(key)
    return time.process_time() - began - (pipeline.aws.meter_cpu_seconds - metered)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="CPU time of an answer, and what it takes at each memory.")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    done = work(options.runs)
    price = json.loads(PRICES.read_text("utf-8"))["dollars"]["lambda_gb_second"]
    found = [at(memory, done, price) for memory in MEMORIES_MB]
    if options.json:
        print(json.dumps({"cpu_seconds": asdict(done), "at": [asdict(each) for each in found]}, indent=2))
        return 0
    print(f"CPU seconds: import {done.cold_import:.3f}, first token {done.first_token:.3f}, answer {done.answer:.3f}")
    for each in found:
        print("   ".join(f"{name} {value:.3f}" for name, value in asdict(each).items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
