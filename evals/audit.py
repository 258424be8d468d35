"""`make audit`: known vulnerabilities of what is installed and deployed, as PyPI and the registry of npm tell them.

A registry that does not answer is said so, and is no clean result: exit status 0 if everything was looked up and
nothing is known, 1 if something is, 2 if something was not looked up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
# What is installed here with what the layers have, and what runs the emulator.
_LOCKS = (
    "requirements.lock",
    "layers/dependencies/requirements.txt",
    "layers/dependencies/requirements-ingest.txt",
    "layers/dependencies/requirements-embedded.txt",
    "local/emulator-requirements.txt",
)
_CLEAN, _VULNERABLE, _NOT_LOOKED_UP = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Found:
    """`known`: a line for each vulnerability. `missing`: why not all was looked up, empty if it was."""

    what: str
    packages: int = 0
    known: tuple[str, ...] = ()
    missing: str = ""

    @property
    def lines(self) -> list[str]:
        if self.missing:
            return [f"{self.what}: NOT AUDITED. {self.missing}", *self.known]
        if not self.known:
            return [f"{self.what}: {self.packages} packages, no known vulnerability."]
        return [f"{self.what}: {self.packages} packages, {len(self.known)} known vulnerabilities:", *self.known]


def main() -> int:
    found = [*(_of_pypi(lock) for lock in _LOCKS), _of_npm()]
    for each in found:
        print("\n  ".join(each.lines), flush=True)
    return status(found)


def status(found: Sequence[Found]) -> int:
    if any(each.known for each in found):
        return _VULNERABLE
    return _NOT_LOOKED_UP if any(each.missing for each in found) else _CLEAN


def _of_pypi(lock: str) -> Found:
    """By the hashes of the lock file, so that nothing is installed or resolved."""
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--requirement", lock]
    done = _run([*command, "--format", "json", "--progress-spinner", "off"])
    return from_pip_audit(lock, done.stdout, done.stderr)


def _of_npm() -> Found:
    done = _run(["npm", "audit", "--json", "--fetch-retries=0"])
    return from_npm("package-lock.json", done.stdout)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)


def from_pip_audit(what: str, output: str, errors: str) -> Found:
    """It writes JSON only if all packages were looked up."""
    report = _parsed(output)
    if "dependencies" not in report:
        return Found(what, missing=f"The database of vulnerabilities does not answer: {_last_line(errors)}")
    packages = report["dependencies"]
    skipped = [each for each in packages if "skip_reason" in each]
    missing = f"{len(skipped)} of {len(packages)} packages: {skipped[0]['skip_reason']}" if skipped else ""
    known = [
        f"{each['name']} {each['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no version'}"
        for each in packages
        for fault in each.get("vulns", ())
    ]
    return Found(what, len(packages), tuple(known), missing)


def from_npm(what: str, output: str) -> Found:
    """Without an answer its JSON is about the error."""
    report = _parsed(output)
    if "vulnerabilities" not in report:
        said = report.get("message") or report.get("error", {}).get("summary") or "it says nothing"
        return Found(what, missing=f"The registry does not answer: {said}")
    known = [f"{name}: {each['severity']}, {each['range']}" for name, each in report["vulnerabilities"].items()]
    return Found(what, report["metadata"]["dependencies"]["total"], tuple(known))


def _parsed(output: str) -> dict[str, Any]:
    try:
        report = json.loads(output)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def _last_line(errors: str) -> str:
    return next((line.strip() for line in reversed(errors.splitlines()) if line.strip()), "it says nothing")


if __name__ == "__main__":
    sys.exit(main())
