from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cicada.adapters.cognito_token_verifier import CognitoTokenVerifier
from cicada.errors import NotConnectedError, UnavailableError
from cicada.identity import Principal
from tests.fakes.user_pool import (
    CLIENT_ID,
    ISSUER,
    KEY_ID,
    UserPool,
    access_token,
    claims,
    key_pair,
    public_key,
    user_pool,
)
from tests.patience import PATIENCE_SECONDS

SUBJECT = "5f2b8c1e-0000-4000-8000-0000000000aa"


@pytest.fixture
def pool() -> Iterator[UserPool]:
    with user_pool() as pool:
        yield pool


def verifier(pool: UserPool, default_tenant: str = "default") -> CognitoTokenVerifier:
    return CognitoTokenVerifier(jwt.PyJWKClient(pool.url, timeout=PATIENCE_SECONDS), ISSUER, CLIENT_ID, default_tenant)


def in_groups(groups: object) -> str:
    return access_token(**{"cognito:groups": groups})  # type: ignore[arg-type]


def assert_refused(pool: UserPool, token: str) -> str:
    with pytest.raises(NotConnectedError) as caught:
        verifier(pool).verify(token)
    return str(caught.value)


def unsigned(**header: object) -> str:
    parts = [json.dumps({"typ": "JWT", "kid": KEY_ID} | header), json.dumps(claims())]
    return ".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts) + "."


def test_a_good_token_says_who_it_is_and_until_when(pool: UserPool) -> None:
    issued = int(time.time()) - 30
    expires = issued + 600
    verified = verifier(pool).verify(access_token(iat=issued, exp=expires))
    assert verified.principal == Principal("default", SUBJECT)
    assert (verified.issued_at, verified.expires_at) == (issued, expires)


@pytest.mark.parametrize(
    ("groups", "tenant"),
    [
        (["tenant:acme"], "acme"),
        (["admins", "tenant:acme", "readers"], "acme"),
        (["tenants:acme", "xtenant:acme"], "default"),
        ([], "default"),
        (None, "default"),
    ],
)
def test_the_tenant_is_a_group_of_the_user(pool: UserPool, groups: list[str] | None, tenant: str) -> None:
    token = in_groups(groups)
    assert verifier(pool).verify(token).principal.tenant == tenant


@pytest.mark.parametrize("groups", [["tenant:b", "tenant:a"], ["tenant:default", "legal", "tenant:acme"]])
@pytest.mark.parametrize("default_tenant", ["", "default"])
def test_a_user_of_two_tenants_is_refused(pool: UserPool, groups: list[str], default_tenant: str) -> None:
    token = in_groups(groups)
    with pytest.raises(NotConnectedError, match=r"^The account is in the groups of 2 tenants, .* exactly one\.$"):
        verifier(pool, default_tenant).verify(token)


@pytest.mark.parametrize(
    "group",
    [
        *(
            "Tenant:acme",
            "TENANT:acme",
            "tenant：acme",
            "ｔenant:acme",
            "ten\u200bant:acme",
            "tеnаnt:acme",
            "τεnαnt:acme",
        ),
        *("tenant-acme", "tenant‐acme", "tenant acme", "tenant_acme", "tenant∶acme", "tenant"),
    ],
)
@pytest.mark.parametrize("others", [[], ["tenant:demo"]])
def test_a_group_that_reads_like_a_tenants_is_refused(pool: UserPool, group: str, others: list[str]) -> None:
    token = in_groups([group, *others])
    with pytest.raises(NotConnectedError, match="A tenant's group is named tenant: and letters"):
        verifier(pool, "demo").verify(token)


# Cognito's own group, of all who sign in with an identity provider.
AUTOMATIC = "us-east-1_Example_Okta"


@pytest.mark.parametrize("groups", [None, [], ["legal"], ["tenants:acme", "tenantacme"], [AUTOMATIC]])
def test_a_user_of_no_tenant_is_refused_without_a_default_tenant(pool: UserPool, groups: list[str] | None) -> None:
    token = in_groups(groups)
    with pytest.raises(NotConnectedError, match=r"^The account is in the group of no tenant, .* exactly one\.$"):
        verifier(pool, "").verify(token)


@pytest.mark.parametrize(
    "group", ["tenant:", "tenant:a#b", "tenant:a b", "tenant:-a", "tenant:acme_corp", "tenant:A.Ltd"]
)
def test_a_tenant_group_that_is_no_name_is_refused(pool: UserPool, group: str) -> None:
    token = in_groups(["legal", group])
    assert "tenant" in assert_refused(pool, token)


