"""The templates against CloudFormation's own schema."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.infra.conftest import template_of
from tests.infra.test_preflight import DEV, EVERYTHING


def found_by_cfn_lint(template: Path) -> tuple[int, str]:
    # W3005: the CDK writes dependencies that CloudFormation would find by itself.
    command = [str(Path(sys.executable).with_name("cfn-lint")), "-i", "W3005", "--", str(template)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.returncode, found.stdout


@pytest.mark.parametrize("context", [DEV, EVERYTHING])
def test_cfn_lint_finds_nothing(context: dict[str, str], tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text(json.dumps(template_of(**context)), "utf-8")
    assert found_by_cfn_lint(template) == (0, "")
