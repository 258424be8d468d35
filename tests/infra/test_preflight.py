"""No template has what AWS is known to refuse when it is deployed, or what CloudFormation's own schema has not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from aws_cdk import App

# All that a context can add to a stage.
EVERYTHING = {
    "stage": "prod",
    "agents": "bedrock",
    "dataEvents": "create",
    "dataKey": "create",
    "vpc": "vpc-0123456789abcdef0",
    "vpcSubnets": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "identityProvider": "Okta",
    "oidcIssuer": "https://example.okta.com",
    "oidcClientId": "0oa1",
    "oidcSecretName": "cicada/okta",
    "searchUnits": "16",
    "warmSearchUnits": "2",
    "monthlyBudget": "500",
    "releases": "gradual",
    "backup": "eu-west-1",
}
SAML = {"identityProvider": "Entra", "samlMetadataUrl": "https://login.example.com/metadata.xml?appid=1"}
CERTIFICATE = "arn:aws:acm:us-east-1:111122223333:certificate/0a1b"
DOMAIN = {"signInDomain": "login.example.com", "signInCertificate": CERTIFICATE}
DEV = {"stage": "dev"} | SAML | DOMAIN
GROUP = "AWS::OpenSearchServerless::CollectionGroup"


def app_of(context: dict[str, str]) -> App:
    # Here only: the import starts an interpreter of JavaScript, and every worker imports the tests of all.
    from aws_cdk import App

    return App(context=context | {"aws:cdk:bundling-stacks": []})


def test_neither_the_synth_nor_cfn_lint_finds_what_aws_is_known_to_refuse() -> None:
    from app import build_checked

    templates = []
    for context in (DEV, EVERYTHING):
        app = app_of(context)
        stack = build_checked(app)
        templates.append(str(Path(app.synth().directory, stack.template_file)))
    # W3005: the CDK writes dependencies that CloudFormation would find by itself.
    command = [str(Path(sys.executable).with_name("cfn-lint")), "-i", "W3005", "--", *templates]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


def test_the_synth_fails_for_a_group_that_aws_refuses() -> None:
    from aws_cdk import CfnResource

    from app import build_checked

    app = app_of({"stage": "dev"})
    [group] = [
        each
        for each in build_checked(app).node.find_all()
        if isinstance(each, CfnResource) and each.cfn_resource_type == GROUP
    ]
    group.add_property_override("StandbyReplicas", "DISABLED")
    with pytest.raises(RuntimeError, match="cannot be set to DISABLED for NEXTGEN collection groups"):
        app.synth()
