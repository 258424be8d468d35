"""When a token should be replaced, told by the token."""

from __future__ import annotations

import math

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada_client.token_life import renewal_seconds

SECRET = "a secret of at least thirty-two bytes"


def token(**claims: object) -> str:
    return jwt.encode(claims, SECRET, algorithm="HS256")


@pytest.mark.parametrize(
    ("life", "renewed_after"), [(600, 540), (3600, 3540), (300, 240), (120, 60), (60, 30), (1, 0.5)]
)
def test_a_token_is_replaced_a_minute_before_it_expires(life: int, renewed_after: float) -> None:
    assert renewal_seconds(token(iat=1_000, exp=1_000 + life)) == renewed_after


@pytest.mark.parametrize(
    "opaque",
    [
        "",
        "good-token",
        "a.b.c",
        "..",
        "a.é.c",
        "a.bnVsbA.c",  # null
        "a.W10.c",  # a list
        token(exp=5_000),
        token(iat=5_000),
        token(exp=5_000, iat=5_000),
        token(exp=4_000, iat=5_000),
        token(exp="soon", iat="now"),
        token(exp=[600], iat=0),
    ],
)
def test_a_token_that_does_not_say_is_not_replaced(opaque: str) -> None:
    assert renewal_seconds(opaque) == math.inf


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert renewal_seconds(text) == math.inf
