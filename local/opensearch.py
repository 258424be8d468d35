"""A real OpenSearch on this machine, without Docker: fetched from Maven Central, unpacked and started.

`prepare` does the slow steps once; `start` starts a server and waits until it answers. A server that runs already, from
the Docker image for instance, needs neither, only its URL.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import secrets
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from local import unprivileged
from local.java import find_java
from local.stage import processes
from local.stage.private_file import write_private
from local.stage.settings import StageError, inherited

VERSION = "3.6.0"
LEAST_JAVA = 21
HEAP = "512m"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Artifact:
    coordinates: str
    file: str
    sha256: str


_SERVER = _Artifact(
    f"org.opensearch.distribution.integ-test-zip:opensearch:{VERSION}:zip",
    f"opensearch-{VERSION}.zip",
    "a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286",
)
_KNN = _Artifact(
    f"org.opensearch.plugin:opensearch-knn:{VERSION}.0:zip",
    f"opensearch-knn-{VERSION}.0.zip",
    "ac392ca28a39b3bf290648a422ef30cb149dda2963a9d7feb26060e932341c9a",
)


@dataclass(frozen=True, slots=True)
class Distribution:
    """OpenSearch unpacked with its k-NN plugin, and the Java that runs it."""

    home: Path
    java_home: Path


def prepare(build_dir: Path, say: Say = print) -> Distribution:
    """Fetch and unpack the distribution below `build_dir` unless it is there. `StageError` says what is missing.

    As root the server runs as another user: if that user cannot reach `build_dir`, the distribution is unpacked in the
    system's temporary folder.
    """
    java_home = find_java(LEAST_JAVA, inherited())
    build_dir = build_dir.absolute()
    build_dir.mkdir(parents=True, exist_ok=True)
    # Several processes may need it at the same time; the first one fetches it.
    with (build_dir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        home = unprivileged.reachable(build_dir, unprivileged.account()) / f"opensearch-{VERSION}"
        if not home.exists():
            server, plugin = (_fetched(artifact, build_dir, say) for artifact in (_SERVER, _KNN))
            say(f"Unpacking OpenSearch {VERSION} into {home.parent}")
            _unpack(server, plugin, home, java_home)
    return Distribution(home, java_home)


def start(
    distribution: Distribution, data_dir: Path, port: int, log_file: Path, say: Say = print, *, java_options: str = ""
) -> processes.Running:
    """A server on this machine alone, which answers at its `url`.

    Its data is in `data_dir`, or (as root) in a folder that its user can write.
    """
    user = unprivileged.account()
    data_dir = data_dir.absolute()
    data_dir.mkdir(parents=True, exist_ok=True)
    host = loopback_address(data_dir)
    processes.require_free(port, "OPENSEARCH_PORT", host)
    folder = unprivileged.reachable(data_dir, user)
    own = configured(distribution.home, distribution.java_home, folder, host, port, java_options)
    environment = {**inherited(), **own}
    unprivileged.give(folder, user)
    say(f"Starting OpenSearch {VERSION} on port {port}")
    command = [*unprivileged.command_prefix(user), str(distribution.home / "bin" / "opensearch")]
    url = f"http://{host}:{port}"
    running = processes.start("OpenSearch", command, environment, log_file, url)
    with ExitStack() as if_not_ready:
        if_not_ready.callback(running.stop)
        ready = processes.answers(f"{url}/_cluster/health?wait_for_status=yellow&timeout=1s")
        processes.wait_until(ready, running)
        if_not_ready.pop_all()
    say(f"OpenSearch answers at {url}")
    return running


def loopback_address(data_dir: Path) -> str:
    """A loopback address that no web page can guess, the same at each start: the server does not look at `Host`.

    A page of a name that is pointed at this machine (DNS rebinding) would have to try 16 million. Only Linux has more
    loopback addresses than one.
    """
    if sys.platform != "linux":
        return "127.0.0.1"
    file = data_dir / "address"
    if not file.exists():
        write_private(file, ".".join(["127", *(str(1 + secrets.randbelow(254)) for _ in range(3))]))
    return file.read_text("utf-8")


def configured(home: Path, java_home: Path, folder: Path, host: str, port: int, java_options: str) -> dict[str, str]:
    """Configure one node on a loopback address, which writes to `folder` only; returns the server's environment.

    The configuration starts from a copy of the distribution's, because the server writes its key store beside it.
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


def _fetched(artifact: _Artifact, build_dir: Path, say: Say) -> Path:
    archive = build_dir / artifact.file
    if not archive.exists():
        say(f"Fetching {artifact.file} from Maven Central")
        _fetch(artifact, build_dir)
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != artifact.sha256:
        archive.unlink()
        raise StageError(f"{archive} was damaged or is not the file expected. It has been deleted; start again.")
    return archive


def _fetch(artifact: _Artifact, build_dir: Path) -> None:
    if shutil.which("mvn") is None:
        raise StageError(
            "OpenSearch is fetched by Maven, which is not there: install it (package `maven`), or set "
            "CICADA_OPENSEARCH_URL to an OpenSearch that runs."
        )
    done = subprocess.run(
        ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact.coordinates}", f"-DoutputDirectory={build_dir}"],
        cwd=build_dir,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = next((line for line in done.stdout.splitlines() if "ERROR" in line), f"exit status {done.returncode}")
        raise StageError(f"Maven could not fetch {artifact.file}; check the network and start again. It said: {said}")


def _unpack(server: Path, plugin: Path, home: Path, java_home: Path) -> None:
    """Unpack under a temporary name and rename at the end, so that the folder is always complete."""
    beside = home.with_name(f"{home.name}.unpacking")
    shutil.rmtree(beside, ignore_errors=True)
    with zipfile.ZipFile(server) as archive:
        archive.extractall(beside)
        for entry in archive.infolist():
            if entry.external_attr >> 16 & stat.S_IXUSR:
                (beside / entry.filename).chmod(0o755)
    unpacked = next(beside.iterdir())
    _install(unpacked, plugin, java_home)
    _open_to_all(unpacked)
    unpacked.rename(home)
    beside.rmdir()


def _install(home: Path, plugin: Path, java_home: Path) -> None:
    done = subprocess.run(
        [home / "bin" / "opensearch-plugin", "install", "--batch", plugin.as_uri()],
        env={**inherited(), "OPENSEARCH_JAVA_HOME": str(java_home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise StageError(f"OpenSearch's k-NN plugin could not be installed: {done.stderr.strip()[-300:]}")


def _open_to_all(home: Path) -> None:
    """Make it readable for the server's user, whatever the umask."""
    for path in (home, *home.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o055 if mode & stat.S_IXUSR else 0o044))
