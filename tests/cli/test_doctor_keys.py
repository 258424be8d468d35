"""`cicada doctor` on the key that encrypts a stage's data, and on a collection that has another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_doctor_command import account, findings
from tests.cli.test_stacks import described

__all__ = ["account", "aws_account"]

KEY = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
OTHER = KEY.replace("1234abcd", "ffffffff")
GIVEN = ["-c", f"dataKey={KEY}"]
USABLE = {
    "KeyId": "1234abcd",
    "KeyState": "Enabled",
    "KeySpec": "SYMMETRIC_DEFAULT",
    "KeyUsage": "ENCRYPT_DECRYPT",
    "KeyManager": "CUSTOMER",
}
SERVICES = ["logs.us-east-1.amazonaws.com", "s3.amazonaws.com", "cloudwatch.amazonaws.com"]


def policy(*services: str) -> dict[str, Any]:
    root = {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}, "Action": "kms:*"}
    statements = [{"Effect": "Allow", "Principal": {"Service": each}, "Action": "kms:Decrypt"} for each in services]
    return {"Policy": json.dumps({"Statement": [root, *statements]})}


def collection(key: str) -> dict[str, Any]:
    return {"collectionDetails": [{"name": "cicada-dev", "kmsKeyArn": key}]}


@pytest.fixture
def keyed(account: ScriptedAws) -> ScriptedAws:
    """The account with a key that can be used."""
    account.replies |= {("kms", "DescribeKey"): {"KeyMetadata": USABLE}, ("kms", "GetKeyPolicy"): policy(*SERVICES)}
    return account


def of_the_key(shell: Shell, code: int, *options: str) -> list[tuple[str, str]]:
    return [(state, text) for subject, state, text in findings(shell, code, *options) if subject == "data key"]


def test_a_key_that_can_be_used_is_ok(keyed: ScriptedAws, shell: Shell) -> None:
    assert of_the_key(shell, 0, *GIVEN) == [("ok", f"{KEY} is enabled, and its policy names the services.")]
    assert keyed.called("DescribeKey") == [{"KeyId": KEY}]
    assert keyed.called("GetKeyPolicy") == [{"KeyId": KEY, "PolicyName": "default"}]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"KeyState": "PendingDeletion"}, "is not enabled (PendingDeletion): enable it, or cancel its deletion."),
        ({"KeySpec": "RSA_2048"}, "is of the kind RSA_2048: services encrypt with symmetric keys only, so give one."),
        ({"KeyManager": "AWS"}, "is AWS's: its policy cannot be changed, so give one of yours."),
    ],
)
def test_unusable_key(keyed: ScriptedAws, shell: Shell, changed: dict[str, str], reason: str) -> None:
    keyed.replies["kms", "DescribeKey"] = {"KeyMetadata": USABLE | changed}
    assert of_the_key(shell, 1, *GIVEN) == [("problem", f"{KEY} {reason}")]


def test_a_key_that_is_not_there_is_a_problem(keyed: ScriptedAws, shell: Shell) -> None:
    keyed.replies["kms", "DescribeKey"] = refusal("NotFoundException")
    assert of_the_key(shell, 1, *GIVEN) == [("problem", f"there is no {KEY}: give the ARN of another key.")]


def test_a_key_that_may_not_be_looked_at_is_unknown(keyed: ScriptedAws, shell: Shell) -> None:
    keyed.replies["kms", "DescribeKey"] = refusal("AccessDeniedException")
    assert [state for state, _ in of_the_key(shell, 0, *GIVEN)] == ["unknown"]


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_the_policy_does_not_name_is_named(keyed: ScriptedAws, shell: Shell, service: str) -> None:
    keyed.replies["kms", "GetKeyPolicy"] = policy(*(each for each in SERVICES if each != service))
    [(state, text)] = of_the_key(shell, 1, *GIVEN)
    assert (state, text.split(":")[0]) == ("problem", f"its policy names {service} nowhere")


def test_a_policy_of_one_statement_needs_no_list(keyed: ScriptedAws, shell: Shell) -> None:
    statement = {"Effect": "Allow", "Principal": {"Service": SERVICES}, "Action": "kms:*", "Resource": "*"}
    keyed.replies["kms", "GetKeyPolicy"] = {"Policy": json.dumps({"Statement": statement})}
    assert [state for state, _ in of_the_key(shell, 0, *GIVEN)] == ["ok"]


def test_a_service_that_is_denied_is_named(keyed: ScriptedAws, shell: Shell) -> None:
    statements = [{"Effect": "Allow", "Principal": {"Service": each}, "Action": "kms:*"} for each in SERVICES[1:]]
    denied = {"Effect": "Deny", "Principal": {"Service": SERVICES[0]}, "Action": "kms:*"}
    keyed.replies["kms", "GetKeyPolicy"] = {"Policy": json.dumps({"Statement": [*statements, denied]})}
    [(state, text)] = of_the_key(shell, 1, *GIVEN)
    assert (state, text.split(":")[0]) == ("problem", f"its policy names {SERVICES[0]} nowhere")


def test_the_trail_of_documents_needs_the_key_too(keyed: ScriptedAws, shell: Shell) -> None:
    [(state, text)] = of_the_key(shell, 1, *GIVEN, "-c", "dataEvents=create")
    assert (state, text.split(":")[0]) == ("problem", "its policy names cloudtrail.amazonaws.com nowhere")


@pytest.mark.parametrize(
    ("has", "options", "outputs"),
    [
        ("auto", [], {}),
        (KEY, GIVEN, {}),
        (KEY, ["-c", "dataKey=create"], {"DataKeyArn": KEY}),
    ],
)
def test_collection_with_the_key(
    keyed: ScriptedAws, shell: Shell, has: str, options: list[str], outputs: dict[str, str]
) -> None:
    keyed.replies["opensearchserverless", "BatchGetCollection"] = collection(has)
    keyed.replies["cloudformation", "DescribeStacks"] = described("UPDATE_COMPLETE", outputs)
    assert [text for state, text in of_the_key(shell, 0, *options) if state != "ok"] == []


@pytest.mark.parametrize(
    ("has", "options", "named"),
    [
        ("auto", ["-c", "dataKey=create"], "a key of AWS's own"),
        ("auto", GIVEN, "a key of AWS's own"),
        (OTHER, GIVEN, OTHER),
        (OTHER, [], OTHER),
    ],
)
def test_collection_with_another_key(
    keyed: ScriptedAws, shell: Shell, has: str, options: list[str], named: str
) -> None:
    keyed.replies["opensearchserverless", "BatchGetCollection"] = collection(has)
    [text] = [text for state, text in of_the_key(shell, 1, *options) if state == "problem"]
    assert text.startswith(f"the collection cicada-dev is encrypted with {named}, which cannot be changed: deploy with")
    assert keyed.called("BatchGetCollection") == [{"names": ["cicada-dev"]}]