def test_a_federated_user_is_of_the_tenant_that_an_operator_has_named(pool: UserPool) -> None:
    groups = [AUTOMATIC, "legal", "tenant:acme"]
    changed: dict[str, Any] = {"username": "Okta_00u1", "scope": "openid email", "cognito:groups": groups}
    principal = verifier(pool, "").verify(access_token(**changed)).principal
    assert (principal, principal.login) == (Principal("acme", SUBJECT), "Okta_00u1")
    assert principal.groups == set(groups)


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": 1_600_000_000},
        {"exp": None},
        {"iat": None},
        {"nbf": 4_000_000_000},
        {"iss": "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Other"},
        {"iss": None},
        {"client_id": "another-client"},
        {"client_id": None},
        {"client_id": None, "aud": CLIENT_ID, "token_use": "id"},
        {"token_use": "id"},
        {"token_use": "refresh"},
        {"token_use": None},
        {"sub": None},
    ],
)
def test_a_token_of_another_kind_or_place_or_time_is_refused(pool: UserPool, changed: dict[str, object]) -> None:
    said = assert_refused(pool, access_token(**changed))  # type: ignore[arg-type]
    assert "another" not in said
    assert "us-east-1" not in said


@pytest.mark.parametrize("key_id", [KEY_ID, "key-2", "", None])
def test_a_token_signed_with_another_key_is_refused(pool: UserPool, key_id: str | None) -> None:
    assert_refused(pool, access_token(signed_by="key-2", key_id=key_id))


def test_a_token_of_a_new_key_is_good_once_the_key_is_published(pool: UserPool) -> None:
    pool.reply = json.dumps({"keys": [public_key(), public_key("key-2")]}).encode()
    assert verifier(pool).verify(access_token(signed_by="key-2", key_id="key-2")).principal.user == SUBJECT


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE"])
def test_an_unsigned_token_is_refused(pool: UserPool, algorithm: str) -> None:
    assert_refused(pool, unsigned(alg=algorithm))


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(pool: UserPool) -> None:
    public = key_pair().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = unsigned(alg="HS256")[:-1]
    signature = base64.urlsafe_b64encode(hmac.new(public, signed.encode(), hashlib.sha256).digest()).rstrip(b"=")
    assert_refused(pool, f"{signed}.{signature.decode()}")


@pytest.mark.parametrize(
    "token",
    [
        *(
            pytest.param(text, id=ascii(text))
            for text in ("", "x", "a.b.c", "....", "tökén", "\ud800", "\x00", "e30.e30.e30")
        ),
        pytest.param("x" * 100_000, id="long"),
        pytest.param(unsigned(alg=7), id="no algorithm's name"),
    ],
)
def test_what_is_no_token_is_refused_and_not_repeated(pool: UserPool, token: str) -> None:
    said = assert_refused(pool, token)
    assert said == "The access token is not valid."
    assert pool.fetches <= 1


def test_a_changed_token_is_refused(pool: UserPool) -> None:
    header, payload, signature = access_token().split(".")
    changed = json.dumps(claims(sub="another")).encode()
    assert_refused(pool, f"{header}.{base64.urlsafe_b64encode(changed).rstrip(b'=').decode()}.{signature}")
    assert_refused(pool, f"{header}.{payload}.")


@pytest.mark.parametrize(
    ("status", "reply"),
    [(500, b"{}"), (503, b""), (404, b"{}"), (200, b"<html>"), (200, b""), (200, b'{"keys": []}'), (200, b"[]")],
)
def test_keys_that_cannot_be_read_are_no_refusal(pool: UserPool, status: int, reply: bytes) -> None:
    pool.status, pool.reply = status, reply
    with pytest.raises(UnavailableError):
        verifier(pool).verify(access_token())


def test_keys_out_of_reach_are_no_refusal_and_do_not_make_nonsense_a_token() -> None:
    with user_pool() as pool:
        gone = UserPool(url=pool.url)
    with pytest.raises(UnavailableError):
        verifier(gone).verify(access_token())
    assert_refused(gone, "nonsense")


def test_keys_are_read_once_and_outlast_a_failure(pool: UserPool) -> None:
    checked = verifier(pool)
    checked.verify(access_token())
    pool.status = 500
    assert checked.verify(access_token()).principal.user == SUBJECT
    assert pool.fetches == 1
