"""The bill of materials (SBOM) of a stage on AWS, in CycloneDX: the packages in its layers and in the page.

The functions are files of this repository. boto3 is part of Lambda's runtime.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement

from infra.layer_build import DEPLOYED, LOCKS, ROOT
from infra.licences import allowed, licence_of

FILE = "bill-of-materials.cdx.json"
# The platform on which the layers run.
_LAMBDA = {
    "implementation_name": "cpython",
    "platform_machine": "aarch64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
}
# The CDK's function that copies the page's files has the AWS command line in a layer.
_COMMAND_LINE = "aws-cdk.asset-awscli-v1"


def write_bill(folder: Path) -> Path:
    """Write it beside the template."""
    outputter = make_outputter(bill_of_materials(), OutputFormat.JSON, SchemaVersion.V1_6)
    file = folder / FILE
    file.write_text(outputter.output_as_string(indent=2) + "\n", "utf-8")
    return file


def bill_of_materials() -> Bom:
    """Raises `LicenceError` for a package whose licence is unknown or not allowed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    name, number = project["name"], project["version"]
    # Without a reference of its own it gets a random one, and two bills of the same packages differ.
    stage = Component(name=name, version=number, type=ComponentType.APPLICATION, bom_ref=name)
    parts = [_component("pypi", *each, licence_of(each[0])) for each in sorted({*deployed_packages(), *_of_the_cdk()})]
    parts += [_component("npm", *each) for each in page_packages()]
    bom = Bom(components=parts)
    bom.metadata.component = stage
    bom.register_dependency(stage, parts)
    # The same packages have the same number.
    bom.serial_number = uuid5(NAMESPACE_URL, " ".join(str(part.purl) for part in parts))
    return bom


def deployed_packages() -> Iterator[tuple[str, str]]:
    """Name and version of each package in the layers of AWS stages, dependencies of dependencies included."""
    for required in (each for lock in DEPLOYED for each in locked(lock)):
        if required.marker is None or required.marker.evaluate(_LAMBDA):
            [pinned] = required.specifier
            yield required.name, pinned.version


def page_packages() -> Iterator[tuple[str, str, str]]:
    """Name, version and licence of each package that the chat page has files of."""
    packages = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    for path, package in packages.items():
        name = path.removeprefix("node_modules/")
        if name and not package.get("dev"):
            yield name, package["version"], allowed(name, package.get("license", ""))


def locked(lock: str) -> list[Requirement]:
    """The packages of a layer, for every Python and platform."""
    lines = (LOCKS / lock).read_text("utf-8").splitlines()
    return [Requirement(line.removesuffix("\\").strip()) for line in lines if line and not line.startswith((" ", "#"))]


def _of_the_cdk() -> Iterator[tuple[str, str]]:
    yield _COMMAND_LINE, version(_COMMAND_LINE)


def _component(kind: str, name: str, number: str, licence: str) -> Component:
    purl = PackageURL(type=kind, name=name, version=number)
    licences = [LicenseFactory().make_from_string(licence)]
    return Component(
        name=name, version=number, type=ComponentType.LIBRARY, purl=purl, bom_ref=str(purl), licenses=licences
    )
