"""`cicada status`, run as an operator runs it, on an account whose replies are scripted."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.response import StreamingBody
from msgspec.structs import replace

from cicada.knowledge_bases.calibrations import SHIPPED, write_calibrations
from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_stacks import described

__all__ = ["aws_account"]

NOW = datetime(2026, 11, 22, tzinfo=UTC)
PARTS = [
    ("AWS::Lambda::Function", "MessageProcessor1", "cicada-dev-message-processor"),
    ("AWS::Lambda::Function", "IngestDocument2", "cicada-dev-ingest-document"),
    ("AWS::SQS::Queue", "RequestQueueRequests3", "https://sqs.test/requests"),
    ("AWS::SQS::Queue", "RequestQueueDeadLetters4", "https://sqs.test/given-up"),
    ("AWS::SQS::Queue", "IngestDocumentsChanges5", "https://sqs.test/documents"),
    ("AWS::SQS::Queue", "IngestDocumentsDeadLetters6", "https://sqs.test/documents-given-up"),
    ("AWS::CloudWatch::Alarm", "AlarmsRequests7", "cicada-dev-requests-given-up"),
    ("AWS::SNS::Topic", "AlarmsTopic8", "arn:aws:sns:eu-central-1:1:cicada-dev-alarms"),
]
SETTINGS = {
    "CICADA_CHAT_MODEL_IDS": "eu.amazon.nova-lite-v1:0",
    "CICADA_PLAN_MODEL_IDS": "eu.amazon.nova-pro-v1:0,eu.amazon.nova-lite-v1:0",
    "CICADA_CONTEXT_MODEL_ID": "",
    "CICADA_EMBEDDING_MODEL_ID": "amazon.titan-embed-text-v2:0",
    "CICADA_EMBEDDING_DIMENSION": "2",
}
OUTPUTS = {
    "IngestFunction": "ingest",
    "UserPoolId": "eu-central-1_pool",
    "DocumentsBucket": "documents",
    "ReadersTable": "readers",
}
SPOKEN = {"role": "assistant", "content": [{"text": "Yes."}]}


NAMES = {"amazon.nova-lite-v1:0": "Nova Lite", "amazon.nova-micro-v1:0": "Nova Micro"}
ARN = "arn:aws:bedrock:eu-north-1::foundation-model/amazon.nova-lite-v1:0"


def details(parameters: Any, kinds: tuple[str, ...] = ("ON_DEMAND",)) -> dict[str, Any]:
    model_id = parameters["modelIdentifier"]
    named = {"modelId": model_id, "modelArn": f"arn:{model_id}", "providerName": "Amazon"}
    name = NAMES.get(model_id, "Titan Text Embeddings V2")
    return {"modelDetails": named | {"modelName": name, "inferenceTypesSupported": list(kinds)}}


def profile(parameters: Any) -> dict[str, Any]:
    model_id = parameters["inferenceProfileIdentifier"]
    names = {"inferenceProfileName": model_id, "inferenceProfileId": model_id, "inferenceProfileArn": "arn:p"}
    return names | {"models": [{"modelArn": ARN}], "status": "ACTIVE", "type": "SYSTEM_DEFINED"}


def account(name: str, *, enabled: bool = True) -> dict[str, Any]:
    return {"Username": name, "Enabled": enabled, "UserStatus": "CONFIRMED", "UserCreateDate": NOW}


def members(groups: dict[str, list[str]]) -> Callable[[Any], dict[str, Any]]:
    return lambda parameters: {"Users": [account(name) for name in groups[parameters["GroupName"]]]}


def body(value: Any) -> StreamingBody:
    content = json.dumps(value).encode()
    return StreamingBody(io.BytesIO(content), len(content))


def subscribed(arn: str) -> dict[str, Any]:
    each = {"SubscriptionArn": arn, "Owner": "1", "Protocol": "email", "Endpoint": "op@example.org", "TopicArn": "t"}
    return {"Subscriptions": [each]}


def alarm(state: str) -> dict[str, Any]:
    said = {"AlarmDescription": "Requests were given up.", "StateReason": "1 > 0"}
    return {"MetricAlarms": [{"AlarmName": "cicada-dev-requests-given-up", "StateValue": state} | said]}


def one_given_up(parameters: Any) -> dict[str, Any]:
    return {"Attributes": {"ApproximateNumberOfMessages": str(int("given" in parameters["QueueUrl"]))}}


def summary(kind: str, logical: str, physical: str) -> dict[str, Any]:
    names = {"ResourceType": kind, "LogicalResourceId": logical, "PhysicalResourceId": physical}
    return names | {"ResourceStatus": "CREATE_COMPLETE", "LastUpdatedTimestamp": NOW}


VECTORS = {"engine": "faiss", "space": "innerproduct", "compression": "1x"}


def indexed(parameters: Any, *, is_incomplete: bool = False, wanted: str = "1x") -> dict[str, Any]:
    """What the ingest function says of the index."""
    if json.loads(parameters["Payload"]) != {"documents": "compare"}:
        return {"Payload": body({"total": 125})}
    store = {"tenant": "acme", "knowledgeBase": "store", "kept": 125, "isIncomplete": is_incomplete}
    packages = {"boto3": "1.40.4", "urllib3": "2.8.0"}
    return {"Payload": body({"bases": [store], "vectors": {**VECTORS, "wanted": wanted}, "packages": packages})}


PROFILE = "arn:aws:bedrock:eu-central-1:111122223333:application-inference-profile/p1"


@pytest.fixture
def stack(aws_account: ScriptedAws) -> ScriptedAws:
    """A stack in which everything is as it should be."""
    listed = {"StackResourceSummaries": [summary(*part) for part in PARTS]}
    aws_account.replies |= {
        ("cloudformation", "DescribeStacks"): described("UPDATE_COMPLETE", OUTPUTS),
        ("cloudformation", "ListStackResources"): listed,
        ("lambda", "GetFunctionConfiguration"): {"State": "Active", "Environment": {"Variables": SETTINGS}},
        ("lambda", "Invoke"): indexed,
        ("sqs", "GetQueueAttributes"): {"Attributes": {}},
        ("s3", "ListObjectsV2"): {},
        ("dynamodb", "BatchGetItem"): {"Responses": {"readers": []}, "UnprocessedKeys": {}},
        ("cloudwatch", "DescribeAlarms"): alarm("OK"),
        ("sns", "ListSubscriptionsByTopic"): subscribed("arn:aws:sns:eu-central-1:1:t:s"),
        ("cognito-idp", "ListGroups"): {"Groups": [{"GroupName": "tenant:acme"}, {"GroupName": "tenant:beta"}]},
        ("cognito-idp", "ListUsersInGroup"): members({"tenant:acme": ["ann", "bob"], "tenant:beta": []}),
        ("cognito-idp", "ListUsers"): {"Users": [account("ann"), account("bob"), account("eve", enabled=False)]},
        ("bedrock", "GetInferenceProfile"): profile,
        ("bedrock", "GetFoundationModel"): details,
        ("bedrock-runtime", "Converse"): {
            "output": {"message": SPOKEN},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
            "metrics": {"latencyMs": 1},
        },
        ("bedrock-runtime", "InvokeModel"): lambda _: {
            "body": body({"embedding": [0.6, 0.8]}),
            "contentType": "application/json",
        },
    }
    return aws_account


def findings(shell: Shell, code: int, *options: str) -> list[tuple[str, str, str]]:
    shell.read()
    assert shell("status", "--stack", "Cicada-dev", "--json", *options) == code
    shown = shell.json()
    assert shown["ok"] == (code == 0)
    return [(each["subject"], each["state"], each["text"]) for each in shown["findings"]]


def test_a_stack_that_works_is_shown_part_by_part(stack: ScriptedAws, shell: Shell) -> None:
    assert findings(shell, 0, "--knowledge-base", "store", "--tenant", "acme") == [
        ("stack", "ok", "Cicada-dev is deployed (UPDATE_COMPLETE)."),
        ("functions", "ok", "2 functions."),
        ("documents queue", "ok", "0 waiting, 0 under way."),
        ("documents given up", "ok", "none."),
        ("requests given up", "ok", "none."),
        ("requests queue", "ok", "0 waiting, 0 under way."),
        ("alarms", "ok", "1 alarms."),
        ("notification", "ok", "alarms go to op@example.org."),
        ("accounts", "ok", "2 accounts, each with one tenant."),
        (
            "index",
            "ok",
            "125 documents in store of the tenant acme; `cicada documents list --knowledge-base store --tenant acme"
            " --stack Cicada-dev` names unknown readers.",
        ),
        ("vectors", "ok", "engine faiss, space innerproduct, compression 1x."),
        (
            "packages",
            "ok",
            f"the functions run with boto3 1.40.4, urllib3 2.8.0; tested with boto3 {version('boto3')}, urllib3"
            f" {version('urllib3')}.",
        ),
        (
            "calibration",
            "note",
            "not calibrated for amazon.titan-embed-text-v2:0 (2 dimensions) and the reranker local: thresholds of"
            " another embedder; answers are given with more caution until `cicada calibrate --stack Cicada-dev` has"
            " run.",
        ),
        ("models", "ok", "eu.amazon.nova-lite-v1:0 answers."),
        ("models", "ok", "eu.amazon.nova-pro-v1:0 answers."),
        ("models", "ok", "amazon.titan-embed-text-v2:0 embeds in 2 dimensions."),
    ]
    asked = json.loads(stack.called("Invoke")[0]["Payload"])
    assert asked == {"documents": "list", "tenant": "acme", "knowledgeBase": "store", "limit": 1}
    assert shell("status", "--stack", "Cicada-dev") == 0
    shown = shell.lines()
    assert shown[1] == "ok       functions           2 functions."
    assert shown[-1] == "0 problems."


def test_what_a_stack_is_calibrated_for(stack: ScriptedAws, shell: Shell) -> None:
    arn = "arn:aws:bedrock:eu-central-1::foundation-model/cohere.rerank-v3-5:0"
    variables = SETTINGS | {"CICADA_RERANK_MODELS": arn}
    stack.replies["lambda", "GetFunctionConfiguration"] = {"State": "Active", "Environment": {"Variables": variables}}
    embedder = "amazon.titan-embed-text-v2:0 (2 dimensions)"
    made = replace(SHIPPED, embedder=embedder, reranker="cohere", questions=97, made="2026-11-26")
    row = {"pk": {"S": "calibrations"}, "settings": {"S": write_calibrations((), [made])}}
    stack.replies["dynamodb", "BatchGetItem"] = {"Responses": {"readers": [row]}, "UnprocessedKeys": {}}
    [first, second] = [text for subject, _, text in findings(shell, 0) if subject == "calibration"]
    assert first == f"calibrated for {embedder} and the reranker cohere, on 2026-11-26, by 97 questions."
    assert second.startswith(f"not calibrated for {embedder} and the reranker local")
    row["settings"]["S"] = "no JSON"
    [problem, *_] = [each for each in findings(shell, 1) if each[0] == "calibration"]
    assert problem[1] == "problem" and "run `cicada calibrate`" in problem[2]


def test_how_far_a_large_file_is(stack: ScriptedAws, shell: Shell) -> None:
    now = datetime.now(UTC)
    stack.replies["s3", "ListObjectsV2"] = {
        "Contents": [
            {"Key": "reports/acme/store/book.md.json", "LastModified": now},
            {"Key": "reports/acme/store/old.md.json", "LastModified": now - timedelta(hours=1)},
        ]
    }
    report = {"documentId": "book.md", "outcome": "under_way", "passages": 4000, "embedded": 1152}
    stack.replies["s3", "GetObject"] = lambda _: {"Body": body(report), "ETag": "e", "LastModified": now}
    found = findings(shell, 0, "--knowledge-base", "store", "--tenant", "acme")
    assert [each for each in found if each[0] == "documents under way"] == [
        ("documents under way", "ok", "book.md: 1,152 of 4,000 passages embedded.")
    ]


@pytest.mark.parametrize(
    ("call", "reply", "subject", "text"),
    [
        (
            ("sqs", "GetQueueAttributes"),
            one_given_up,
            "requests given up",
            "1: `cicada redrive --list --stack Cicada-dev` says why; mend it, then"
            " `cicada redrive --stack Cicada-dev`.",
        ),
        (
            ("cognito-idp", "ListUsersInGroup"),
            members({"tenant:acme": ["ann", "bob"], "tenant:beta": ["bob"]}),
            "accounts",
            "refused, because they have not exactly one tenant: bob. `cicada user list --stack Cicada-dev` says why,"
            " `cicada user groups NAME --tenant TENANT --stack Cicada-dev` mends it.",
        ),
        (
            ("cloudwatch", "DescribeAlarms"),
            alarm("ALARM"),
            "alarms",
            "cicada-dev-requests-given-up rings: Requests were given up. 1 > 0",
        ),
        (
            ("sns", "ListSubscriptionsByTopic"),
            subscribed("PendingConfirmation"),
            "notification",
            "op@example.org must confirm by the link in the mail from AWS.",
        ),
        (
            ("lambda", "GetFunctionConfiguration"),
            {"State": "Failed", "StateReason": "The layer is gone"},
            "functions",
            "cicada-dev-ingest-document cannot run: The layer is gone; deploy it again.",
        ),
        (
            ("lambda", "Invoke"),
            lambda _: {"Payload": body({"errorMessage": "The index refused."}), "FunctionError": "Unhandled"},
            "index",
            "The index does not answer: The index refused.",
        ),
        (
            ("lambda", "Invoke"),
            partial(indexed, is_incomplete=True),
            "index",
            "it lacks most of the 125 documents in store of the tenant acme: run `cicada rebuild --stack Cicada-dev`,"
            " or most questions there end in an error.",
        ),
        (
            ("bedrock-runtime", "Converse"),
            refusal("ValidationException", "The provided model identifier is invalid.", "Converse"),
            "models",
            "eu.amazon.nova-lite-v1:0 does not answer: AWS refused Converse (ValidationException): The provided model"
            " identifier is invalid.",
        ),
    ],
)
def test_problems_say_what_to_do(
    stack: ScriptedAws, shell: Shell, call: tuple[str, str], reply: Any, subject: str, text: str
) -> None:
    stack.replies[call] = reply
    assert (subject, "problem", text) in findings(shell, 1)


def test_what_may_not_be_looked_at_is_unknown_and_the_rest_is_shown(stack: ScriptedAws, shell: Shell) -> None:
    denied = refusal("AccessDeniedException", "User x is not authorized to perform: bedrock:InvokeModel on y")
    stack.replies["bedrock-runtime", "Converse"] = denied
    stack.replies["cloudwatch", "DescribeAlarms"] = EndpointConnectionError(endpoint_url="https://cloudwatch.test")
    stack.replies["sns", "ListSubscriptionsByTopic"] = refusal("400")
    found = findings(shell, 0)
    states = {(subject, state) for subject, state, _ in found}
    assert {("models", "unknown"), ("alarms", "unknown"), ("notification", "unknown"), ("index", "ok")} <= states
    texts = [text for _, state, text in found if state == "unknown"]
    assert "These AWS credentials may not do that: allow bedrock:InvokeModel, or use others." in texts
    assert "This service is not there to be asked, as on the local stage." in texts
    shell("status", "--stack", "Cicada-dev")
    assert shell.out().endswith("0 problems, 4 not found out.\n")


def test_an_index_of_another_compression_than_the_stage_has_is_a_note(stack: ScriptedAws, shell: Shell) -> None:
    stack.replies["lambda", "Invoke"] = partial(indexed, wanted="8x")
    rebuild = "`cicada rebuild --stack Cicada-dev` makes it 8x, as deployed."
    assert ("vectors", "note", f"engine faiss, space innerproduct, compression 1x; {rebuild}") in findings(shell, 0)


def test_an_update_that_failed_is_a_note(stack: ScriptedAws, shell: Shell) -> None:
    stack.replies["cloudformation", "DescribeStacks"] = described("UPDATE_ROLLBACK_COMPLETE", OUTPUTS)
    [first, *_] = findings(shell, 0)
    assert first[:2] == ("stack", "note")
    assert first[2].startswith("The stack Cicada-dev could not be updated; the version before answers.")


def test_nobody_who_is_told_is_a_note(stack: ScriptedAws, shell: Shell) -> None:
    stack.replies["sns", "ListSubscriptionsByTopic"] = {"Subscriptions": []}
    text = "no alarm reaches anybody: deploy with -c alarmEmail=…, or subscribe to the topic."
    assert ("notification", "note", text) in findings(shell, 0)


def test_a_login_that_expires_meanwhile_ends_it_in_one_sentence(stack: ScriptedAws, shell: Shell) -> None:
    stack.replies["sqs", "GetQueueAttributes"] = refusal("ExpiredToken")
    assert shell("status", "--stack", "Cicada-dev") == 1
    said = shell.read()
    assert said.out == ""
    assert said.err.startswith("cicada: The AWS login has expired: run `aws sso login`")


def test_a_model_is_asked_through_the_profile_that_the_functions_use_and_named_itself(
    stack: ScriptedAws, shell: Shell
) -> None:
    variables = SETTINGS | {"CICADA_MODEL_PROFILES": f"eu.amazon.nova-lite-v1:0={PROFILE}"}
    configuration = {"State": "Active", "Environment": {"Variables": variables}}
    stack.replies["lambda", "GetFunctionConfiguration"] = configuration
    said = [text for subject, _, text in findings(shell, 0) if subject == "models"]
    assert [each["modelId"] for each in stack.called("Converse")] == [PROFILE, "eu.amazon.nova-pro-v1:0"]
    assert "eu.amazon.nova-lite-v1:0 answers." in said
    looked_up = {each["inferenceProfileIdentifier"] for each in stack.called("GetInferenceProfile")}
    assert looked_up == {"eu.amazon.nova-lite-v1:0", "eu.amazon.nova-pro-v1:0"}


def test_a_model_that_is_retired_is_noted_while_it_answers(stack: ScriptedAws, shell: Shell) -> None:
    def retired(parameters: Any) -> dict[str, Any]:
        found = details(parameters)
        found["modelDetails"]["modelLifecycle"] = {"status": "LEGACY", "endOfLifeTime": NOW}
        return found

    stack.replies["bedrock", "GetFoundationModel"] = retired
    notes = [text for subject, state, text in findings(shell, 0) if (subject, state) == ("models", "note")]
    assert len(notes) == 3
    assert notes[0].startswith(
        "eu.amazon.nova-lite-v1:0 is a legacy model, which new accounts cannot use; it ends on 2026-11-22"
    )
