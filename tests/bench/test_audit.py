"""`make audit` tells a clean result from one that it could not get."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from evals.audit import Found, from_npm, from_pip_audit, status
from local.stage.settings import ROOT


def pip(*dependencies: dict[str, object]) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


FAULT = {"id": "PYSEC-2026-1", "fix_versions": ["1.1"], "aliases": [], "description": "It reads too much."}


def test_packages_without_a_known_vulnerability_are_clean() -> None:
    found = from_pip_audit("lock", pip({"name": "six", "version": "1.17.0", "vulns": []}), "")
    assert found.lines == ["lock: 1 packages, no known vulnerability."]
    assert status([found]) == 0


def test_a_known_vulnerability_is_named_with_the_version_that_mends_it() -> None:
    found = from_pip_audit("lock", pip({"name": "some", "version": "1.0", "vulns": [FAULT]}), "")
    assert found.known == ("some 1.0: PYSEC-2026-1, mended in 1.1",)
    assert status([found, Found("other", missing="It does not answer.")]) == 1


def test_a_package_that_was_not_looked_up_is_no_clean_result() -> None:
    output = pip({"name": "six", "skip_reason": "not found"}, {"name": "some", "version": "1.0", "vulns": [FAULT]})
    found = from_pip_audit("lock", output, "")
    assert found.lines == [
        "lock: NOT AUDITED. 1 of 2 packages: not found",
        "some 1.0: PYSEC-2026-1, mended in 1.1",
    ]
    assert status([from_pip_audit("lock", pip({"name": "six", "skip_reason": "not found"}), "")]) == 2


@pytest.mark.parametrize("output", ["", "[]", "no JSON", '{"message": "405 Method Not Allowed"}'])
def test_a_registry_that_does_not_answer_is_no_clean_result(output: str) -> None:
    for found in (from_pip_audit("lock", output, "ERROR: no connection\n"), from_npm("lock", output)):
        assert "NOT AUDITED" in found.lines[0]
        assert status([found]) == 2


def test_npms_report_is_read() -> None:
    fault = {"severity": "high", "range": "<2.0.0"}
    report = {"vulnerabilities": {"some": fault}, "metadata": {"dependencies": {"total": 2}}}
    assert from_npm("lock", json.dumps(report)).known == ("some: high, <2.0.0",)
    assert from_npm("lock", json.dumps(report | {"vulnerabilities": {}})) == Found("lock", 2)


def test_without_a_network_it_says_so() -> None:
    """The registries are behind a proxy that is not there."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    environment = {"PATH": os.defpath, "HOME": str(ROOT / ".build")} | nowhere
    code = "from evals import audit; audit._LOCKS = audit._LOCKS[2:3]; raise SystemExit(audit.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert [line.partition(" The ")[0] for line in done.stdout.splitlines()] == [
        "layers/dependencies/requirements-ingest.txt: NOT AUDITED.",
        "package-lock.json: NOT AUDITED.",
    ]
