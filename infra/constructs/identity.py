"""Who may sign in."""

from __future__ import annotations

from typing import cast

from aws_cdk import Aws, Duration, Stack
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.constructs.federated_sign_in import FederatedSignIn
from infra.constructs.retention import when_protected
from infra.settings import StageSettings

_MFA = {"off": cognito.Mfa.OFF, "optional": cognito.Mfa.OPTIONAL, "required": cognito.Mfa.REQUIRED}
# The time for which a replaced refresh token is still taken: the reply that had the new one may have been lost.
_ROTATION_GRACE = Duration.seconds(60)


class Identity(Construct):
    """A Cognito user pool and the chat clients' app client.

    Accounts are made by an administrator, or at the first sign-in with the identity provider that the stage has.
    `federated`: that provider, None without one.
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.pool = cognito.UserPool(
            self,
            "Users",
            user_pool_name=f"{settings.prefix}-users",
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(username=True),
            # The lowest with managed login. `cicada cost` has its price.
            feature_plan=cognito.FeaturePlan.ESSENTIALS,
            password_policy=cognito.PasswordPolicy(
                min_length=12, require_digits=True, require_lowercase=True, require_symbols=True, require_uppercase=True
            ),
            mfa=_MFA[settings.mfa],
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            # Only administrators recover accounts: whoever has an access token could enter and confirm another address.
            account_recovery=cognito.AccountRecovery.NONE,
            deletion_protection=settings.protect_data,
            removal_policy=when_protected(settings),
        )
        self.federated = self._federated_sign_in()
        self.client = self._app_client()
        if self.federated:
            self.federated.add_client(self.client)

    def return_to(self, page_url: str) -> None:
        """Let the authorization server send users back to the page, and nowhere else in the web."""
        if self.federated is None:
            return
        client = cast(cognito.CfnUserPoolClient, self.client.node.default_child)
        client.callback_ur_ls = [f"{page_url}/", *(client.callback_ur_ls or [])]
        client.logout_ur_ls = [f"{page_url}/"]

    @property
    def outputs(self) -> dict[str, str]:
        named = {"UserPoolId": self.pool.user_pool_id, "UserPoolClientId": self.client.user_pool_client_id}
        return named | (self.federated.outputs if self.federated else {})

    @property
    def page_config(self) -> dict[str, str]:
        """What the page needs to sign users in, of `config.json` (clients/web/page.js)."""
        found = {
            "cognitoUrl": f"{self.endpoint}/",
            "clientId": self.client.user_pool_client_id,
            "userPoolId": self.pool.user_pool_id,
            "mfa": self._settings.mfa,
        }
        if self.federated:
            found |= {"signInUrl": self.federated.url, "identityProvider": self.federated.name}
        return found

    @property
    def origins(self) -> list[str]:
        """The origins to which the page sends requests to sign users in."""
        return [self.endpoint, *([self.federated.url] if self.federated else [])]

    def _federated_sign_in(self) -> FederatedSignIn | None:
        federation = self._settings.federation
        if federation is None:
            return None
        return FederatedSignIn(self, "Federated", federation=federation, pool=self.pool, settings=self._settings)

    def _app_client(self) -> cognito.UserPoolClient:
        federated = self.federated
        return self.pool.add_client(
            "Chat",
            # Passwords are proven, never sent. With rotation Cognito refuses REFRESH_TOKEN_AUTH, and the CDK leaves it
            # out: clients use GetTokensFromRefreshToken.
            auth_flows=cognito.AuthFlow(user_srp=True),
            refresh_token_rotation_grace_period=_ROTATION_GRACE,
            # Without a provider no hosted page signs anybody in; the CDK's default sends tokens to https://example.com.
            disable_o_auth=federated is None,
            o_auth=federated.oauth if federated else None,
            supported_identity_providers=federated.supported if federated else None,
            # Cognito takes 5 minutes to 1 day. A connection lives no longer than its token (docs/security.md).
            access_token_validity=Duration.minutes(10),
            id_token_validity=Duration.minutes(10),
            refresh_token_validity=Duration.days(30),
            # Without a list a token may change all attributes, and an empty list may count as none. What a provider
            # says has to be writable.
            write_attributes=cognito.ClientAttributes().with_standard_attributes(
                locale=True, email=federated is not None
            ),
            prevent_user_existence_errors=True,
            generate_secret=False,
        )

    @property
    def token_settings(self) -> dict[str, str]:
        """The settings that a verifier of the pool's tokens needs."""
        return {
            "token_issuer": self._issuer,
            "token_client_id": self.client.user_pool_client_id,
            "token_keys_url": self._keys_url,
            "default_tenant": self._settings.default_tenant,
        }

    @property
    def endpoint(self) -> str:
        """Cognito's API in the pool's region, where the page signs users in."""
        return f"https://cognito-idp.{Aws.REGION}.{Aws.URL_SUFFIX}"

    @property
    def _issuer(self) -> str:
        """The `iss` of the pool's tokens."""
        return f"https://cognito-idp.{Stack.of(self).region}.amazonaws.com/{self.pool.user_pool_id}"

    @property
    def _keys_url(self) -> str:
        """The URL of the signing keys: at the issuer, which locally is the emulator."""
        local = self._settings.local
        base = f"{local.aws_url}/{self.pool.user_pool_id}" if local else self._issuer
        return f"{base}/.well-known/jwks.json"
