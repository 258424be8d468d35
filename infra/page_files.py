"""The chat page's files as they are served.

`index.html` and `config.json` are at the root, the others below a folder that is named after their content.
A changed file has another address, so browsers and CloudFront may keep the files for ever. Only `index.html` and
`config.json` are asked for again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
PAGE_FOLDER = _ROOT / "clients" / "web"
# What others wrote, by its path on the page; `package-lock.json` has its version and its hash.
_PACKAGES = _ROOT / "node_modules"
VENDORED = {
    "vendor/marked/marked.js": _PACKAGES / "marked" / "lib" / "marked.esm.js",
    "vendor/qrcode-generator/qrcode.js": _PACKAGES / "qrcode-generator" / "dist" / "qrcode.mjs",
}
INDEX, CONFIG, ASSETS = "index.html", "config.json", "assets"
# What browsers do not ask for below the folder of assets.
NO_ASSETS = (INDEX, "package.json")
_REFERENCE = re.compile(r'\b(href|src)="([^"]+)"')


@dataclass(frozen=True, slots=True)
class PageFiles:
    """`index`: the document, which refers to the assets below `assets_prefix`. `assets`: by path within it."""

    index: str
    assets: Mapping[str, bytes]
    assets_prefix: str


def page_files(folder: Path = PAGE_FOLDER) -> PageFiles:
    """Raises `FileNotFoundError` if `index.html` refers to a file that does not exist, or without `npm ci`."""
    own = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in NO_ASSETS
    }
    assets = own | vendored_files()
    prefix = f"{ASSETS}/{_digest(assets)}"

    def moved(reference: re.Match[str]) -> str:
        attribute, path = reference.groups()
        if path not in assets:
            raise FileNotFoundError(f"{INDEX} refers to {path}, which is not in {folder}.")
        return f'{attribute}="{prefix}/{path}"'

    return PageFiles(_REFERENCE.sub(moved, (folder / INDEX).read_text("utf-8")), assets, prefix)


def vendored_files() -> dict[str, bytes]:
    """What others wrote of the page's assets, by path."""
    return {path: file.read_bytes() for path, file in VENDORED.items()}


def cache_control(path: str) -> str:
    """The `Cache-Control` of a file; `no-cache` allows a copy, which is compared with the server's each time."""
    return "public, max-age=31536000, immutable" if path.startswith(f"{ASSETS}/") else "no-cache"


def _digest(assets: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in assets.items():
        digest.update(path.encode() + b"\0" + len(content).to_bytes(8) + content)
    return digest.hexdigest()[:16]
