"""What is deployed beside the code of this repository, and under which licences."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Mapping
from functools import partial
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from infra import licences
from infra.bill_of_materials import FILE, deployed_packages, locked, write_bill
from infra.layer_build import BASE, DOCUMENTS, EMBEDDED, LOCKS, ROOT
from infra.licences import ALLOWED, LicenceError, identifiers, licence_of
from infra.page_files import PAGE_FOLDER


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    written: Mapping[str, Any] = json.loads(write_bill(tmp_path_factory.mktemp("bill")).read_text("utf-8"))
    return written


def test_every_package_of_the_deployed_layers_is_in_the_bill_with_version_and_licence(bill: Mapping[str, Any]) -> None:
    listed = {each["name"]: each for each in bill["components"]}
    for name, version in deployed_packages():
        assert listed[name]["purl"] == f"pkg:pypi/{name}@{version}"
        [licence] = listed[name]["licenses"]
        assert licence.get("expression") or licence["license"]["id"] in ALLOWED


def test_every_package_that_the_page_serves_files_of_is_in_the_bill(bill: Mapping[str, Any]) -> None:
    served = set(json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"])
    imported = re.findall(r'(?:from |import\()"([a-z-]+)"', "".join(map(Path.read_text, PAGE_FOLDER.rglob("*.js"))))
    assert set(imported) == served
    assert {each["name"] for each in bill["components"] if each["purl"].startswith("pkg:npm/")} == served


def test_the_bill_follows_the_schema_of_cyclonedx(tmp_path: Path) -> None:
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(write_bill(tmp_path).read_text("utf-8")) is None


def test_the_bill_has_what_lambda_runs_and_not_what_another_machine_would() -> None:
    """Each package once: of two locked versions, that of the layer's Python."""
    packages = set(deployed_packages())
    assert len(dict(packages)) == len(packages)
    assert {name for name, _ in packages} == {each.name for lock in (BASE, DOCUMENTS) for each in locked(lock)}
    assert "numpy" not in dict(packages)


@pytest.mark.parametrize("lock", [BASE, DOCUMENTS, EMBEDDED])
def test_no_package_of_a_layer_has_an_unknown_or_forbidden_licence(lock: str) -> None:
    for each in locked(lock):
        assert identifiers(licence_of(each.name)) <= ALLOWED


def fields(**said: str) -> PackageMetadata:
    found = metadata("events")
    for name in ("License", "License-Expression", "Classifier"):
        del found[name]  # type: ignore[attr-defined]
    for name, value in said.items():
        found[name.replace("_", "-")] = value  # type: ignore[index]
    return found


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"License_Expression": "GPL-3.0-only"}, "GPL-3.0-only is not among the allowed"),
        ({"License_Expression": "MIT AND LGPL-2.1-or-later"}, "LGPL-2.1-or-later is not among the allowed"),
        ({"License": "see file"}, "read its licence file"),
    ],
)
def test_an_unknown_or_forbidden_licence_is_refused(
    monkeypatch: pytest.MonkeyPatch, said: Mapping[str, str], reason: str
) -> None:
    monkeypatch.setattr(licences, "metadata", lambda _: fields(**said))
    with pytest.raises(LicenceError, match=reason):
        licence_of("something")


@pytest.mark.parametrize("lock", [LOCKS / BASE, LOCKS / DOCUMENTS, LOCKS / EMBEDDED, ROOT / "requirements.lock"])
def test_every_locked_package_comes_with_the_hashes_of_its_files(lock: Path) -> None:
    packages = lock.read_text("utf-8").replace("\\\n", "").splitlines()
    assert [line.split()[0] for line in packages if "--hash=sha256:" not in line] == []


def test_a_synth_for_aws_writes_the_bill_beside_the_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bill: Mapping[str, Any]
) -> None:
    import aws_cdk

    # As the CDK's command line says where to, which the process of the CDK reads when it starts.
    context = {"stage": "dev", "region": "us-east-1", "aws:cdk:bundling-stacks": []}
    monkeypatch.setattr(aws_cdk, "App", partial(aws_cdk.App, context=context, outdir=str(tmp_path)))
    runpy.run_path(str(ROOT / "app.py"), run_name="__main__")
    assert {"Cicada-dev.template.json", FILE} <= {each.name for each in tmp_path.iterdir()}
    written = json.loads((tmp_path / FILE).read_text("utf-8"))
    assert written["serialNumber"] == bill["serialNumber"]
    assert (written["components"], written["dependencies"]) == (bill["components"], bill["dependencies"])
