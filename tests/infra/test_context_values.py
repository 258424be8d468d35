"""What a deployment is given with `-c name=value`: a mistake is refused before anything is deployed."""

from __future__ import annotations

from typing import Any

import pytest

from infra.context_values import NAMES, ContextValueError, refuse_misspelt
from infra.settings import stage_settings
from tests.infra.conftest import template_of
from tests.infra.deployed import with_additions

GROUP = "a group's name of at most 128 characters."
# What cannot be used, and what is asked for instead.
UNUSABLE: list[tuple[str, list[str], str]] = [
    ("messagesPerMinute", ["many", "0"], "a whole number from 1 on."),
    ("requestsInFlight", ["2.5"], "a whole number from 1 on."),
    ("chatMaxTokens", ["-1"], "a whole number from 1 on."),
    ("chatTemperature", ["0,2", "2", "nan"], ""),
    ("firstTextSeconds", ["16"], "seconds from 1 to 15"),
    ("nextTextSeconds", ["0"], "seconds from 1 to 45"),
    ("leaseSeconds", ["0", "15s"], ""),
    ("accountConcurrency", ["many", "none", "9"], "a whole number from 10 on."),
    ("searchUnits", ["1", "12", "1712"], "2, 4, 8, 16 or a multiple of 16 up to 1,696."),
    ("warmSearchUnits", ["8", "-1"], "0, 1, 2, 4."),
    ("tenantTokensPerDay", ["1e6"], "a whole number from 0 on."),
    ("monthlyBudget", ["0", "50.5"], "a whole number from 1 on."),
    (
        "guardrail",
        ["gr1abc", "gr1abc:", ":1", "GR1:1", "gr1abc:0", "gr1abc:draft", "arn:aws:bedrock:x:1"],
        "ID:VERSION",
    ),
    ("editors", ["a b", "a\n", "x" * 129], GROUP),
    ("administrators", ["a b", "a\n", "x" * 129], GROUP),
]
# What is not among the choices, and the sentence that names these.
UNKNOWN: list[tuple[str, list[Any], str]] = [
    ("auditDays", ["500", "0", "a year"], "use -c auditDays=1, 3, 5, 7, "),
    ("defaultTenant", ["a b", "-a", "acme_corp", "a" * 64, "acme\n"], "use -c defaultTenant="),
    ("vectorCompression", ["32", "64x", "2x", "1X", "none", 8], "use -c vectorCompression=1x, 8x, 16x or 32x."),
    ("stage", ["staging"], "use -c stage="),
    ("agents", ["none"], "use -c agents="),
    ("apiLogRole", ["maybe"], "use -c apiLogRole="),
    ("protect", ["maybe"], "use -c protect="),
    ("rerank", ["best"], "There is no reranker 'best': use -c rerank=local, amazon, cohere or auto."),
    ("dataEvents", ["yes"], "There is no dataEvents 'yes': use -c dataEvents=none, create or existing."),
    ("grounding", ["model"], "There is no check of sentences 'model': use -c grounding=words or bedrock."),
    ("mfa", ["sms"], "use -c mfa=optional, off or required."),
    ("modelProfiles", ["yes"], "There is no modelProfiles 'yes': use -c modelProfiles=off or on."),
    ("releases", ["slow"], "'slow': use -c releases=direct, gradual or urgent."),
    ("ocr", ["tesseract"], "There is no recognition of text 'tesseract': use -c ocr=none or textract."),
    ("chatModels", ["a,b,c,d"], "3 models at most"),
]


def refusal(**context: Any) -> str:
    with pytest.raises(ContextValueError) as refused:
        stage_settings({"stage": "prod", "region": "us-east-1", **context}.get)
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "wanted"), [(name, each, w) for name, values, w in UNUSABLE for each in values]
)
def test_a_value_that_cannot_be_used_is_refused_with_what_to_give(name: str, value: str, wanted: str) -> None:
    assert refusal(**{name: value}).startswith(f"-c {name}={value} cannot be used: give {wanted}")


@pytest.mark.parametrize(
    ("name", "value", "sentence"), [(name, each, s) for name, values, s in UNKNOWN for each in values]
)
def test_an_unknown_choice_is_refused_with_the_known_ones(name: str, value: Any, sentence: str) -> None:
    assert sentence in refusal(**{name: value})


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"chatModel": "a", "chatModels": "b"}, "cannot be used together"),
        ({"region": "eu-north-1", "ocr": "textract"}, "eu-north-1 has no Amazon Textract: leave out -c ocr=textract"),
    ],
    ids=["one chat model and several", "a region without Textract"],
)
def test_values_that_do_not_go_together_are_refused(context: dict[str, str], sentence: str) -> None:
    assert sentence in refusal(**context)


def test_nobody_edits_or_administers_unless_a_group_is_named() -> None:
    settings = stage_settings({"stage": "dev", "region": "us-east-1"}.get)
    assert (settings.editors, settings.administrators) == ("", "")


@pytest.mark.parametrize(("value", "tokens"), [("none", 0), ("0", 0), ("500000", 500000)])
@pytest.mark.parametrize("stage", ["local", "dev"])
def test_a_tenants_tokens_of_a_day_are_limited_on_every_stage(stage: str, value: str, tokens: int) -> None:
    context = {"stage": stage, "region": "us-east-1", "tenantTokensPerDay": value}
    assert stage_settings(context.get).tenant_tokens_per_day == tokens


def test_the_processor_gets_a_tenants_tokens_of_a_day() -> None:
    environment = with_additions().environment("message-processor")
    assert environment["CICADA_TENANT_TOKENS_PER_DAY"] == "500000"


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
