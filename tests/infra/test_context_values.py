"""What a deployment is given with `-c name=value`: a mistake is refused before anything is deployed."""

from __future__ import annotations

from typing import Any

import pytest

from infra.context_values import NAMES, ContextValueError, refuse_misspelt
from infra.settings import stage_settings
from tests.infra.conftest import template_of
from tests.infra.deployed import with_additions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("messagesPerMinute", "many"),
        ("messagesPerMinute", "0"),
        ("requestsInFlight", "2.5"),
        ("chatMaxTokens", "-1"),
        ("chatTemperature", "0,2"),
        ("chatTemperature", "2"),
        ("chatTemperature", "nan"),
        ("firstTextSeconds", "16"),
        ("nextTextSeconds", "0"),
        ("leaseSeconds", "0"),
        ("leaseSeconds", "15s"),
        ("accountConcurrency", "many"),
        ("searchUnits", "1"),
        ("searchUnits", "12"),
        ("searchUnits", "1712"),
        ("warmSearchUnits", "8"),
        ("warmSearchUnits", "-1"),
        ("tenantTokensPerDay", "1e6"),
        ("monthlyBudget", "0"),
        ("monthlyBudget", "50.5"),
    ],
)
def test_a_value_that_is_no_such_number_is_refused_with_what_to_give(name: str, value: str) -> None:
    context = {"stage": "dev", "region": "us-east-1", name: value}
    with pytest.raises(ContextValueError, match=f"^-c {name}={value} cannot be used: give ") as refused:
        stage_settings(context.get)
    assert "int()" not in str(refused.value)


@pytest.mark.parametrize("name", ["editors", "administrators"])
def test_a_groups_name_that_no_group_can_have_is_refused(name: str) -> None:
    for value in ("a b", "a\n", "x" * 129):
        context = {"stage": "dev", "region": "us-east-1", name: value}
        with pytest.raises(ContextValueError, match="give a group's name of at most 128 characters"):
            stage_settings(context.get)
    assert getattr(stage_settings({"stage": "dev", "region": "us-east-1"}.get), name) == ""


@pytest.mark.parametrize("value", ["32", "64x", "2x", "1X", "none", 8])
def test_a_compression_that_is_none_is_refused_with_those_there_are(value: Any) -> None:
    context = {"stage": "dev", "region": "us-east-1", "vectorCompression": value}
    with pytest.raises(ContextValueError, match=r"use -c vectorCompression=1x, 8x, 16x or 32x\.$"):
        stage_settings(context.get)


@pytest.mark.parametrize(("value", "tokens"), [("none", 0), ("0", 0), ("500000", 500000)])
@pytest.mark.parametrize("stage", ["local", "dev"])
def test_a_tenants_tokens_of_a_day_are_limited_on_every_stage(stage: str, value: str, tokens: int) -> None:
    context = {"stage": stage, "region": "us-east-1", "tenantTokensPerDay": value}
    assert stage_settings(context.get).tenant_tokens_per_day == tokens


def test_the_processor_gets_a_tenants_tokens_of_a_day() -> None:
    environment = with_additions().environment("message-processor")
    assert environment["CICADA_TENANT_TOKENS_PER_DAY"] == "500000"


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"chatModel": "a", "chatModels": "b"}, "cannot be used together"),
        ({"chatModels": "a,b,c,d"}, "3 models at most"),
    ],
)
def test_chat_models_are_refused_in_a_sentence(context: dict[str, str], sentence: str) -> None:
    with pytest.raises(ContextValueError, match=sentence):
        stage_settings(({"stage": "dev", "region": "us-east-1"} | context).get)


def test_a_misspelt_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(ContextValueError, match=r"-c geogrphy=… is not known: did you mean -c geography=…\?"):
        refuse_misspelt(["stage", "geogrphy"])


def test_a_synth_refuses_a_misspelt_name() -> None:
    with pytest.raises(ContextValueError, match="accountConcurrency"):
        template_of("dev", accountConcurency="100")


def test_the_names_of_others_are_left_alone() -> None:
    refuse_misspelt(["@aws-cdk/core:checkSecretUsage", "availability-zones:account=1:region=eu-west-1", "owner"])


def test_what_cdk_json_keeps_for_stages_on_aws_leaves_the_local_stage_as_it_is() -> None:
    """Both are made of one `cdk.json`."""
    kept = {
        "dataKey": "create",
        "collectionName": "another",
        "identityProvider": "Okta",
        "samlMetadataUrl": "https://example.okta.com/metadata",
        "vpc": "vpc-0123456789abcdef0",
        "vpcSubnets": "subnet-0123456789abcdef0",
        "pageDomain": "chat.example.com",
        "alarmEmail": "ops@example.com",
        "dataEvents": "create",
        "searchUnits": "8",
        "monthlyBudget": "50",
        "modelProfiles": "on",
    }
    assert stage_settings({"stage": "local", **kept}.get) == stage_settings({"stage": "local"}.get)


@pytest.mark.parametrize("stage", ["local", "dev"])
def test_every_name_that_is_read_is_known(stage: str) -> None:
    read: set[str] = set()

    def context(name: str) -> Any:
        read.add(name)
        return {"stage": stage, "region": "us-east-1"}.get(name)

    stage_settings(context)
    assert read <= NAMES
