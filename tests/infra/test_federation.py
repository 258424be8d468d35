"""Sign-in with an identity provider of the operator's, which a stage has by context alone."""

from __future__ import annotations

import pytest

from infra.addresses import AddressError, addresses
from infra.federation import Federation, FederationError, OidcProvider, SamlProvider, federation
from tests.infra.deployed import Deployed, Properties, deployed
from tests.infra.edge import Edge
from tests.infra.test_preflight import CERTIFICATE, DOMAIN, SAML

OIDC = {
    "identityProvider": "Okta",
    "oidcIssuer": "https://example.okta.com",
    "oidcClientId": "0oa1",
    "oidcSecretName": "cicada/okta",
}
DOMAINS = {"pageDomain": "chat.example.com", "pageCertificate": CERTIFICATE, **DOMAIN}
# CloudFront is not there.
IN_GOVCLOUD = {**OIDC, "region": "us-gov-west-1", "page": "none"}
PREFIX = "https://cicada-dev-111122223333.auth.us-east-1.amazoncognito.com"
TERMINAL = ["http://127.0.0.1:17845/", "http://127.0.0.1:17846/", "http://127.0.0.1:17847/"]
OAUTH = {"CallbackURLs", "LogoutURLs", "AllowedOAuthFlows", "AllowedOAuthScopes"}


def stage(**context: str) -> Deployed:
    return deployed("dev", **context)


def client(stage: Deployed) -> Properties:
    return stage.only("AWS::Cognito::UserPoolClient")


def urls(stage: Deployed, name: str) -> list[str]:
    return [stage.text(each) for each in client(stage)[name]]


def outputs(stage: Deployed) -> dict[str, str]:
    return {name: stage.text(each["Value"]) for name, each in stage.outputs.items()}


@pytest.mark.parametrize("name", ["dev", "prod", "local"])
def test_without_a_provider_there_is_no_authorization_server(name: str) -> None:
    found = deployed(name)
    kinds = ("UserPoolDomain", "UserPoolIdentityProvider", "ManagedLoginBranding")
    assert not list(found.of_kind(*(f"AWS::Cognito::{kind}" for kind in kinds)))
    assert not OAUTH & set(client(found))
    assert client(found)["SupportedIdentityProviders"] == ["COGNITO"]
    assert not {"SignInUrl", "IdentityProvider", "ProviderRedirectUrl"} & set(found.outputs)


@pytest.mark.parametrize("provider", [OIDC, SAML], ids=["oidc", "saml"])
def test_only_codes_are_given_and_only_for_who_the_user_is(provider: dict[str, str]) -> None:
    found = client(stage(**provider))
    assert found["AllowedOAuthFlows"] == ["code"]
    assert found["AllowedOAuthScopes"] == ["openid", "email"]
    assert found["SupportedIdentityProviders"] == [provider["identityProvider"]]
    assert (found["GenerateSecret"], found["ExplicitAuthFlows"]) == (False, ["ALLOW_USER_SRP_AUTH"])


def test_users_are_sent_back_to_the_page_or_to_their_own_machine_and_nowhere_else() -> None:
    found = stage(**OIDC)
    page = outputs(found)["PageUrl"]
    assert page == "https://PageDistributionFBB4E0B8.DomainName"
    assert urls(found, "CallbackURLs") == [f"{page}/", *TERMINAL]
    assert urls(found, "LogoutURLs") == [f"{page}/"]
    named = stage(**OIDC, **DOMAINS)
    assert urls(named, "CallbackURLs") == ["https://chat.example.com/", *TERMINAL]
    assert urls(named, "LogoutURLs") == ["https://chat.example.com/"]


def test_without_the_page_users_come_back_to_their_own_machine_alone() -> None:
    found = stage(**IN_GOVCLOUD)
    assert urls(found, "CallbackURLs") == TERMINAL
    assert "LogoutURLs" not in client(found)


