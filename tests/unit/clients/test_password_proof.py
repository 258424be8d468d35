"""The proof of a password: a published vector, and an independent formula of the server's."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cicada_client.errors import UnauthorizedError
from cicada_client.password_proof import PRIME, PasswordProof
from tests.fakes.srp_server import SrpServer

PUBLISHED = json.loads((Path(__file__).parents[2] / "published" / "cognito_srp.json").read_text("utf-8"))
POOL = "eu-central-1_AbCdEf123"


def published_challenge() -> dict[str, str]:
    return {
        "USER_ID_FOR_SRP": PUBLISHED["username"],
        "SALT": PUBLISHED["salt"],
        "SRP_B": PUBLISHED["largeB"],
        "SECRET_BLOCK": PUBLISHED["secret"],
    }


def published_proof() -> PasswordProof:
    secret = int(PUBLISHED["smallA"], 16)
    return PasswordProof(PUBLISHED["poolId"], PUBLISHED["username"], PUBLISHED["password"], secret)


def test_the_signature_is_that_of_the_published_vector() -> None:
    proof = published_proof()
    assert proof.parameters == {"USERNAME": PUBLISHED["username"], "SRP_A": PUBLISHED["largeA"]}
    responses = proof.responses(published_challenge(), datetime(2000, 2, 1, 3, 4, 5, tzinfo=UTC))
    assert responses["TIMESTAMP"] == PUBLISHED["timestamp"]
    assert responses["PASSWORD_CLAIM_SIGNATURE"] == PUBLISHED["passwordSignature"]
    assert responses["PASSWORD_CLAIM_SECRET_BLOCK"] == PUBLISHED["secret"]


@settings(max_examples=6)
@given(password=st.text(min_size=1, max_size=30), user=st.text(min_size=1, max_size=20))
def test_a_server_with_the_verifier_takes_the_password_and_no_other(password: str, user: str) -> None:
    server = SrpServer(POOL)
    for typed, expected in ((password, user), (password + "x", None)):
        proof = PasswordProof(POOL, user, typed)
        challenge = server.challenge(user, password, proof.parameters["SRP_A"])
        assert server.proven(proof.responses(challenge)) == expected


def test_what_is_sent_has_no_password_and_differs_each_time() -> None:
    first, second = (PasswordProof(POOL, "ada", "A-long-one-of-1815").parameters for _ in range(2))
    assert first["SRP_A"] != second["SRP_A"]
    assert "A-long-one" not in str(first)


@pytest.mark.parametrize("public", [0, PRIME, 2 * PRIME])
def test_a_server_that_would_learn_the_password_is_not_answered(public: int) -> None:
    """The shared secret does not depend on the server's secret if B = 0."""
    with pytest.raises(UnauthorizedError, match="cannot be right"):
        published_proof().responses(published_challenge() | {"SRP_B": format(public, "x")})
