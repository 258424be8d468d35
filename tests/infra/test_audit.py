"""`make audit` looks at every lock file, and does not take silence for a clean result."""

from __future__ import annotations

import subprocess

import pytest

from local.stage.settings import ROOT, inherited


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`make audit` without what installs packages; the registries are behind a proxy that is not there."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    command = ["make", "audit", "--assume-old=setup", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=inherited() | nowhere, capture_output=True, text=True, check=False, timeout=300
    )


def test_every_lock_file_is_audited() -> None:
    locks = {
        "requirements.lock",
        "package-lock.json",
        *_tracked("layers/dependencies/*.txt", "local/emulator-requirements.txt"),
    }
    looked_at = made("AUDIT=true", "NPM=true").stdout
    assert {line.removeprefix("== ") for line in looked_at.splitlines() if line.startswith("== ")} == locks


@pytest.mark.parametrize(
    "arguments", [["AUDITED=layers/dependencies/requirements-ingest.txt", "NPM=true"], ["AUDITED="]]
)
def test_an_audit_without_a_network_fails(arguments: list[str]) -> None:
    """The audit fails for the packages of Python alone, and for those of npm alone."""
    assert made(*arguments).returncode != 0
    assert made("AUDIT=true", "NPM=true").returncode == 0


def _tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", *patterns]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
