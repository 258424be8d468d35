"""`cicada audit`, run as an operator runs it, on a log whose events are those that the functions write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from cicada.observability.audit import (
    Administered,
    AuditRecord,
    ConversationShared,
    DocumentEdited,
    DocumentsShown,
    Handshake,
    Outcome,
    SessionDeleted,
    ShownDocument,
)
from cli.__main__ import main
from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_stacks import described

__all__ = ["aws_account"]

NOW = datetime.now(UTC)
PAY, PLAN = ShownDocument("store", "hr/salaries.md", "0123456789abcdef"), ShownDocument("store", "plan.md", "v1")


def hours_ago(hours: float) -> float:
    return (NOW - timedelta(hours=hours)).timestamp()


def shown(
    user: str, hours: float, *documents: ShownDocument, outcome: Outcome = "complete", tenant: str = "acme"
) -> DocumentsShown:
    request = f"request-of-{user}-{hours}"
    return DocumentsShown(hours_ago(hours), tenant, f"id-{user}", request, 1, "store", outcome, documents, login=user)


CONNECTED = Handshake(hours_ago(4), "c1", "192.0.2.1", "curl/8", "acme", "id-ann", "ann")
REFUSED = Handshake(hours_ago(3), "c2", "192.0.2.66", refused="The access token is not valid.")
ANN, BOB = shown("ann", 2, PAY, PLAN), shown("bob", 1, PLAN)
BETA = shown("eve", 0.5, PAY, tenant="beta")
RECORDS = (CONNECTED, REFUSED, ANN, BOB, BETA)


def keeping(account: ScriptedAws, *messages: AuditRecord | str, pages: int = 1) -> None:
    """A stack whose audit log has these events, in so many pages; the first one is empty if there are several."""
    outputs = {"AuditLogGroup": "the-audit-log", "UserPoolId": "eu-central-1_pool"}
    ann = {"Username": "ann", "Enabled": True, "UserStatus": "CONFIRMED", "UserCreateDate": NOW}
    account.replies["cognito-idp", "ListUsers"] = {"Users": [ann]}
    account.replies["cognito-idp", "ListGroups"] = {"Groups": []}
    account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE", outputs)
    texts = [each if isinstance(each, str) else encode(each).decode() for each in messages]

    def page(asked: Mapping[str, Any]) -> dict[str, Any]:
        number = int(asked.get("nextToken", "0"))
        of_page = texts if number == pages - 1 else []
        more = {"nextToken": str(number + 1)} if number < pages - 1 else {}
        return {"events": [{"message": text} for text in of_page], **more}

    account.replies["logs", "FilterLogEvents"] = page


def audit(*options: str) -> int:
    return main(["audit", "--stack", "Cicada-dev", *options])


def found(shell: Shell, *options: str) -> list[dict[str, Any]]:
    assert audit("--json", *options) == 0
    records: list[dict[str, Any]] = shell.json()["records"]
    return records


def test_the_trail_is_a_table_in_the_order_of_time(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, BETA, REFUSED, ANN, CONNECTED)
    assert audit() == 0
    head, connected, refused, ann, beta, total = shell.lines()
    assert head.split()[:4] == ["TIME", "TENANT", "USER", "EVENT"]
    assert connected.split()[1:] == ["acme", "ann", "connected", "c1", "192.0.2.1"]
    assert "refused: The access token is not valid." in refused
    assert "192.0.2.66" in refused
    # Last, so that an answer of many documents does not push the other columns out of sight.
    assert ann.split(maxsplit=5)[4:] == ["request-of-ann-2#1", "hr/salaries.md (0123456789ab), plan.md (v1)"]
    assert beta.split()[1:4] == ["beta", "eve", "complete"]
    assert total.startswith("4 records from ")


def test_a_deleted_conversation_is_shown_with_its_questions_counted(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, SessionDeleted(NOW.timestamp() - 60, "acme", "id-ann", "s1", 2, "ann"))
    assert audit("--user", "ann") == 0
    assert shell.lines()[1].split()[1:] == ["acme", "ann", "conversation", "deleted", "s1", "2", "questions"]
    assert found(shell, "--document", "plan.md") == []


def test_who_opened_a_shared_conversation_is_found_by_its_owner_too(aws_account: ScriptedAws, shell: Shell) -> None:
    at = NOW.timestamp() - 60
    keeping(aws_account, ConversationShared(at, "acme", "id-bob", "open", "s1", "id-ann", "r1", "bob", "ann"))
    for name in ("ann", "id-bob"):
        assert audit("--user", name) == 0
        shown = ["acme", "bob", "shared", "conversation", "opened", "s1", "of", "ann"]
        assert shell.lines()[1].split()[1:] == shown
    assert found(shell, "--document", "plan.md") == []


def test_a_change_by_an_editor_is_shown_with_its_document_and_readers(aws_account: ScriptedAws, shell: Shell) -> None:
    who = (NOW.timestamp() - 60, "acme", "id-ann", "r1")
    keeping(aws_account, DocumentEdited(*who, "store", "plan.md", "upload", ("group:hr", "user:ann"), "ann"))
    assert audit("--document", "plan.md", "--knowledge-base", "store") == 0
    shown = ["acme", "ann", "upload:", "plan.md", "r1", "readers:", "group:hr,", "user:ann"]
    assert shell.lines()[1].split()[1:] == shown
    assert found(shell, "--document", "lease.md") == []
    assert found(shell, "--document", "plan.md", "--knowledge-base", "scripts") == []


def test_what_an_administrator_did_is_found_by_the_account_too(aws_account: ScriptedAws, shell: Shell) -> None:
    who = (NOW.timestamp() - 60, "acme", "id-ann", "r1")
    keeping(aws_account, Administered(*who, "groups", "ben", ("hr", "sales"), "user_refused", "ann"))
    for user in ("ann", "ben"):
        assert audit("--user", user) == 0
        shown = ["acme", "ann", "accounts:", "groups", "ben", "(user_refused)", "r1", "groups:", "hr,", "sales"]
        assert shell.lines()[1].split()[1:] == shown


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--user", "ann"], [CONNECTED, ANN]),
        (["--user", "id-ann"], [CONNECTED, ANN]),
        (["--document", "hr/salaries.md"], [ANN, BETA]),
        (["--document", "hr/salaries.md", "--tenant", "acme"], [ANN]),
        (["--document", "plan.md", "--user", "bob"], [BOB]),
        (["--document", "salaries.md"], []),
        (["--document", "plan.md", "--knowledge-base", "scripts"], []),
        (["--knowledge-base", "store", "--since", "90m"], [BOB, BETA]),
        (["--since", "150m", "--until", "45m"], [ANN, BOB]),
    ],
)
def test_records_are_found_by_what_is_asked_for(
    aws_account: ScriptedAws, shell: Shell, options: list[str], wanted: list[AuditRecord]
) -> None:
    """Whatever of it CloudWatch Logs has filtered already."""
    keeping(aws_account, *RECORDS)
    assert found(shell, *options) == [json.loads(encode(each)) for each in wanted]


def test_an_unknown_user_is_said(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, BOB)
    assert found(shell, "--user", "ann") == []
    assert len(found(shell, "--user", "bob")) == 1, "Of a deleted account there are records."
    for name, meant in (("Ann", "; did you mean “ann”?"), ("nobody", ".")):
        assert audit("--user", name) == 1
        sentence = f"There is no record of {name} in this time, and no account of that name or id{meant}"
        assert shell.err() == f"cicada: {sentence}\n"


def test_cloudwatch_logs_is_asked_for_the_time_and_the_words(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account)
    found(shell, "--user", "ann", "--document", "hr/salaries.md", "--since", "2026-01-31", "--until", "2026-02-01")
    found(shell, "--document", 'an "odd" näme.md', "--since", "2026-01-31T01:00+01:00")
    first, second = aws_account.called("FilterLogEvents")
    assert first["logGroupName"] == "the-audit-log"
    assert first["filterPattern"] == '"ann" "hr/salaries.md"'
    assert first["endTime"] - first["startTime"] == 24 * 3600 * 1000
    # A pattern would have to write it otherwise than JSON does.
    assert (second["filterPattern"], second["startTime"]) == ("", first["startTime"])


def test_pages_are_read_to_the_last_one_and_empty_ones_passed_over(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, ANN, pages=3)
    assert len(found(shell)) == 1
    assert [each.get("nextToken") for each in aws_account.called("FilterLogEvents")] == [None, "1", "2"]


def test_an_attempt_that_was_recorded_twice_is_shown_once(aws_account: ScriptedAws, shell: Shell) -> None:
    again = replace(ANN, at=ANN.at + 60, repeated=True)
    second = replace(ANN, attempt=2, at=ANN.at + 90)
    replayed = replace(ANN, outcome="replayed", at=ANN.at + 120)
    # The trail has only repeated records of this one.
    lost = replace(BOB, repeated=True)
    keeping(aws_account, ANN, again, second, replayed, replayed, lost, lost)
    rows = [(each["login"], each["attempt"], each["outcome"]) for each in found(shell)]
    assert rows == [
        ("ann", 1, "complete"),
        ("ann", 2, "complete"),
        ("ann", 1, "replayed"),
        ("ann", 1, "replayed"),
        ("bob", 1, "complete"),
    ]


def test_the_latest_are_shown_and_the_others_counted(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, *RECORDS)
    assert audit("--limit", "2") == 0
    printed = shell.out()
    assert "bob" in printed
    assert "ann" not in printed
    assert "3 earlier records match too" in printed


def test_programs_get_the_latest_alone_and_what_is_left_out(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, ANN, BOB, "no JSON")
    assert audit("--json", "--limit", "1") == 1
    printed = shell.json()
    assert printed == {"records": [json.loads(encode(BOB))], "more": 1, "unread": 1}


def test_what_cannot_be_read_is_counted_and_not_passed_over_in_silence(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, ANN, '{"kind":"of a later version"}', "no JSON")
    assert audit() == 1
    assert "2 events of the log cannot be read" in shell.out()


def test_a_field_that_a_later_version_has_added_is_no_hindrance(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, json.dumps(json.loads(encode(ANN)) | {"mood": "good"}))
    assert [each["login"] for each in found(shell)] == ["ann"]


def test_a_user_agent_or_a_name_does_not_steer_the_terminal(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, replace(ANN, login="\x1b[2Jann\nbob"))
    assert audit() == 0
    printed = shell.out()
    assert "\x1b" not in printed
    assert len(printed.splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--since", "yesterday"], "--since 'yesterday' is not a time: use 30m, 24h or 7d"),
        (["--until", "2026-13-01"], "--until '2026-13-01' is not a time"),
        (["--since", "99999999999d"], "--since '99999999999d' is not a time"),
        (["--since", "-1d"], "--since '-1d' is not a time"),
        (["--since", "1d", "--until", "2d"], "--since 1d is not before --until 2d"),
        (["--since", "2026-11-01", "--until", "2026-11-01"], "nothing is between them"),
        (["--limit", "0"], "--limit is a number from 1 to 10000."),
        (["--limit", "many"], "'many' is not a valid integer"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(
    aws_account: ScriptedAws, shell: Shell, options: list[str], sentence: str
) -> None:
    assert audit(*options) == 2
    assert sentence in shell.err()
    assert aws_account.calls == []


def test_a_log_that_may_not_be_read_is_a_sentence(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account)
    denied = "User: x is not authorized to perform: logs:FilterLogEvents on resource: y"
    aws_account.replies["logs", "FilterLogEvents"] = refusal("AccessDeniedException", denied)
    assert audit() == 1
    assert "allow logs:FilterLogEvents" in shell.err()


def test_a_stack_from_before_the_trail_is_named(aws_account: ScriptedAws, shell: Shell) -> None:
    aws_account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE")
    assert audit() == 1
    assert "The stack has no output AuditLogGroup; deploy it again." in shell.err()
