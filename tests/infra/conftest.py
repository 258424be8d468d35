"""The stages' templates, synthesised once each without building the layers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk.assertions import Template

    from tests.infra.deployed import Deployed

# Where the templates are for, if a test does not say another region.
REGION = "us-east-1"


def template_of(stage: str, **context: str) -> Template:
    """`context` as on the command line: `-c rerank=cohere`."""
    return _template(("stage", stage), *sorted(context.items()))


@cache
def _template(*context: tuple[str, str]) -> Template:
    # Here only: the import starts an interpreter of JavaScript, and every worker imports the tests of all.
    from aws_cdk import App
    from aws_cdk.assertions import Template

    from app import build

    return Template.from_stack(build(App(context={"region": REGION} | dict(context) | {"aws:cdk:bundling-stacks": []})))


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
    found: dict[str, dict[str, Any]] = json.loads(json.dumps(template.find_resources(kind)))
    return found
