"""The stages' templates, synthesised once each without building the layers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.infra.deployed import Deployed

Template = dict[str, Any]
# Where the templates are for, if a test does not say another region.
REGION = "us-east-1"


def template_of(stage: str, **context: str) -> Template:
    """`context` as on the command line: `-c rerank=cohere`."""
    [file] = assembly_of(stage, **context).glob("*.template.json")
    template: Template = json.loads(file.read_text("utf-8"))
    return template


def assembly_of(stage: str, **context: str) -> Path:
    """The folder with the template and its assets."""
    return _synthesised(("stage", stage), *sorted(context.items()))


@cache
def _synthesised(*context: tuple[str, str]) -> Path:
    # Here only: the import starts an interpreter of JavaScript, and every worker imports the tests of all.
    from aws_cdk import App

    from app import build

    app = App(context={"region": REGION} | dict(context) | {"aws:cdk:bundling-stacks": []})
    build(app)
    return Path(app.synth().directory)


@pytest.fixture(scope="session", autouse=True)
def _region() -> Iterator[None]:
    """Set the region as the CDK's command line does."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CDK_DEFAULT_REGION", REGION)
        yield


@pytest.fixture(params=["dev", "prod"])
def aws(request: pytest.FixtureRequest) -> Template:
    """Each of the AWS stages."""
    return template_of(request.param)


@pytest.fixture(params=["dev", "prod"])
def stage(request: pytest.FixtureRequest) -> Deployed:
    """Each of the AWS stages, as it is after deployment."""
    from tests.infra.deployed import deployed

    return deployed(request.param)


def resources(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    return {id: resource for id, resource in template["Resources"].items() if resource["Type"] == kind}
