"""`cicada doctor`, run as an operator runs it, on an account whose replies are scripted."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError

from cli.operator.account_checks import BOOTSTRAP_LEAST
from infra.concurrency import CHAT_FUNCTIONS, concurrency_budget
from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_stacks import described
from tests.cli.test_status_command import details, indexed, profile

__all__ = ["aws_account"]

CHOSEN = ["-c", "planModels=none", "-c", "contextModel=none", "-c", "queryModel=amazon.nova-micro-v1:0"]
CHOSEN += ["-c", "chatModel=us.amazon.nova-lite-v1:0", "-c", "agentModel=us.amazon.nova-lite-v1:0"]
OPEN = {
    "agreementAvailability": {"status": "AVAILABLE"},
    "authorizationStatus": "AUTHORIZED",
    "entitlementAvailability": "AVAILABLE",
    "regionAvailability": "AVAILABLE",
}


def through_profiles_only(parameters: Any) -> dict[str, Any]:
    return details(parameters, ("INFERENCE_PROFILE",))


def available(**changed: Any) -> Any:
    return lambda parameters: {"modelId": parameters["modelId"], **OPEN, **changed}


def quota(account: int, unreserved: int | None = None) -> dict[str, Any]:
    free = account if unreserved is None else unreserved
    return {"AccountLimit": {"ConcurrentExecutions": account, "UnreservedConcurrentExecutions": free}}


def no_stack(parameters: Any) -> Exception:
    return refusal("ValidationError", f"Stack with id {parameters['StackName']} does not exist")


def empty_quota(name: str) -> dict[str, Any]:
    return {"Quotas": [{"QuotaName": name, "Value": 0.0}, {"QuotaName": "Something else", "Value": 3.0}]}


@pytest.fixture
def account(aws_account: ScriptedAws, monkeypatch: pytest.MonkeyPatch) -> ScriptedAws:
    """A bootstrapped account in which nothing is deployed."""
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    aws_account.replies |= {
        ("sts", "GetCallerIdentity"): {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/op"},
        ("ssm", "GetParameter"): {"Parameter": {"Value": str(BOOTSTRAP_LEAST)}},
        ("cloudformation", "DescribeStacks"): no_stack,
        ("logs", "DescribeLogGroups"): {"logGroups": []},
        ("opensearchserverless", "GetAccountSettings"): {"accountSettingsDetail": {}},
        ("opensearchserverless", "BatchGetCollection"): {"collectionDetails": []},
        ("apigateway", "GetAccount"): {"cloudwatchRoleArn": "arn:aws:iam::1:role/logs"},
        ("lambda", "GetAccountSettings"): quota(10),
        ("service-quotas", "ListServiceQuotas"): empty_quota("On-demand InvokeModel tokens per minute for X Y"),
        ("bedrock", "GetFoundationModel"): details,
        ("bedrock", "GetFoundationModelAvailability"): available(),
        ("bedrock", "GetInferenceProfile"): profile,
    }
    return aws_account


def findings(shell: Shell, code: int, *options: str) -> list[tuple[str, str, str]]:
    shell.read()
    assert shell("doctor", "--json", *CHOSEN, *options) == code
    shown = shell.json()
    return [(each["subject"], each["state"], each["text"]) for each in shown["findings"]]


def test_an_account_that_is_ready_is_shown_part_by_part(account: ScriptedAws, shell: Shell) -> None:
    found = findings(shell, 0)
    assert found[:6] == [
        ("login", "ok", "arn:aws:iam::123456789012:user/op in the account 123456789012, region us-east-1."),
        ("bootstrap", "ok", f"version {BOOTSTRAP_LEAST}."),
        ("stack", "ok", "Cicada-dev is not deployed yet."),
        ("search", "ok", "OpenSearch Serverless answers."),
        ("log role", "ok", "API Gateway has a role for its logs."),
        ("concurrency", "ok", "10 concurrent executions."),
    ]
    assert ("models", "ok", "us.amazon.nova-lite-v1:0 can be used.") in found
    assert {state for _, state, _ in found} == {"ok"}
    changing = ("Create", "Put", "Delete", "Update", "Request")
    assert not [operation for _, operation, _ in account.calls if operation.startswith(changing)]


def problem(found: list[tuple[str, str, str]]) -> tuple[str, str]:
    [(subject, _, text)] = [each for each in found if each[1] == "problem"]
    return subject, text


LITE = "us.amazon.nova-lite-v1:0"
MICRO = "amazon.nova-micro-v1:0"
ELSEWHERE = "deploy with models or inference profiles of this region, or set AWS_REGION to another."


@pytest.mark.parametrize(
    ("call", "reply", "subject", "text"),
    [
        (
            ("ssm", "GetParameter"),
            refusal("ParameterNotFound"),
            "bootstrap",
            "the account is not bootstrapped in this region: run `node_modules/.bin/cdk bootstrap"
            " aws://123456789012/us-east-1`.",
        ),
        (
            ("ssm", "GetParameter"),
            {"Parameter": {"Value": "5"}},
            "bootstrap",
            "version 5 is older than 6, which the stack needs: run `node_modules/.bin/cdk bootstrap"
            " aws://123456789012/us-east-1`.",
        ),
        (
            ("logs", "DescribeLogGroups"),
            {"logGroups": [{"logGroupName": "/aws/lambda/cicada-dev-ws-message"}]},
            "stack",
            "1 log groups of an earlier stack are left, such as /aws/lambda/cicada-dev-ws-message: delete them first.",
        ),
        (
            ("lambda", "GetAccountSettings"),
            quota(9),
            "concurrency",
            "the account has 9 concurrent executions, not 10: it cannot be deployed, or ask for more in Service Quotas,"
            " AWS Lambda, Concurrent executions.",
        ),
        (
            ("opensearchserverless", "GetAccountSettings"),
            EndpointConnectionError(endpoint_url="https://aoss.us-east-1.amazonaws.com"),
            "search",
            "OpenSearch Serverless is not in us-east-1: set AWS_REGION to one that has it, such as ap-east-1,"
            " ap-northeast-1, ap-northeast-2, ap-northeast-3, ap-south-1, ap-south-2, ap-southeast-1, ap-southeast-2,"
            " ca-central-1.",
        ),
        (
            ("bedrock", "GetInferenceProfile"),
            refusal("ResourceNotFoundException"),
            "models",
            f"{LITE} is not in us-east-1: {ELSEWHERE}",
        ),
        (
            ("service-quotas", "ListServiceQuotas"),
            empty_quota("Cross-Region InvokeModel tokens per minute for Amazon Nova Lite"),
            "models",
            "the quota 'Cross-Region InvokeModel tokens per minute for Amazon Nova Lite' of this account is 0: ask for"
            " more in Service Quotas, Amazon Bedrock.",
        ),
        (
            ("service-quotas", "ListServiceQuotas"),
            empty_quota("On-demand InvokeModel tokens per minute for Amazon Nova Micro"),
            "models",
            "the quota 'On-demand InvokeModel tokens per minute for Amazon Nova Micro' of this account is 0: ask for"
            " more in Service Quotas, Amazon Bedrock.",
        ),
    ],
)
def test_problems_say_what_to_do(
    account: ScriptedAws, shell: Shell, call: tuple[str, str], reply: Any, subject: str, text: str
) -> None:
    account.replies[call] = reply
    assert problem(findings(shell, 1)) == (subject, text)


@pytest.mark.parametrize(
    ("call", "reply", "texts"),
    [
        (
            ("bedrock", "GetFoundationModel"),
            through_profiles_only,
            [f"{MICRO} can be called through an inference profile only: {ELSEWHERE}"],
        ),
        (
            ("bedrock", "GetFoundationModelAvailability"),
            available(regionAvailability="NOT_AVAILABLE"),
            [f"{MICRO} is not available in this region: {ELSEWHERE}"],
        ),
        (
            ("bedrock", "GetFoundationModelAvailability"),
            available(authorizationStatus="NOT_AUTHORIZED"),
            [
                f"{MICRO} is not allowed in this account: ask the administrator of the AWS organization.",
                f"{LITE} is not allowed in this account: ask the administrator of the AWS organization.",
            ],
        ),
        (
            ("bedrock", "GetFoundationModelAvailability"),
            available(agreementAvailability={"status": "NOT_AVAILABLE"}),
            [
                f"{LITE} is not open to this account (its terms are not accepted): open it once in the model catalog of"
                " Bedrock's console."
            ],
        ),
        (
            ("bedrock", "GetFoundationModelAvailability"),
            available(entitlementAvailability="NOT_AVAILABLE"),
            [
                f"{LITE} is not open to this account (its terms are not accepted): open it once in the model catalog of"
                " Bedrock's console."
            ],
        ),
    ],
)
def test_model_that_is_not_open(
    account: ScriptedAws, shell: Shell, call: tuple[str, str], reply: Any, texts: list[str]
) -> None:
    account.replies[call] = reply
    problems = {text for _, state, text in findings(shell, 1) if state == "problem"}
    assert set(texts) <= problems
    if len(texts) == 1 and MICRO in texts[0]:
        assert not any(text.startswith(LITE) for text in problems)


def retiring(parameters: Any) -> dict[str, Any]:
    """The first generation of Nova Lite as a legacy model, and every other model as an active one."""
    found = details(parameters)
    days = {
        "endOfLifeTime": datetime(2027, 6, 1, tzinfo=UTC),
        "publicExtendedAccessTime": datetime(2027, 3, 1, tzinfo=UTC),
    }
    lite = parameters["modelIdentifier"] == "amazon.nova-lite-v1:0"
    found["modelDetails"]["modelLifecycle"] = {"status": "LEGACY", **days} if lite else {"status": "ACTIVE"}
    return found


def test_a_legacy_model_is_refused_with_its_successor_and_its_end(account: ScriptedAws, shell: Shell) -> None:
    account.replies["bedrock", "GetFoundationModel"] = retiring
    assert problem(findings(shell, 1)) == (
        "models",
        f"{LITE} is a legacy model, which new accounts cannot use; it may cost more from 2027-03-01; it ends on"
        " 2027-06-01: deploy with us.amazon.nova-2-lite-v1:0 in its place, and measure your own questions first"
        " (docs/regions.md).",
    )


def test_a_legacy_embedding_model_needs_a_new_index(account: ScriptedAws, shell: Shell) -> None:
    def legacy(parameters: Any) -> dict[str, Any]:
        found = details(parameters)
        if "titan" in parameters["modelIdentifier"]:
            found["modelDetails"]["modelLifecycle"] = {"status": "LEGACY"}
        return found

    account.replies["bedrock", "GetFoundationModel"] = legacy
    _, text = problem(findings(shell, 1))
    assert text.endswith(
        "deploy with -c embeddingModel=cohere.embed-v4:0, and ingest all documents again: its index is a new one."
    )


GUARDRAIL = {
    "name": "house",
    "guardrailId": "gr1",
    "guardrailArn": "arn:gr1",
    "version": "7",
    "status": "READY",
    "createdAt": datetime(2026, 1, 1, tzinfo=UTC),
    "updatedAt": datetime(2026, 1, 1, tzinfo=UTC),
    "blockedInputMessaging": "No.",
    "blockedOutputsMessaging": "No.",
}
PROFILE = {"guardrailProfileId": "us.guardrail.v1:0", "guardrailProfileArn": f"arn:aws:bedrock:us-east-1:1:{0:020}"}


@pytest.mark.parametrize(
    ("reply", "state", "text"),
    [
        (GUARDRAIL, "ok", "house (gr1:7) is READY."),
        (GUARDRAIL | {"status": "FAILED"}, "problem", "house (gr1:7) is FAILED."),
        (refusal("ResourceNotFoundException"), "problem", "gr1:7 is not in us-east-1: look it up by"),
        (GUARDRAIL | {"crossRegionDetails": PROFILE}, "problem", "gr1:7 may answer in other regions"),
    ],
)
def test_a_guardrail_that_is_given_is_looked_up(
    account: ScriptedAws, shell: Shell, reply: Any, state: str, text: str
) -> None:
    account.replies["bedrock", "GetGuardrail"] = reply
    [found] = [
        each for each in findings(shell, int(state == "problem"), "-c", "guardrail=gr1:7") if each[0] == "guardrail"
    ]
    assert found[1] == state
    assert found[2].startswith(text)
    assert account.called("GetGuardrail") == [{"guardrailIdentifier": "gr1", "guardrailVersion": "7"}]


def test_an_application_inference_profile_is_looked_up_as_a_profile(account: ScriptedAws, shell: Shell) -> None:
    arn = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123"
    asked: list[str] = []

    def asked_for(parameters: Any) -> Any:
        asked.append(parameters["inferenceProfileIdentifier"])
        return profile(parameters | {"inferenceProfileIdentifier": LITE})

    account.replies["bedrock", "GetInferenceProfile"] = asked_for
    assert ("models", "ok", f"{arn} can be used.") in findings(shell, 0, "-c", f"chatModel={arn}")
    assert arn in asked


def test_a_profile_whose_model_is_known_elsewhere_only_can_be_used(account: ScriptedAws, shell: Shell) -> None:
    def known(parameters: Any) -> Any:
        return refusal("ResourceNotFoundException") if "lite" in parameters["modelIdentifier"] else details(parameters)

    account.replies["bedrock", "GetFoundationModel"] = known
    assert ("models", "ok", f"{LITE} can be used.") in findings(shell, 0)


@pytest.mark.parametrize(
    ("status", "state", "text"),
    [
        ("ROLLBACK_COMPLETE", "problem", "The stack Cicada-prod could not be created and was rolled back: "),
        ("UPDATE_COMPLETE", "ok", "Cicada-prod is deployed (UPDATE_COMPLETE)."),
    ],
)
def test_the_state_of_the_stack_is_told(account: ScriptedAws, shell: Shell, status: str, state: str, text: str) -> None:
    account.replies["cloudformation", "DescribeStacks"] = described(status)
    [found] = [each for each in findings(shell, int(state == "problem"), "-c", "stage=prod") if each[0] == "stack"]
    assert found[1] == state
    assert found[2].startswith(text)


@pytest.mark.parametrize("is_incomplete", [True, False])
def test_incomplete_index(account: ScriptedAws, shell: Shell, is_incomplete: bool) -> None:
    account.replies["cloudformation", "DescribeStacks"] = described("UPDATE_COMPLETE", {"IngestFunction": "ingest"})
    account.replies["lambda", "Invoke"] = partial(indexed, is_incomplete=is_incomplete)
    [found] = [each for each in findings(shell, int(is_incomplete), "-c", "stage=prod") if each[0] == "index"]
    assert found[1] == ("problem" if is_incomplete else "ok")
    assert ("run `cicada rebuild --stack Cicada-prod`" in found[2]) == is_incomplete


def test_a_bootstrap_that_failed_is_to_be_deleted_first(account: ScriptedAws, shell: Shell) -> None:
    def states(parameters: Any) -> Any:
        return described("ROLLBACK_COMPLETE") if parameters["StackName"] == "CDKToolkit" else no_stack(parameters)

    account.replies["ssm", "GetParameter"] = refusal("ParameterNotFound")
    account.replies["cloudformation", "DescribeStacks"] = states
    _, text = problem(findings(shell, 1))
    assert text.startswith("the bootstrap failed (ROLLBACK_COMPLETE): delete the stack CDKToolkit in the ")
    account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE")
    assert "has another qualifier than mine" in str(findings(shell, 1, "-c", "@aws-cdk/core:bootstrapQualifier=mine"))
    assert account.called("GetParameter")[-1] == {"Name": "/cdk-bootstrap/mine/version"}


def test_executions_that_others_have_reserved_are_missing(account: ScriptedAws, shell: Shell) -> None:
    budget = concurrency_budget(1000)
    assert budget.reserved
    needed = 100 + budget.reserved * len(CHAT_FUNCTIONS)
    account.replies["lambda", "GetAccountSettings"] = quota(1000, needed - 1)
    subject, text = problem(findings(shell, 1, "-c", "accountConcurrency=1000"))
    assert subject == "concurrency"
    assert text.startswith(f"{needed - 1} of 1000 concurrent executions are not reserved by others: ")
    account.replies["lambda", "GetAccountSettings"] = quota(1000, needed)
    findings(shell, 0, "-c", "accountConcurrency=1000")
    note = "the stage uses 10 of 1000 concurrent executions; -c accountConcurrency=1000 lets it use all."
    assert ("concurrency", "note", note) in findings(shell, 0)


def test_settings_that_the_deployment_refuses_are_a_problem_beside_the_rest(account: ScriptedAws, shell: Shell) -> None:
    found = findings(shell, 1, "-c", "rerank=nobody")
    subject, text = problem(found)
    assert (subject, "-c rerank=local, amazon, cohere or auto" in text) == ("settings", True)
    assert ("log role", "ok", "API Gateway has a role for its logs.") in found


def test_the_region_of_the_deployment_is_looked_at(account: ScriptedAws, shell: Shell) -> None:
    chosen = ["-c", "region=us-west-2", "-c", "queryModel=us.amazon.nova-micro-v1:0"]
    assert findings(shell, 0, *chosen)[0][2].endswith("in the account 123456789012, region us-west-2.")


def test_what_may_not_be_looked_at_is_unknown(account: ScriptedAws, shell: Shell) -> None:
    account.replies["service-quotas", "ListServiceQuotas"] = refusal("AccessDeniedException")
    account.replies["apigateway", "GetAccount"] = refusal("UnknownOperationException")
    unknown = [subject for subject, state, _ in findings(shell, 0) if state == "unknown"]
    assert unknown == ["log role", "model quotas"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-c", "stage"], "-c stage has no value: give it as -c name=value, as for `cdk deploy`."),
        (["-c", "stage=local"], "There is no stage local on AWS: give -c stage=dev or -c stage=prod."),
    ],
)
def test_a_wrong_use_is_one_sentence(account: ScriptedAws, shell: Shell, options: list[str], sentence: str) -> None:
    assert shell("doctor", *options) == 2
    assert shell.err() == f"cicada: {sentence}\n"


def test_nobody_who_is_signed_in_is_one_sentence(account: ScriptedAws, shell: Shell) -> None:
    account.replies["sts", "GetCallerIdentity"] = NoCredentialsError()
    assert shell("doctor") == 2
    assert shell.err().startswith("cicada: There are no AWS credentials: run `aws sso login`")
    account.replies["sts", "GetCallerIdentity"] = refusal("ExpiredToken")
    assert shell("doctor") == 1
    assert shell.err().startswith("cicada: The AWS login has expired: run")


def test_region_without_the_models(account: ScriptedAws, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("AWS_REGION", "af-south-1")
    assert shell("doctor", "--json") == 1
    shown = shell.json()
    assert not shown["ok"]
    [text] = [each["text"] for each in shown["findings"] if each["state"] == "problem"]
    assert text.startswith("af-south-1 is no region with OpenSearch Serverless: deploy to ")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    assert problem(findings(shell, 1, "-c", "geography=nowhere"))[0] == "settings"


def test_a_misspelt_context_value_is_a_problem(account: ScriptedAws, shell: Shell) -> None:
    subject, text = problem(findings(shell, 1, "-c", "geogrphy=eu"))
    assert subject == "settings"
    assert text == "-c geogrphy=… is not known: did you mean -c geography=…?"
