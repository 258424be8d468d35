"""A stage can be deployed into an account that is new, and beside another stage."""

from __future__ import annotations

from tests.infra.conftest import template_of
from tests.infra.deployed import ADDED, Deployed, deployed, with_additions

DEFAULT_QUALIFIER = "hnb659fds"


def test_the_api_has_a_role_to_log_by_before_it_has_a_stage_that_logs(stage: Deployed) -> None:
    account = stage.id_of("AWS::ApiGateway::Account")
    role = stage.resources[account]["Properties"]["CloudWatchRoleArn"]["Fn::GetAtt"][0]
    assert "AmazonAPIGatewayPushToCloudWatchLogs" in str(stage.resources[role]["Properties"]["ManagedPolicyArns"])
    assert account in stage.resources[stage.id_of("AWS::ApiGatewayV2::Stage")]["DependsOn"]


def test_the_accounts_setting_waits_for_an_api_and_for_nothing_else(stage: Deployed) -> None:
    account = stage.id_of("AWS::ApiGateway::Account")
    assert stage.resources[account]["DependsOn"] == [stage.id_of("AWS::ApiGatewayV2::Api")]


def test_the_role_by_which_other_apis_may_log_is_always_kept(stage: Deployed) -> None:
    account = stage.id_of("AWS::ApiGateway::Account")
    role = stage.resources[account]["Properties"]["CloudWatchRoleArn"]["Fn::GetAtt"][0]
    for id in (account, role):
        kept = stage.resources[id]
        assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert "RoleName" not in stage.resources[role]["Properties"]


def test_an_account_that_logs_already_keeps_its_role() -> None:
    stage = with_additions()
    assert list(stage.of_kind("AWS::ApiGateway::Account")) == []
    assert not [id for id in stage.resources if "LogRole" in id]


def test_the_local_stage_leaves_the_accounts_settings_alone() -> None:
    assert list(deployed("local").of_kind("AWS::ApiGateway::Account")) == []


def test_no_part_of_a_stage_needs_the_default_bootstrap() -> None:
    """No role and no asset bucket of an account with another qualifier has the default one in its name."""
    assert DEFAULT_QUALIFIER in str(template_of("dev"))
    assert DEFAULT_QUALIFIER not in str(template_of("prod", **ADDED))


def test_nobody_signs_in_through_oauth(stage: Deployed) -> None:
    """The CDK's default is the implicit flow with tokens sent to https://example.com."""
    client = stage.only("AWS::Cognito::UserPoolClient")
    assert client["AllowedOAuthFlowsUserPoolClient"] is False
    assert not {"AllowedOAuthFlows", "AllowedOAuthScopes", "CallbackURLs"} & set(client)
