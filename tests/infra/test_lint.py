"""The templates against CloudFormation's own schema."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.infra.conftest import template_of


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_cfn_lint_finds_nothing(stage: str, tmp_path: Path) -> None:
    template = tmp_path / f"{stage}.json"
    template.write_text(json.dumps(template_of(stage).to_json()), "utf-8")
    # W3005: the CDK writes dependencies that CloudFormation would find by itself.
    command = [str(Path(sys.executable).with_name("cfn-lint")), "-i", "W3005", "--", str(template)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
