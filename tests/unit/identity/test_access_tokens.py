from __future__ import annotations

import pytest

from cicada.identity import Principal, accepted_subprotocol, offered_token

HEADER = "Sec-WebSocket-Protocol"


@pytest.mark.parametrize(
    ("headers", "query", "token"),
    [
        ({HEADER: "cicada.v1, abc"}, {}, "abc"),
        ({HEADER: "cicada.v1,abc"}, {}, "abc"),
        ({HEADER.lower(): "  cicada.v1 ,  abc  "}, {}, "abc"),
        ({}, {"token": "abc"}, "abc"),
        ({HEADER: "cicada.v1"}, {"token": "abc"}, "abc"),
        ({HEADER: "cicada.v1, abc"}, {"token": "other"}, "abc"),
        ({HEADER: "abc, cicada.v1"}, {}, ""),
        ({HEADER: "cicada.v2, abc"}, {}, ""),
        ({HEADER: "cicada.v1, abc, def"}, {}, ""),
        ({HEADER: "abc"}, {}, ""),
        ({HEADER: ""}, {}, ""),
        ({}, {"Token": "abc"}, ""),
        ({"Authorization": "Bearer abc"}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_a_token_is_offered_in_header_or_query(headers: dict[str, str], query: dict[str, str], token: str) -> None:
    assert offered_token(headers, query) == token


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        ("cicada.v1, abc", {HEADER: "cicada.v1"}),
        ("cicada.v1", {HEADER: "cicada.v1"}),
        ("graphql-ws, cicada.v1", {HEADER: "cicada.v1"}),
        ("cicada.v2, abc", {}),
        ("", {}),
    ],
)
def test_the_reply_chooses_the_protocol_and_never_the_token(offered: str, chosen: dict[str, str]) -> None:
    assert accepted_subprotocol({HEADER.lower(): offered}) == chosen


def test_a_client_that_offers_no_subprotocol_is_answered_none() -> None:
    assert accepted_subprotocol({"Host": "x"}) == {}


def test_users_of_different_tenants_own_different_things() -> None:
    assert Principal("acme", "ann").owner == "acme#ann" != Principal("other", "ann").owner
