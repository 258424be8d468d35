"""Finds a JDK that is new enough."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from local.stage.settings import StageError

SYSTEM_FOLDERS = (Path("/usr/lib/jvm"), Path("/usr/java"), Path("/opt/java"), Path("/Library/Java/JavaVirtualMachines"))


def find_java(least: int, environment: Mapping[str, str], folders: Iterable[Path] = SYSTEM_FOLDERS) -> Path:
    """The home of the first JDK of version `least` or newer: as set, on the path, in the system's folders."""
    for home in _candidates(environment, folders):
        if version_of(home) >= least:
            return home
    raise StageError(
        f"OpenSearch needs a JDK {least} or newer and none was found: install one (openjdk-{least}-jdk, or Temurin), "
        "or set OPENSEARCH_JAVA_HOME to its folder."
    )


def version_of(home: Path) -> int:
    """The major version of the Java installed there, or 0 if there is none."""
    java = home / "bin" / "java"
    if not java.is_file():
        return 0
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(found[1]) if found else 0


def _candidates(environment: Mapping[str, str], folders: Iterable[Path]) -> Iterator[Path]:
    for name in ("OPENSEARCH_JAVA_HOME", "JAVA_HOME"):
        if home := environment.get(name):
            yield Path(home)
    if on_path := shutil.which("java", path=environment.get("PATH")):
        yield Path(on_path).resolve().parent.parent
    for folder in folders:
        for installed in sorted(folder.glob("*"), reverse=True):
            yield installed
            yield installed / "Contents" / "Home"  # macOS