def test_the_template_refers_to_the_client_secret_and_does_not_have_it() -> None:
    found = stage(**OIDC).only("AWS::Cognito::UserPoolIdentityProvider")
    assert found["ProviderDetails"] == {
        "oidc_issuer": "https://example.okta.com",
        "client_id": "0oa1",
        "client_secret": "{{resolve:secretsmanager:cicada/okta:SecretString:::}}",
        "authorize_scopes": "openid email",
        "attributes_request_method": "GET",
    }
    assert (found["ProviderName"], found["ProviderType"]) == ("Okta", "OIDC")


def test_a_saml_provider_is_known_by_its_metadata_and_begins_no_sign_in() -> None:
    found = stage(**SAML).only("AWS::Cognito::UserPoolIdentityProvider")
    assert found["ProviderDetails"]["MetadataURL"] == SAML["samlMetadataUrl"]
    assert found["ProviderDetails"].get("IDPInit", False) is False
    assert found["ProviderType"] == "SAML"


@pytest.mark.parametrize("provider", [OIDC, SAML], ids=["oidc", "saml"])
def test_nothing_but_the_address_is_taken_from_the_provider(provider: dict[str, str]) -> None:
    assert list(stage(**provider).only("AWS::Cognito::UserPoolIdentityProvider")["AttributeMapping"]) == ["email"]


def test_what_is_taken_from_the_provider_can_be_written_and_recovers_no_account() -> None:
    """Cognito refuses a federated sign-in whose mapped attributes the app client may not write."""
    assert set(client(stage(**OIDC))["WriteAttributes"]) == {"email", "locale"}
    recovery = stage(**OIDC).only("AWS::Cognito::UserPool")["AccountRecoverySetting"]
    assert [each["Name"] for each in recovery["RecoveryMechanisms"]] == ["admin_only"]


def test_the_outputs_say_what_to_enter_at_the_provider() -> None:
    found = outputs(stage(**OIDC))
    assert found["ProviderRedirectUrl"] == f"{PREFIX}/oauth2/idpresponse"
    assert (found["SignInUrl"], found["IdentityProvider"]) == (PREFIX, "Okta")
    assert found["TerminalSignInUrls"].split() == TERMINAL
    saml = outputs(stage(**SAML))
    assert saml["ProviderRedirectUrl"] == f"{PREFIX}/saml2/idpresponse"
    assert saml["ProviderEntityId"] == "urn:amazon:cognito:sp:IdentityUsers61009EFD"


