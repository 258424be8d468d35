"""`-c backup`: daily backups of what prod keeps, and copies in another region."""

from __future__ import annotations

import pytest

from infra.context_values import ContextValueError
from infra.settings import stage_settings
from tests.infra.deployed import Deployed, deployed

PLAN, SELECTION, VAULT = (f"AWS::Backup::Backup{kind}" for kind in ("Plan", "Selection", "Vault"))


@pytest.fixture
def backed_up() -> Deployed:
    return deployed("prod", backup="eu-west-1", dataKey="create")


def test_without_the_value_there_is_no_plan() -> None:
    assert not [id for id, _ in deployed("prod").of_kind(PLAN, SELECTION, VAULT)]


def test_what_prod_keeps_is_backed_up_but_for_connections_accounts_and_the_audit_trail(backed_up: Deployed) -> None:
    selected = backed_up.only(SELECTION)["BackupSelection"]["Resources"]
    ids = {each["Fn::GetAtt"][0] for each in selected}
    tables = {id for id, _ in backed_up.of_kind("AWS::DynamoDB::GlobalTable") if "Connections" not in id}
    assert ids == {*tables, "IngestDocumentsBucket551D14AF"}


def test_each_days_backup_is_copied_to_the_region_that_is_named_and_both_end_after_35_days(backed_up: Deployed) -> None:
    [rule] = backed_up.only(PLAN)["BackupPlan"]["BackupPlanRule"]
    [copy] = rule["CopyActions"]
    vault = "arn:aws:backup:eu-west-1:111122223333:backup-vault:cicada-prod"
    assert backed_up.text(copy["DestinationBackupVaultArn"]) == vault
    assert [each["Lifecycle"]["DeleteAfterDays"] for each in (rule, copy)] == [35, 35]
    assert rule["ScheduleExpression"] == "cron(0 3 * * ? *)"


def test_backups_outlive_the_stack_and_have_its_key_and_a_name_for_each_key(backed_up: Deployed) -> None:
    """A vault keeps its key; another one of the same name could not be made beside one that stays."""
    id = backed_up.id_of(VAULT)
    assert backed_up.resources[id]["DeletionPolicy"] == "Retain"
    key = {"Fn::GetAtt": [backed_up.id_of("AWS::KMS::Key"), "Arn"]}
    assert backed_up.only(VAULT)["EncryptionKeyArn"] == key
    assert backed_up.only(VAULT)["BackupVaultName"] == "cicada-prod-fa8847b0"
    assert backed_up.outputs["BackupVault"]["Value"] == {"Fn::GetAtt": [id, "BackupVaultName"]}


@pytest.mark.parametrize(("value", "region"), [("none", ""), ("on", "us-east-1"), ("eu-west-1", "eu-west-1")])
def test_a_region_means_copies_and_on_means_none(value: str, region: str) -> None:
    settings = stage_settings({"stage": "prod", "region": "us-east-1", "backup": value}.get)
    assert settings.backup == region
    assert settings.backup_region == ("eu-west-1" if value == "eu-west-1" else "")


@pytest.mark.parametrize(
    ("stage", "value", "sentence"),
    [
        ("prod", "us-east-1", "another than us-east-1 and one of ap-"),
        ("prod", "europe", "cannot be used: give on, none, or the region that copies go to"),
        ("dev", "on", "is for prod: dev keeps nothing"),
    ],
)
def test_what_is_no_other_region_is_refused_with_what_to_give(stage: str, value: str, sentence: str) -> None:
    with pytest.raises(ContextValueError, match=f"^-c backup={value} .*{sentence}"):
        stage_settings({"stage": stage, "region": "us-east-1", "backup": value}.get)
