"""The bill of materials (SBOM) of a stage on AWS, in CycloneDX: the packages in its layers, with their licences.

The functions and the page are files of this repository; the page loads no packages. boto3 is part of Lambda's runtime.
"""

from __future__ import annotations

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
from infra.licences import licence_of

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
    parts = [_component(*each) for each in sorted({*deployed_packages(), *_of_the_cdk()})]
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


def locked(lock: str) -> list[Requirement]:
    """The packages of a layer, for every Python and platform."""
    lines = (LOCKS / lock).read_text("utf-8").splitlines()
    return [Requirement(line.removesuffix("\\").strip()) for line in lines if line and not line.startswith((" ", "#"))]


def _of_the_cdk() -> Iterator[tuple[str, str]]:
    yield _COMMAND_LINE, version(_COMMAND_LINE)


def _component(name: str, number: str) -> Component:
    purl = PackageURL(type="pypi", name=name, version=number)
    licence = LicenseFactory().make_from_string(licence_of(name))
    return Component(
        name=name, version=number, type=ComponentType.LIBRARY, purl=purl, bom_ref=str(purl), licenses=[licence]
    )
