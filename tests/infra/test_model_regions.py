"""Which models a stack gets in each region, what it may invoke, and which regions it is refused in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
import pytest

from cicada.adapters.bedrock.embedder import embedding_model
from cicada.adapters.opensearch.schema import index_name
from infra.context_values import ContextValueError
from infra.model_choice import GEOGRAPHIES, PREFERRED, ModelNotOfferedError, regions_of
from infra.model_regions import model_regions
from infra.settings import StageSettings, stage_settings
from tests.infra.deployed import Deployed, deployed, with_other_choices
from tests.infra.test_permissions import GEOGRAPHIES as REGIONS

ROOT = Path(__file__).resolve().parents[2]
TABLE = model_regions()
ROW = re.compile(r"^\| `(\w+)` \| ([a-z0-9, -]+) \| ([\w-]+) \| ([\w-]+) \| ([\w-]+) \|$", re.MULTILINE)
# Where requests of a geography may be answered.
WITHIN = {
    "ca": r"ca-.*",
    "us": r"(us|ca)-.*",
    "eu": r"eu-.*",
    "apac": r"ap-.*",
    "jp": r"ap-northeast-[13]",
    "au": r"ap-southeast-[24]",
}
COHERE = {"embeddingModel": "cohere"}
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html, without white space.
INLINE_POLICY_LIMIT = 10_240


def settings(**context: str) -> StageSettings:
    return stage_settings(({"stage": "dev", "page": "none"} | context).get)


def models_of(stage: StageSettings) -> set[str]:
    every = {*stage.chat_model_ids, stage.query_model_id, stage.agent_model_id, stage.context_model_id}
    return every | {stage.embedding_model_id, *stage.plan_model_ids, *stage.rerank_model_ids}


def refusal(**context: str) -> str:
    with pytest.raises((ModelNotOfferedError, ContextValueError)) as refused:
        settings(**context)
    return str(refused.value)


def documented() -> dict[str, tuple[str, str, str, str]]:
    """The geography and models of each region, as docs/regions.md has them."""
    rows = ROW.findall((ROOT / "docs" / "regions.md").read_text("utf-8"))
    return {region: (geography, *models) for geography, regions, *models in rows for region in regions.split(", ")}


def short(id: str) -> str:
    return re.sub(r"^(\w+\.)?(amazon|anthropic)\.|(-\d{8})?-v1:0$", "", id)


def test_no_default_is_a_model_that_new_accounts_do_not_get() -> None:
    table = model_regions()
    assert "amazon.nova-premier-v1:0" in table.retired
    assert not {model for models in PREFERRED.values() for model in models} & table.retired
    assert set(table.successors.values()) & table.retired == set()


@pytest.mark.parametrize("region", sorted(TABLE.collections))
def test_every_region_gets_models_that_it_has_or_a_sentence(region: str) -> None:
    if region not in documented():
        assert region in refusal(region=region)
        return
    stage = settings(region=region)
    assert stage.region == region
    assert [id for id in models_of(stage) if region not in (TABLE.callers(id) or ())] == []


@pytest.mark.parametrize("region", sorted(documented()))
def test_the_documented_models_are_chosen(region: str) -> None:
    geography, chat, small, large = documented()[region]
    stage = settings(region=region)
    prefix = "" if geography == "region" else f"{geography}."
    [chat_model_id] = stage.chat_model_ids
    assert chat_model_id.startswith(prefix + ("amazon." if not prefix else ""))
    assert short(chat_model_id) == chat
    assert {short(id) for id in (stage.query_model_id, stage.context_model_id)} == {small}
    assert {short(id) for id in (stage.agent_model_id, stage.plan_model_ids[0])} == {large}


@pytest.mark.parametrize("geography", GEOGRAPHIES)
def test_models_answer_within_the_geography_that_was_asked_for(geography: str) -> None:
    regions = regions_of(TABLE, geography)
    assert regions
    for region in regions:
        stage = settings(region=region, geography=geography)
        profiles = [id for id in models_of(stage) if id in TABLE.profiles]
        assert all(id.startswith(f"{geography}.") for id in profiles)
        assert bool(profiles) == (geography != "region")
        if geography in WITHIN:
            reached = {to for id in profiles for to in TABLE.destinations(id, region)} - {"*"}
            assert [each for each in reached if not re.fullmatch(WITHIN[geography], each)] == []


def test_the_regions_with_collections_are_those_that_botocore_knows() -> None:
    session = boto3.session.Session()
    partitions = ("aws", "aws-us-gov")
    known = [session.get_available_regions("opensearchserverless", partition_name=each) for each in partitions]
    assert set(TABLE.collections) == {region for each in known for region in each}


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"region": "af-south-1"}, "af-south-1 is no region with OpenSearch Serverless: deploy to ap-east-1, "),
        (
            {"region": "sa-east-1"},
            "In sa-east-1 .* Accept that with -c geography=global, or deploy to ap-northeast-1, ",
        ),
        ({"region": "eu-central-2"}, "In eu-central-2 .* none of the known models for chatModel, .* Deploy to ap-"),
        ({"geography": "mars"}, "There is no geography 'mars': use -c geography=ca, us, eu, "),
        (
            {"geography": "au"},
            "geography=au has none of amazon.nova-lite.* in us-east-1: use -c geography=us or .* -c chatModel=",
        ),
        (
            {"region": "eu-central-2", "geography": "eu"},
            "none of .* in eu-central-2: deploy to eu-central-1, eu-north-1",
        ),
        (
            {"region": "eu-central-1", "chatModel": "amazon.nova-lite-v1:0"},
            "chatModel: amazon.nova-lite-v1:0 cannot be invoked in eu-central-1: use -c chatModel=eu.amazon.nova-lite",
        ),
        (
            {"region": "eu-central-1", "planModels": "eu.amazon.nova-pro-v1:0, us.amazon.nova-lite-v1:0"},
            "planModels: us.amazon.nova-lite-v1:0 cannot .* eu-central-1: it can be invoked in us-east-1, us-east-2",
        ),
        (
            {"cardModel": "jp.amazon.nova-2-lite-v1:0"},
            "cardModel: jp.amazon.nova-2-lite-v1:0 cannot be invoked in us-e",
        ),
        ({"rerank": "amazon"}, "no amazon.rerank-v1:0 in us-east-1: use -c rerank=local, or deploy to ap-northeast-1"),
        (
            {"region": "ap-southeast-1", "embeddingModel": "titan"},
            "none of amazon.titan-embed-text-v2:0 in ap-southeas",
        ),
    ],
)
def test_what_a_region_does_not_have_is_refused_with_what_to_do(context: dict[str, str], sentence: str) -> None:
    assert re.search(sentence, refusal(**context))


def test_a_stack_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDK_DEFAULT_REGION", "eu-west-1")
    assert settings().region == "eu-west-1"
    assert settings(region="us-west-2").region == "us-west-2"
    monkeypatch.delenv("CDK_DEFAULT_REGION")
    assert refusal() == "No region is known: set AWS_REGION, or use -c region=…, such as -c region=eu-central-1."
    assert stage_settings({"stage": "local"}.get).region == "us-east-1"


def test_a_region_without_known_models_can_be_used_with_others() -> None:
    model = "eu.anthropic.claude-sonnet-4-6"
    named = dict.fromkeys(("chatModel", "queryModel", "planModels", "contextModel", "agentModel"), model)
    stage = settings(region="eu-central-2", geography="region", **named)
    assert models_of(stage) == {model, "amazon.titan-embed-text-v2:0"}


@pytest.mark.parametrize(
    ("region", "wanted", "model"),
    [
        ("us-east-1", "", "amazon.titan-embed-text-v2:0"),
        ("us-west-1", "", "us.cohere.embed-v4:0"),
        ("ap-southeast-1", "", "cohere.embed-multilingual-v3"),
        ("us-east-1", "cohere", "cohere.embed-v4:0"),
        ("us-west-2", "cohere", "us.cohere.embed-v4:0"),
        ("eu-central-1", "cohere", "cohere.embed-multilingual-v3"),
        ("eu-central-1", "titan", "amazon.titan-embed-text-v2:0"),
        ("eu-central-1", "global.cohere.embed-v4:0", "global.cohere.embed-v4:0"),
    ],
)
def test_passages_are_embedded_by_a_model_that_the_library_knows(region: str, wanted: str, model: str) -> None:
    stage = settings(region=region, embeddingModel=wanted)
    assert (stage.embedding_model_id, stage.embedding_dimension) == (model, 1024)
    assert embedding_model(model, stage.embedding_dimension).batch_size >= 1


@pytest.mark.parametrize("function", ["ingest-document", "message-processor"])
def test_another_embedding_model_has_another_index(function: str) -> None:
    stages = (deployed("dev"), with_other_choices())
    models = [stage.environment(function)["CICADA_EMBEDDING_MODEL_ID"] for stage in stages]
    assert models == ["amazon.titan-embed-text-v2:0", "cohere.embed-v4:0"]
    assert len({index_name(model, 1024) for model in models}) == len(models)


def test_a_reranker_is_no_fallback_where_it_is_not_offered() -> None:
    assert settings(rerank="cohere").rerank_model_ids == ("cohere.rerank-v3-5:0",)
    elsewhere = settings(rerank="cohere", region="eu-central-1")
    assert elsewhere.rerank_model_ids == ("cohere.rerank-v3-5:0", "amazon.rerank-v1:0")


def test_auto_is_the_cheaper_reranker_that_the_region_has() -> None:
    assert settings(rerank="auto").rerank_model_ids == ("cohere.rerank-v3-5:0",)
    elsewhere = settings(rerank="auto", region="eu-central-1")
    assert elsewhere.rerank_model_ids == ("amazon.rerank-v1:0", "cohere.rerank-v3-5:0")


def in_region(geography: str) -> Deployed:
    """The stage whose permissions are tested too."""
    return deployed("dev", "bedrock", geography=geography, region=REGIONS[geography], page="none")


def statements(stage: Deployed, role: str) -> list[dict[str, Any]]:
    """The Bedrock statements of a function's role, with readable resources and conditions."""
    [policy] = [each for id, each in stage.of_kind("AWS::IAM::Policy") if id.startswith(role)]
    assert len(json.dumps(policy["PolicyDocument"], separators=(",", ":"))) <= INLINE_POLICY_LIMIT
    found = []
    for each in policy["PolicyDocument"]["Statement"]:
        actions = each["Action"] if isinstance(each["Action"], list) else [each["Action"]]
        if not any(action.startswith("bedrock:") for action in actions):
            continue
        resources = each["Resource"] if isinstance(each["Resource"], list) else [each["Resource"]]
        conditions = each.get("Condition", {}).get("StringEquals", {})
        found.append(
            {
                "actions": sorted(actions),
                "resources": sorted(stage.text(resource).removeprefix("arn:aws:bedrock:") for resource in resources),
                "if": {key: stage.text(value).removeprefix("arn:aws:bedrock:") for key, value in conditions.items()},
            }
        )
    return found


