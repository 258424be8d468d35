"""The configuration of a local OpenSearch: one node on a loopback address, which writes to its own folder only."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

HEAP = "512m"


def configured(home: Path, java_home: Path, folder: Path, host: str, port: int, java_options: str) -> dict[str, str]:
    """Write the configuration into `folder`; returns the environment in which the server finds it.

    It starts from a copy of the distribution's, because the server writes its key store beside it.
    """
    configuration = folder / "config"
    shutil.rmtree(configuration, ignore_errors=True)
    shutil.copytree(home / "config", configuration)
    _write_settings(configuration / "opensearch.yml", folder, host, port)
    _keep_to_folder(configuration / "jvm.options", folder)
    for name in ("data", "logs", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    return {
        "HOME": str(folder),
        "OPENSEARCH_JAVA_HOME": str(java_home),
        "OPENSEARCH_PATH_CONF": str(configuration),
        "OPENSEARCH_TMPDIR": str(folder / "tmp"),
        "OPENSEARCH_JAVA_OPTS": f"-Xms{HEAP} -Xmx{HEAP} {java_options}",
    }


def _write_settings(file: Path, folder: Path, host: str, port: int) -> None:
    settings = {
        "cluster.name": "cicada-local",
        "discovery.type": "single-node",
        "network.host": host,
        "http.port": port,
        "transport.port": 0,
        # It then refuses requests that have an origin, those of web pages, since none is allowed; else it takes them.
        "http.cors.enabled": True,
        "path.data": str(folder / "data"),
        "path.logs": str(folder / "logs"),
        # A misspelt name must be an error, not a new index with a guessed mapping.
        "action.auto_create_index": False,
        # Without this, the server turns read-only on a nearly full disk.
        "cluster.routing.allocation.disk.threshold_enabled": False,
    }
    # JSON values are YAML.
    file.write_text("".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items()), "utf-8")


def _keep_to_folder(options: Path, folder: Path) -> None:
    """Make the JVM write its files here: by default it uses the distribution, which the server's user cannot write."""
    lines = [line for line in options.read_text("utf-8").splitlines() if "logs/gc.log" not in line]
    text = "\n".join(lines).replace("HeapDumpPath=data", f"HeapDumpPath={folder / 'data'}")
    options.write_text(text.replace("ErrorFile=logs", f"ErrorFile={folder / 'logs'}") + "\n", "utf-8")
