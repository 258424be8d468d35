"""The licences of the packages in the layers, as SPDX expressions."""

from __future__ import annotations

import re
from importlib.metadata import PackageMetadata, metadata

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

# Licences under which the layers may be distributed with code of any licence; MPL-2.0 asks only for its own files.
ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    }
)
# Older metadata has free text instead of an expression.
_TEXTS = {"MIT License": "MIT"}
_CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
}
# Packages whose metadata leave open which licence it is; read in the licence files that they carry.
_READ = {"events": "BSD-3-Clause", "pystemmer": "MIT AND BSD-3-Clause", "python-dateutil": "Apache-2.0 OR BSD-3-Clause"}
_CLASSIFIER = "License :: "
_IDENTIFIER = re.compile(r"[^\s()]+")
_OPERATORS = {"AND", "OR", "WITH"}


class LicenceError(Exception):
    """A package's licence is not known, or not allowed; the message says what to do."""


def licence_of(package: str) -> str:
    """The licence that the metadata of the installed package name."""
    return allowed(package, _READ.get(package) or expression(metadata(package)))


def allowed(package: str, found: str) -> str:
    """The licence again; raises `LicenceError` if it is empty or not allowed."""
    if not found:
        raise LicenceError(f"The licence of {package} is not known: read its licence file and add it to {__name__}.")
    foreign = identifiers(found) - ALLOWED
    if foreign:
        raise LicenceError(
            f"{package} is under {found}: {', '.join(sorted(foreign))} is not among the allowed licences."
        )
    return found


def expression(fields: PackageMetadata) -> str:
    """The SPDX expression in a package's metadata, empty if there is none."""
    said = fields.json
    text = str(said.get("license_expression") or said.get("license") or "").strip()
    classifiers = [each for each in said.get("classifier", []) if each.startswith(_CLASSIFIER)]
    named = [_CLASSIFIERS[each] for each in classifiers if each in _CLASSIFIERS]
    return _canonical(_TEXTS.get(text, text)) or (named[0] if len(classifiers) == len(named) == 1 else "")


def identifiers(expression: str) -> set[str]:
    """The licences that an expression names."""
    return set(_IDENTIFIER.findall(expression)) - _OPERATORS


def _canonical(text: str) -> str:
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        return ""
