"""The chat page's files as they are served: its modules in one, built by esbuild.

`index.html` and `config.json` are at the root, the others below a folder that is named after their content.
A changed file has another address, so browsers and CloudFront may keep the files for ever. Only `index.html` and
`config.json` are asked for again.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

_ROOT = Path(__file__).resolve().parents[1]
PAGE_FOLDER = _ROOT / "clients" / "web"
# The folder beside it with the JavaScript client, which the page imports.
_CLIENT = "javascript"
INDEX, CONFIG, ASSETS = "index.html", "config.json", "assets"
# What is built, each with all that it imports, but for what is loaded late and becomes a file beside it.
_BUILT = ("boot.js", "page.js", "style.css")
_MODULE = '<script type="module"'
_COPIED = (".svg", ".webmanifest")
ESBUILD = _ROOT / "node_modules" / ".bin" / "esbuild"
# Browsers of the last three years, as the page's other features need them.
_OPTIONS = (
    "--bundle",
    "--splitting",
    "--format=esm",
    "--target=es2022",
    "--minify",
    "--external:*.svg",
    "--log-level=error",
)
# What a module imports when it is loaded, as esbuild writes it.
_IMPORT = re.compile(rb'(?:from|import)"\./([^"]+)"')
_REFERENCE = re.compile(r'\b(href|src)="([^"#]+)"')


class PageBuildError(ValueError):
    """The page's modules cannot be built. The message says where."""


@dataclass(frozen=True, slots=True)
class PageFiles:
    """`index`: the document, which refers to the assets below `assets_prefix`. `assets`: by path within it."""

    index: str
    assets: Mapping[str, bytes]
    assets_prefix: str


def page_files(folder: Path = PAGE_FOLDER) -> PageFiles:
    """Build the page, if it has changed since the last time.

    Raises `FileNotFoundError` if `index.html` refers to a file that does not exist, and `PageBuildError`.
    """
    found = (*folder.rglob("*"), *(folder.parent / _CLIENT).glob("*.js"))
    sources = (path for path in sorted(found) if path.is_file())
    return _built(folder, _digest({path.relative_to(folder.parent).as_posix(): path.read_bytes() for path in sources}))


@lru_cache(maxsize=4)
def _built(folder: Path, _: str) -> PageFiles:
    """`_`: the digest of what it is built from, for the cache."""
    copied = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in _COPIED}
    assets = copied | _bundles(folder)
    prefix = f"{ASSETS}/{_digest(assets)}"

    def moved(reference: re.Match[str]) -> str:
        attribute, path = reference.groups()
        if path not in assets:
            raise FileNotFoundError(f"{INDEX} refers to {path}, which is not in {folder}.")
        return f'{attribute}="{prefix}/{path}"'

    index = (folder / INDEX).read_text("utf-8").replace(_MODULE, _preloads(assets.get("page.js", b"")) + _MODULE)
    return PageFiles(_REFERENCE.sub(moved, index), assets, prefix)


def _preloads(module: bytes) -> str:
    """Links by which the browser asks for what the module imports at once, and not when it has read the module."""
    return "".join(f'<link rel="modulepreload" href="{path.decode()}" />\n    ' for path in _IMPORT.findall(module))


def _bundles(folder: Path) -> dict[str, bytes]:
    if not ESBUILD.exists():
        raise PageBuildError("The page cannot be built: esbuild is not installed; run `npm ci`.")
    entries = [name for name in _BUILT if (folder / name).exists()]
    with TemporaryDirectory() as out:
        environment = {"NODE_PATH": str(_ROOT / "node_modules")}
        command = [str(ESBUILD), *entries, *_OPTIONS, f"--outdir={out}"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PageBuildError(f"The page cannot be built: {done.stderr.strip()}")
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(Path(out).rglob("*.*"))}


def cache_control(path: str) -> str:
    """The `Cache-Control` of a file; `no-cache` allows a copy, which is compared with the server's each time."""
    return "public, max-age=31536000, immutable" if path.startswith(f"{ASSETS}/") else "no-cache"


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in files.items():
        digest.update(path.encode() + b"\0" + len(content).to_bytes(8) + content)
    return digest.hexdigest()[:16]