def test_the_page_is_told_of_the_provider_and_may_connect_to_its_authorization_server() -> None:
    found, config = stage(**OIDC), Edge("dev", **OIDC).config()
    assert (config["identityProvider"], config["signInUrl"]) == ("Okta", PREFIX)
    policy = found.only("AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]
    text = found.text(policy["SecurityHeadersConfig"]["ContentSecurityPolicy"]["ContentSecurityPolicy"])
    [allowed] = [each for each in text.split("; ") if each.startswith("connect-src")]
    assert allowed.split()[2:] == [
        "wss://ConversationWebSocketApi05C623EF.execute-api.us-east-1.amazonaws.com",
        "https://cognito-idp.us-east-1.amazonaws.com",
        PREFIX,
    ]


def test_the_app_client_waits_for_the_provider_that_it_names() -> None:
    found = stage(**OIDC)
    [provider] = [id for id, _ in found.of_kind("AWS::Cognito::UserPoolIdentityProvider")]
    [app_client] = [id for id, _ in found.of_kind("AWS::Cognito::UserPoolClient")]
    assert provider in found.resources[app_client]["DependsOn"]


def test_managed_login_serves_the_app_client() -> None:
    """The classic pages do not know the parameter `prompt`; managed login serves no client without a style."""
    found = stage(**OIDC)
    assert found.only("AWS::Cognito::UserPoolDomain")["ManagedLoginVersion"] == 2
    style = found.only("AWS::Cognito::ManagedLoginBranding")
    assert (style["ClientId"], style["UseCognitoProvidedValues"]) == ({"Ref": "IdentityUsersChat774A7E2E"}, True)


def test_the_authorization_server_can_have_a_domain_of_ones_own() -> None:
    found = stage(**OIDC, **DOMAINS)
    assert outputs(found)["SignInUrl"] == "https://login.example.com"
    assert outputs(found)["ProviderRedirectUrl"] == "https://login.example.com/oauth2/idpresponse"
    assert "SignInDomainTarget" in found.outputs
    domain = found.only("AWS::Cognito::UserPoolDomain")
    assert (domain["Domain"], domain["CustomDomainConfig"]) == ("login.example.com", {"CertificateArn": CERTIFICATE})
    recorded = stage(**OIDC, **DOMAIN, hostedZone="Z0123")
    assert recorded.only("AWS::Route53::RecordSet")["Name"] == "login.example.com."
    assert "SignInDomainTarget" not in recorded.outputs


def test_in_govcloud_the_authorization_server_has_the_address_of_its_fips_endpoint() -> None:
    assert ".auth-fips." in str(stage(**IN_GOVCLOUD).outputs["SignInUrl"])
    with pytest.raises(AddressError, match="drop -c signInDomain"):
        addresses({"page": "none", **DOMAIN}.get, "us-gov-west-1")


def test_the_values_are_read() -> None:
    oidc = OidcProvider("https://example.okta.com", "0oa1", "cicada/okta")
    assert federation(OIDC.get) == Federation("Okta", oidc)
    assert federation(SAML.get) == Federation("Entra", SamlProvider(SAML["samlMetadataUrl"]))
    assert federation(dict[str, str]().get) is None


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"identityProvider": None}, r"-c oidcIssuer=… needs -c identityProvider=NAME"),
        ({"identityProvider": "My Okta"}, "3 to 32 letters"),
        ({"identityProvider": "Okta_1"}, "3 to 32 letters"),
        ({"identityProvider": "Google"}, "none of Cognito's own names"),
        ({"identityProvider": "COGNITO"}, "none of Cognito's own names"),
        ({"oidcClientId": None, "oidcSecretName": None}, "needs -c oidcClientId=… and -c oidcSecretName=… too"),
        ({"oidcIssuer": None}, "needs -c oidcIssuer=… too"),
        ({"oidcIssuer": "http://example.okta.com"}, "https:// address"),
        ({"oidcIssuer": "https://example.okta.com?a=b"}, "https:// address"),
        ({"samlMetadataUrl": "https://a.example/m"}, "give one of the two"),
        ({name: None for name in OIDC if name != "identityProvider"}, "needs the provider: -c oidcIssuer, "),
        (
            dict.fromkeys(OIDC) | {"signInDomain": "login.example.com"},
            "-c signInDomain=… needs -c identityProvider=NAME",
        ),
    ],
)
def test_what_is_missing_or_cannot_be_is_refused_with_what_to_do(changed: dict[str, str | None], sentence: str) -> None:
    with pytest.raises(FederationError, match=sentence):
        federation((OIDC | changed).get)


def test_a_secret_given_for_its_name_is_not_shown() -> None:
    with pytest.raises(FederationError, match="the name of a secret") as refused:
        federation((OIDC | {"oidcSecretName": "s3cr3t~of?okta"}).get)
    assert "s3cr3t" not in str(refused.value)


def test_the_domain_of_sign_in_needs_a_name_and_a_certificate_of_its_own() -> None:
    elsewhere = DOMAIN | {"signInCertificate": CERTIFICATE.replace("us-east-1", "eu-west-1")}
    with pytest.raises(AddressError, match="Cognito takes certificates of us-east-1 only"):
        addresses(elsewhere.get, "eu-west-1")
    same = DOMAIN | {"pageDomain": "login.example.com", "pageCertificate": CERTIFICATE}
    with pytest.raises(AddressError, match="Page and sign-in need a name each"):
        addresses(same.get, "eu-west-1")
