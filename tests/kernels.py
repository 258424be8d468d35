"""`python -m tests.kernels`: the tests that compute with numpy, once with each kind of kernel that OpenBLAS has for
common processors.

Kernels add in different orders, so that the same product has other last digits on another processor. What this
processor cannot run is left out, and said: SkylakeX needs AVX-512, and none of them runs on Arm.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from local.stage.settings import inherited

# The kind of kernel, as OPENBLAS_CORETYPE names it, and the level of x86-64 that it needs, as numpy names it.
KERNELS = {"Haswell": "X86_V3", "Zen": "X86_V3", "SkylakeX": "X86_V4"}
TESTS = (
    "tests/local/bedrock",
    "tests/unit/retrieval",
    "tests/unit/adapters/test_sqlite_kept.py",
    "tests/unit/adapters/test_sqlite_lexical.py",
    "tests/contract/test_passage_index.py",
    "tests/contract/test_sqlite_passage_index.py",
    "tests/evals/test_retrieval_evaluation.py",
    "tests/cli/test_eval_retrieval.py",
)


def runnable() -> list[str]:
    """The kinds of kernels that this processor has the instructions for."""
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    levels = {*extensions["baseline"], *extensions["found"]}
    return [kernel for kernel, level in KERNELS.items() if level in levels]


def run(kernel: str) -> bool:
    """Whether the tests pass with these kernels."""
    sys.stdout.write(f"== {kernel}\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-q", "-k", "not opensearch", *TESTS]
    environment = inherited() | {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, check=False).returncode == 0


def main() -> int:
    """0 if they pass with all kernels that can be run here, 1 if not or if there are none."""
    kernels = runnable()
    for kernel in (each for each in KERNELS if each not in kernels):
        sys.stdout.write(f"{kernel} is left out: this processor lacks {KERNELS[kernel]}.\n")
    passed = [kernel for kernel in kernels if run(kernel)]
    sys.stdout.write(f"passed with {', '.join(passed) or 'none'} of {', '.join(kernels) or 'none'}\n")
    return 0 if kernels and passed == kernels else 1


if __name__ == "__main__":
    sys.exit(main())
