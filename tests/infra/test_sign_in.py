"""How the user pool lets its users sign in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.infra.deployed import Deployed, Properties, deployed, with_additions, with_other_choices


@pytest.fixture(params=["dev", "prod", "local"])
def stage(request: pytest.FixtureRequest) -> Deployed:
    return deployed(request.param)


def client(stage: Deployed) -> Properties:
    return stage.only("AWS::Cognito::UserPoolClient")


def pool(stage: Deployed) -> Properties:
    return stage.only("AWS::Cognito::UserPool")


@pytest.mark.parametrize("name", ["dev", "prod", "local"])
def test_the_user_pool_is_found_by_the_name_of_its_stage(name: str) -> None:
    assert pool(deployed(name))["UserPoolName"] == f"cicada-{name}-users"


def test_the_user_pool_has_the_tier_of_managed_login_whatever_the_accounts_default_is(stage: Deployed) -> None:
    assert pool(stage)["UserPoolTier"] == "ESSENTIALS"


def test_passwords_are_proven_and_never_sent(stage: Deployed) -> None:
    assert client(stage)["ExplicitAuthFlows"] == ["ALLOW_USER_SRP_AUTH"]


def test_a_refresh_token_is_replaced_at_each_use(stage: Deployed) -> None:
    """Cognito takes no REFRESH_TOKEN_AUTH with rotation, so the flow must not be among those allowed."""
    assert client(stage)["RefreshTokenRotation"] == {"Feature": "ENABLED", "RetryGracePeriodSeconds": 60}
    assert "ALLOW_REFRESH_TOKEN_AUTH" not in client(stage)["ExplicitAuthFlows"]


@pytest.mark.parametrize(
    ("choose", "configuration"),
    [(with_other_choices, "OFF"), (lambda: deployed("dev"), "OPTIONAL"), (with_additions, "ON")],
)
def test_the_second_step_is_chosen_by_context(choose: Callable[[], Deployed], configuration: str) -> None:
    found = pool(choose())
    assert found["MfaConfiguration"] == configuration
    assert found.get("EnabledMfas") == (None if configuration == "OFF" else ["SOFTWARE_TOKEN_MFA"])


def test_an_access_token_cannot_move_the_account_to_another_address(stage: Deployed) -> None:
    """Otherwise it enters and confirms an address, and has a new password sent there."""
    assert pool(stage)["AccountRecoverySetting"] == {"RecoveryMechanisms": [{"Name": "admin_only", "Priority": 1}]}
    assert client(stage)["WriteAttributes"] == ["locale"]
