"""Commands on a stack: which states of it they refuse, and what they say when AWS refuses or is not reached."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore import exceptions

from cli import deployment_target
from cli.aws_failures import failed_sign_in, failure_of
from cli.errors import CommandError
from cli.stack_states import remark, why_unusable
from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal

__all__ = ["aws_account"]

# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html
MODEL: Any = boto3.client("cloudformation", region_name="us-east-1").meta.service_model
STATES = MODEL.shape_for("StackStatus").enum
USABLE = ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"]


def described(status: str, outputs: dict[str, str] | None = None) -> dict[str, Any]:
    listed = [{"OutputKey": key, "OutputValue": value} for key, value in (outputs or {}).items()]
    stack = {"StackName": "Cicada-dev", "CreationTime": datetime(2026, 11, 1, tzinfo=UTC), "StackStatus": status}
    return {"Stacks": [stack | {"Outputs": listed}]}


def test_the_outputs_of_a_stack_are_those_that_cloudformation_describes(aws_account: ScriptedAws) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = described("UPDATE_COMPLETE", {"WebSocketUrl": "wss://a"})
    assert deployment_target.stack_outputs("Cicada-dev") == {"WebSocketUrl": "wss://a"}
    assert aws_account.called("DescribeStacks") == [{"StackName": "Cicada-dev"}]


@pytest.mark.parametrize("status", USABLE)
def test_a_stack_whose_version_before_answers_is_used(aws_account: ScriptedAws, status: str) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = described(status, {"UserPoolId": "p"})
    assert deployment_target.stack_outputs("Cicada-dev") == {"UserPoolId": "p"}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("ROLLBACK_COMPLETE", "could not be created and was rolled back"),
        ("CREATE_IN_PROGRESS", "is being created: wait"),
        ("CREATE_FAILED", "could not be created"),
        ("DELETE_FAILED", "is deleted in part"),
        ("REVIEW_IN_PROGRESS", "was never deployed"),
    ],
)
def test_half_deployed_stack_is_refused(aws_account: ScriptedAws, shell: Shell, status: str, said: str) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = described(status, {"UserPoolId": "p"})
    assert shell("user", "list", "--stack", "Cicada-dev") == 1
    shown = shell.read()
    assert shown.out == ""
    assert shown.err.startswith(f"cicada: The stack Cicada-dev {said}")
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("status", STATES)
def test_every_state_is_either_used_or_refused_with_a_sentence_about_it(status: str) -> None:
    reason = why_unusable("S", status)
    assert reason is None or (reason.startswith("The stack S ") and "{" not in reason and status not in reason)
    assert reason is None or remark("S", status) is None


def test_a_state_that_is_not_known_is_named() -> None:
    assert why_unusable("S", "NEW_STATE") == "The stack S is in the state NEW_STATE: deploy it again."


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "Stack with id Cicada-dve does not exist",
            "There is no stack Cicada-dve in eu-central-1: check its name, AWS_REGION and AWS_PROFILE, or deploy it.",
        ),
        (
            "1 validation error detected: Value 'Cicada-dve' at 'stackName' failed to satisfy constraint",
            "Cicada-dve is not the name of a stack: letters, digits and hyphens, as in Cicada-dev.",
        ),
    ],
)
def test_missing_stack_is_wrong_use(aws_account: ScriptedAws, shell: Shell, message: str, said: str) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = refusal("ValidationError", message)
    assert shell("token", "ada", "--stack", "Cicada-dve") == 2
    assert shell.err() == f"cicada: {said}\n"


FAILURES: list[tuple[BaseException, str, int]] = [
    (exceptions.NoCredentialsError(), "There are no AWS credentials", 2),
    (exceptions.PartialCredentialsError(provider="env", cred_var="secret"), "The AWS credentials cannot be used", 2),
    (exceptions.CredentialRetrievalError(provider="p", error_msg="m"), "The AWS credentials cannot be used", 2),
    (exceptions.ProfileNotFound(profile="work"), "The config profile (work) could not be found.", 2),
    (exceptions.ConfigParseError(path="config"), "The files of the AWS command line cannot be used", 2),
    (exceptions.NoRegionError(), "It is not clear in which region the stack is: set AWS_REGION.", 2),
    (exceptions.InvalidRegionError(region_name="a b"), "Provided region_name 'a b'", 2),
    (exceptions.UnauthorizedSSOTokenError(), "The AWS login has expired", 1),
    (exceptions.SSOTokenLoadError(error_msg="m"), "The AWS login has expired", 1),
    (exceptions.TokenRetrievalError(provider="sso", error_msg="m"), "The AWS login has expired", 1),
    (exceptions.LoginRefreshRequired(), "The AWS login has expired", 1),
    (
        exceptions.EndpointConnectionError(endpoint_url="https://cognito-idp.nowhere-1.amazonaws.com/"),
        "AWS cannot be reached: Could not connect to the endpoint URL",
        1,
    ),
    (exceptions.ConnectTimeoutError(endpoint_url="u"), "AWS cannot be reached", 1),
    (exceptions.ReadTimeoutError(endpoint_url="u"), "AWS cannot be reached", 1),
    (exceptions.ProxyConnectionError(proxy_url="u"), "AWS cannot be reached", 1),
    (exceptions.SSLError(endpoint_url="u", error=OSError("bad")), "AWS cannot be reached", 1),
    (refusal("ExpiredToken", "The security token included in the request is expired"), "The AWS login has expired", 1),
    (refusal("ExpiredTokenException"), "The AWS login has expired", 1),
    (refusal("InvalidClientTokenId"), "AWS does not know these credentials (InvalidClientTokenId)", 1),
    (refusal("UnrecognizedClientException"), "AWS does not know these credentials", 1),
    (refusal("SignatureDoesNotMatch"), "AWS does not know these credentials", 1),
    (refusal("RequestTimeTooSkewed"), "AWS refuses the time of this machine", 1),
    (refusal("OptInRequired"), "The AWS account cannot use this service yet", 1),
    (refusal("ThrottlingException"), "AWS is busy (Operation: ThrottlingException): try again in a minute.", 1),
    (
        refusal("AccessDenied", "User: arn:aws:iam::1:user/o is not authorized to perform: sqs:SendMessage on x"),
        "These AWS credentials may not do that: allow sqs:SendMessage, or use others.",
        1,
    ),
    (refusal("AccessDeniedException"), "These AWS credentials may not do that: allow Operation, or use others.", 1),
    (refusal("Odd"), "AWS refused Operation (Odd).", 1),
    (refusal("Odd", "Something  else\n"), "AWS refused Operation (Odd): Something else.", 1),
]


@pytest.mark.parametrize(("error", "said", "code"), FAILURES, ids=lambda value: type(value).__name__)
def test_refusals_of_aws(aws_account: ScriptedAws, shell: Shell, error: Exception, said: str, code: int) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = error
    for command in (["user", "list"], ["ask", "q"], ["token", "ada"], ["documents", "list"], ["redrive", "--list"]):
        assert shell(*command, "--stack", "Cicada-dev") == code
        shown = shell.read()
        assert shown.out == ""
        assert shown.err.startswith(f"cicada: {said}")
        assert shown.err.endswith((".\n", "!\n"))
        assert shown.err.count("\n") == 1


def test_a_login_that_expires_behind_the_library_is_said_as_such(aws_account: ScriptedAws, shell: Shell) -> None:
    outputs = {"DocumentsBucket": "b", "IngestFunction": "f", "RequestsTable": "t", "DefaultTenant": "acme"}
    queues = {"RequestsQueueUrl": "https://q.test/1", "DeadLetterQueueUrl": "https://q.test/2"}
    aws_account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE", outputs | queues)
    aws_account.missing = refusal("ExpiredToken", "The security token included in the request is expired")
    for command in (["remove", "a.md"], ["redrive", "--list"], ["documents", "list"], ["rebuild"]):
        assert shell(*command, "--stack", "Cicada-dev") == 1
        assert shell.err().splitlines()[-1].startswith("cicada: The AWS login has expired: run `aws sso")


@pytest.mark.parametrize(
    "command",
    [
        ["ingest", "README.md"],
        ["ingest", "docs", "--prune"],
        ["remove", "a.md"],
        ["documents", "list"],
        ["documents", "show", "a"],
    ],
    ids=" ".join,
)
def test_tenant_is_needed_where_none_is_the_default(aws_account: ScriptedAws, shell: Shell, command: list[str]) -> None:
    outputs = {"DocumentsBucket": "b", "IngestFunction": "f"}
    aws_account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE", outputs)
    assert shell(*command, "--stack", "Cicada-dev") == 2
    said = shell.err()
    assert said == "cicada: Name the tenant with --tenant: the stack Cicada-dev has no default tenant.\n"


def test_other_exceptions_are_no_matter_of_aws() -> None:
    assert failure_of(ValueError("x")) is None
    assert failed_sign_in(CommandError("x")) is None
    failed = CommandError("x")
    failed.__cause__ = refusal("AccessDenied")
    assert failed_sign_in(failed) is None
