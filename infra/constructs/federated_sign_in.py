"""Sign-in with an identity provider of the operator's, through Cognito's authorization server."""

from __future__ import annotations

from aws_cdk import Aws, SecretValue
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_route53_targets as targets
from constructs import Construct

from infra.constructs.alias_record import add_alias
from infra.federation import Federation, OidcProvider, SamlProvider
from infra.settings import StageSettings

# Where the terminal awaits a user on the user's own machine (RFC 8252): Cognito takes exact addresses only. There are
# some because another program may use one; all are below the ports that systems give to outgoing connections.
TERMINAL_URLS = tuple(f"http://127.0.0.1:{port}/" for port in (17845, 17846, 17847))
_EMAIL_OF_SAML = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"


class FederatedSignIn(Construct):
    """The identity provider, and the domain of Cognito's authorization server.

    The one attribute that is taken from the provider is the address, by which operators know their users. Which tenant
    a user belongs to is said in the pool alone.
    """

    def __init__(
        self, scope: Construct, id: str, *, federation: Federation, pool: cognito.UserPool, settings: StageSettings
    ) -> None:
        super().__init__(scope, id)
        name, provider = federation.name, federation.provider
        self.name = name
        self._pool = pool
        self._settings = settings
        self._provider: cognito.UserPoolIdentityProviderSaml | cognito.UserPoolIdentityProviderOidc
        if isinstance(provider, SamlProvider):
            self._provider = _saml(self, name, provider, pool)
        else:
            self._provider = _oidc(self, name, provider, pool)
        self._domain = self._add_domain()

    @property
    def url(self) -> str:
        """The address of Cognito's authorization server."""
        domain = self._settings.addresses.sign_in
        if domain:
            return f"https://{domain.name}"
        # https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-cog.html
        host = "auth-fips" if self._settings.region.startswith("us-gov-") else "auth"
        return f"https://{self._prefix}.{host}.{Aws.REGION}.amazoncognito.com"

    @property
    def supported(self) -> list[cognito.UserPoolClientIdentityProvider]:
        """The provider alone: no form of Cognito's takes passwords, which the page and the command prove by SRP."""
        return [cognito.UserPoolClientIdentityProvider.custom(self.name)]

    @property
    def oauth(self) -> cognito.OAuthSettings:
        """Codes only, for who the user is and nothing else. `Identity.return_to` adds the page's address."""
        return cognito.OAuthSettings(
            flows=cognito.OAuthFlows(authorization_code_grant=True, implicit_code_grant=False),
            scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
            callback_urls=list(TERMINAL_URLS),
        )

    @property
    def outputs(self) -> dict[str, str]:
        """What the terminal needs, and what has to be entered at the provider and in the domain's zone."""
        is_saml = isinstance(self._provider, cognito.UserPoolIdentityProviderSaml)
        path = "saml2/idpresponse" if is_saml else "oauth2/idpresponse"
        found = {
            "IdentityProvider": self.name,
            "SignInUrl": self.url,
            "TerminalSignInUrls": " ".join(TERMINAL_URLS),
            "ProviderRedirectUrl": f"{self.url}/{path}",
        }
        if is_saml:
            found["ProviderEntityId"] = f"urn:amazon:cognito:sp:{self._pool.user_pool_id}"
        if self._settings.addresses.sign_in and not self._settings.addresses.hosted_zone:
            found["SignInDomainTarget"] = self._domain.cloud_front_endpoint
        return found

    def add_client(self, client: cognito.UserPoolClient) -> None:
        """Managed login, which knows the parameter `prompt`, serves no app client that has no style."""
        client.node.add_dependency(self._provider)
        cognito.CfnManagedLoginBranding(
            self,
            "Style",
            user_pool_id=self._pool.user_pool_id,
            client_id=client.user_pool_client_id,
            use_cognito_provided_values=True,
        )

    @property
    def _prefix(self) -> str:
        """Prefixes are unique in a region, over all accounts."""
        return f"{self._settings.prefix}-{Aws.ACCOUNT_ID}"

    def _add_domain(self) -> cognito.UserPoolDomain:
        domain, zone = self._settings.addresses.sign_in, self._settings.addresses.hosted_zone
        if domain is None:
            return self._pool.add_domain(
                "Domain",
                cognito_domain=cognito.CognitoDomainOptions(domain_prefix=self._prefix),
                managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
            )
        certificate = acm.Certificate.from_certificate_arn(self, "Certificate", domain.certificate)
        found = self._pool.add_domain(
            "Domain",
            custom_domain=cognito.CustomDomainOptions(domain_name=domain.name, certificate=certificate),
            managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
        )
        if zone:
            add_alias(self, domain=domain.name, zone=zone, target=targets.UserPoolDomainTarget(found), ipv6=False)
        return found


def _oidc(
    scope: Construct, name: str, provider: OidcProvider, pool: cognito.UserPool
) -> cognito.UserPoolIdentityProviderOidc:
    return cognito.UserPoolIdentityProviderOidc(
        scope,
        "Oidc",
        user_pool=pool,
        name=name,
        issuer_url=provider.issuer,
        client_id=provider.client_id,
        # The template has a reference, and CloudFormation reads the secret when it deploys.
        client_secret=SecretValue.secrets_manager(provider.secret_name).unsafe_unwrap(),
        scopes=["openid", "email"],
        attribute_request_method=cognito.OidcAttributeRequestMethod.GET,
        attribute_mapping=cognito.AttributeMapping(email=cognito.ProviderAttribute.other("email")),
    )


def _saml(
    scope: Construct, name: str, provider: SamlProvider, pool: cognito.UserPool
) -> cognito.UserPoolIdentityProviderSaml:
    return cognito.UserPoolIdentityProviderSaml(
        scope,
        "Saml",
        user_pool=pool,
        name=name,
        metadata=cognito.UserPoolIdentityProviderSamlMetadata.url(provider.metadata_url),
        # A sign-in that the page did not begin is refused by it, so the provider begins none.
        idp_initiated=False,
        attribute_mapping=cognito.AttributeMapping(email=cognito.ProviderAttribute.other(_EMAIL_OF_SAML)),
    )
