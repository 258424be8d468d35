"""`cicada doctor` on what backups need of the account and of the region that copies go to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_doctor_command import account, findings

__all__ = ["account", "aws_account"]

ELSEWHERE = ["-c", "stage=prod", "-c", "backup=eu-west-1"]


def allowed(copies: bool = True, **services: bool) -> dict[str, Any]:
    return {
        "ResourceTypeOptInPreference": {"DynamoDB": True, "S3": True, **services},
        "ResourceTypeManagementPreference": {"DynamoDB": copies},
    }


@pytest.fixture
def ready(account: ScriptedAws) -> ScriptedAws:
    account.replies |= {("backup", "DescribeRegionSettings"): allowed(), ("backup", "DescribeBackupVault"): {}}
    return account


def of_backups(shell: Shell, code: int, *options: str) -> list[tuple[str, str]]:
    return [(state, text) for subject, state, text in findings(shell, code, *options) if subject == "backups"]


def test_a_vault_in_the_other_region_is_looked_for(ready: ScriptedAws, shell: Shell) -> None:
    text = "AWS Backup may back up tables and documents, and copies go to eu-west-1."
    assert of_backups(shell, 0, *ELSEWHERE) == [("ok", text)]
    assert ready.called("DescribeBackupVault") == [{"BackupVaultName": "cicada-prod"}]
    assert ready.regions["DescribeBackupVault"] == "eu-west-1"
    assert ready.regions["DescribeRegionSettings"] == "us-east-1"


def test_without_copies_no_other_region_is_asked(ready: ScriptedAws, shell: Shell) -> None:
    ready.replies["backup", "DescribeRegionSettings"] = allowed(copies=False)
    assert of_backups(shell, 0, "-c", "stage=prod", "-c", "backup=on")[0][0] == "ok"
    assert ready.called("DescribeBackupVault") == []


@pytest.mark.parametrize("code", ["ResourceNotFoundException", "AccessDeniedException"])
def test_a_vault_that_is_missing_is_named_with_the_command(ready: ScriptedAws, shell: Shell, code: str) -> None:
    ready.replies["backup", "DescribeBackupVault"] = refusal(code)
    [(state, text)] = of_backups(shell, 1, *ELSEWHERE)
    assert state == "problem"
    assert "create-backup-vault --backup-vault-name cicada-prod --region eu-west-1`" in text


@pytest.mark.parametrize(
    ("settings", "command"),
    [
        (allowed(S3=False), "--resource-type-opt-in-preference S3=true`"),
        (allowed(copies=False), "--resource-type-management-preference DynamoDB=true`"),
    ],
)
def test_what_the_account_does_not_allow_is_named(
    ready: ScriptedAws, shell: Shell, settings: dict[str, Any], command: str
) -> None:
    ready.replies["backup", "DescribeRegionSettings"] = settings
    [(state, text)] = of_backups(shell, 1, *ELSEWHERE)
    assert (state, command in text) == ("problem", True)


def test_a_stage_without_backups_is_not_asked_for_any(account: ScriptedAws, shell: Shell) -> None:
    assert of_backups(shell, 0) == []