def test_a_geographic_profile_has_the_statements_that_aws_documents() -> None:
    """`Deployed` reads the stack's own region as us-east-1."""
    stage = in_region("eu")
    found = statements(stage, "MessageProcessorMessageProcessorRole")
    profile = "us-east-1:111122223333:inference-profile/eu.amazon.nova-lite-v1:0"
    streams = [each for each in found if "bedrock:InvokeModelWithResponseStream" in each["actions"]]
    assert any(
        each["resources"] == [profile] and "bedrock:GetInferenceProfile" in each["actions"] and not each["if"]
        for each in streams
    )
    regions = ("eu-central-1", "eu-north-1", "eu-west-1", "eu-west-3")
    assert any(
        each["resources"] == [f"{region}::foundation-model/amazon.nova-lite-v1:0" for region in regions]
        and each["if"] == {"bedrock:InferenceProfileArn": profile}
        for each in streams
    )


def test_a_global_profile_has_the_statements_that_aws_documents() -> None:
    stage = in_region("global")
    found = statements(stage, "IngestIngestDocumentRole")
    model = "foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0"
    profile = "us-east-1:111122223333:inference-profile/global.anthropic.claude-haiku-4-5-20251001-v1:0"
    through = {"bedrock:InferenceProfileArn": profile}
    invoke = ["bedrock:InvokeModel"]
    titan = "us-east-1::foundation-model/amazon.titan-embed-text-v2:0"
    wanted: list[dict[str, Any]] = [
        {"actions": invoke, "resources": [titan], "if": {}},
        {
            "actions": ["bedrock:GetInferenceProfile", *invoke],
            "resources": [profile],
            "if": {"aws:RequestedRegion": "us-east-1"},
        },
        {
            "actions": invoke,
            "resources": [f"us-east-1::{model}"],
            "if": {"aws:RequestedRegion": "us-east-1"} | through,
        },
        {"actions": invoke, "resources": [f"::{model}"], "if": {"aws:RequestedRegion": "unspecified"} | through},
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("geography", ["us", "eu", "apac", "global"])
def test_no_role_has_more_policy_than_iam_takes(geography: str) -> None:
    stage = in_region(geography)
    for _, policy in stage.of_kind("AWS::IAM::Policy"):
        assert len(json.dumps(policy["PolicyDocument"], separators=(",", ":"))) <= INLINE_POLICY_LIMIT


def test_the_app_ends_with_the_sentence_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDK_DEFAULT_REGION", "af-south-1")
    monkeypatch.setenv("CDK_CONTEXT_JSON", '{"stage": "dev"}')
    ended = subprocess.run([sys.executable, "app.py"], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines()[-1].startswith("af-south-1 is no region with OpenSearch Serverless")
    assert "Traceback" not in ended.stderr
