"""The list prices that a deployment gives the function of administrators."""

from __future__ import annotations

from infra.prices import token_prices
from tests.infra.deployed import deployed


def test_the_model_of_a_profile_is_priced_by_a_million_tokens() -> None:
    priced = {"read_dollars": "0.035", "written_dollars": "0.14", "prices_of": "2026-11-26"}
    assert token_prices("us.amazon.nova-micro-v1:0") == token_prices("amazon.nova-micro-v1:0") == priced


def test_a_model_without_a_price_has_none() -> None:
    assert token_prices("unknown.model-v1:0") == token_prices("amazon.titan-embed-text-v2:0") == {}


def test_administrators_are_given_the_prices_of_the_chat_model() -> None:
    variables = deployed("dev").environment("ws-admin")
    assert (variables["CICADA_READ_DOLLARS"], variables["CICADA_PRICES_OF"]) == ("0.06", "2026-11-26")
