"""Builds the layers' content with uv, for this machine or for Lambda on arm64.

Byte-code is unchecked-hash: Lambda sets all file times alike, so timestamp-checked byte-code would be discarded at
every cold start. It must be compiled by the version of Python that runs it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LAYERS = ROOT / "layers"
LOCKS = _LAYERS / "dependencies"
# The packages of each layer. AWS stages have the first two; the embedded index is the local stage's.
BASE, DOCUMENTS, EMBEDDED = "requirements.txt", "requirements-ingest.txt", "requirements-embedded.txt"
DEPLOYED = (BASE, DOCUMENTS)
_RUNTIME = "3.13"
# The local stage's packages, installed once for all of its processes.
LOCAL_PACKAGES = ROOT / ".build" / "layers"


@dataclass(frozen=True, slots=True)
class LayerBuild:
    """`platform`: uv's name of the target, None for this machine. `compiler`: a Python of the target's version.

    `installed_in`: the folder of packages that the layer only refers to; None for layers that contain them.
    """

    python_version: str
    platform: str | None
    compiler: str | None
    installed_in: Path | None = None

    @classmethod
    def local(cls) -> LayerBuild:
        """The emulator unpacks every layer for each process that it starts, so its layers only refer to packages."""
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(version, None, sys.executable, LOCAL_PACKAGES)

    @classmethod
    def aws(cls) -> LayerBuild:
        return cls(_RUNTIME, "aarch64-manylinux2014", _find_python(_RUNTIME))

    def source_hash(self, name: str) -> str:
        return self._hash(_source_files(name))

    def packages_hash(self, lock: str) -> str:
        return self._hash([LOCKS / lock])

    def source(self, name: str, target: Path) -> None:
        """Copies a package of this project: `shared` or `embedded`."""
        for source in _source_files(name):
            copy = target / source.relative_to(_LAYERS / name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
        self._compile(target / "python")

    def packages(self, lock: str, target: Path) -> None:
        """Puts the locked packages, or a reference to them, into the layer."""
        if self.installed_in is None:
            self._install(lock, target / "python")
        else:
            self._refer(self._installed(lock, self.installed_in), target)

    def _installed(self, lock: str, parent: Path) -> Path:
        """The folder that has the packages.

        It is installed under a temporary name and renamed, so it is always complete.
        """
        folder = parent / self.packages_hash(lock)
        if not folder.exists():
            parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=parent) as beside:
                self._install(lock, Path(beside) / "python")
                # Another process may have been quicker.
                with suppress(OSError):
                    (Path(beside) / "python").rename(folder)
        return folder

    def _refer(self, folder: Path, target: Path) -> None:
        """A path file (`.pth`) that puts the folder where a layer's packages would be, before the interpreter's own.

        https://docs.aws.amazon.com/lambda/latest/dg/packaging-layers.html names the folder of path files.
        """
        site = target / "python" / "lib" / f"python{self.python_version}" / "site-packages"
        site.mkdir(parents=True)
        (site / "packages.pth").write_text(f"import sys; sys.path.insert(0, {str(folder)!r})\n", "utf-8")

    def _install(self, lock: str, folder: Path) -> None:
        """Wheels only, since a source package would be built for this machine."""
        command = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--requirements", str(LOCKS / lock)]
        command += ["--target", str(folder), "--python-version", self.python_version]
        if self.platform:
            command += ["--python-platform", self.platform]
        subprocess.run(command, check=True)
        for tests in [path for path in folder.rglob("tests") if path.is_dir()]:
            shutil.rmtree(tests, ignore_errors=True)
        self._compile(folder)

    def _compile(self, folder: Path) -> None:
        if self.compiler:
            # Isolated (-I): variables such as PYTHONPYCACHEPREFIX would put the byte-code elsewhere.
            command = [
                self.compiler,
                "-I",
                "-m",
                "compileall",
                "-q",
                "--invalidation-mode",
                "unchecked-hash",
                str(folder),
            ]
            subprocess.run(command, check=True)

    def _hash(self, files: list[Path]) -> str:
        digest = hashlib.sha256(
            f"{self.python_version} {self.platform} {bool(self.compiler)} {self.installed_in}".encode()
        )
        for file in files:
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()


def _source_files(name: str) -> list[Path]:
    found = (path for path in (_LAYERS / name).rglob("*") if path.is_file())
    return sorted(path for path in found if "__pycache__" not in path.parts)


@cache
def _find_python(version: str) -> str | None:
    """The first Python of this version that runs; a shim of a version manager may exist and not run."""
    for candidate in _pythons(version):
        command = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        try:
            found = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:
            continue
        if found.returncode == 0 and found.stdout.strip() == version:
            return candidate
    return None


def _pythons(version: str) -> Iterator[str]:
    yield sys.executable
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield on_path
    for manager in (".pyenv/versions", ".local/share/uv/python"):
        for folder in sorted((Path.home() / manager).glob(f"*{version}*")):
            yield str(folder / "bin" / f"python{version}")
