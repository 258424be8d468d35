"""The checks of `cicada doctor` on what backups need of the account. Each reads only.

What they look for fails no deployment, but every backup or copy after it (docs/operations/backup-and-restore.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from botocore.exceptions import ClientError

from cli.aws_failures import code_of
from cli.operator.findings import Finding
from infra.settings import StageSettings

_SUBJECT = "backups"
_SERVICES = ("DynamoDB", "S3")


class Clients(Protocol):
    """Makes a client of a service, in the region of the deployment unless another one is named."""

    def __call__(self, service: str, *, region: str = "") -> Any: ...


def backup_findings(settings: StageSettings, client: Clients) -> Iterator[Finding]:
    """Findings on the services that AWS Backup may use, and on the vault that copies go to; none without backups."""
    if not settings.backup:
        return
    problems = [*_not_opted_in(settings.backup_region, client("backup"))]
    if settings.backup_region:
        problems += _no_vault(settings, client("backup", region=settings.backup_region))
    yield from (Finding(_SUBJECT, "problem", text) for text in problems)
    if not problems:
        to = f", and copies go to {settings.backup_region}" if settings.backup_region else ""
        yield Finding(_SUBJECT, "ok", f"AWS Backup may back up tables and documents{to}.")


def _not_opted_in(copied_to: str, backup: Any) -> Iterator[str]:
    """https://docs.aws.amazon.com/aws-backup/latest/devguide/API_DescribeRegionSettings.html"""
    found = backup.describe_region_settings()
    refused = [each for each in _SERVICES if not found.get("ResourceTypeOptInPreference", {}).get(each)]
    command = "run `aws backup update-region-settings --resource-type"
    if refused:
        preference = ",".join(f"{each}=true" for each in refused)
        yield f"AWS Backup may not back up {' and '.join(refused)}: {command}-opt-in-preference {preference}`."
    if copied_to and not found.get("ResourceTypeManagementPreference", {}).get("DynamoDB"):
        yield f"backups of tables cannot be copied to {copied_to}: {command}-management-preference DynamoDB=true`."


def _no_vault(settings: StageSettings, backup: Any) -> Iterator[str]:
    """AWS Backup answers `AccessDeniedException` for a vault that is not there.

    https://docs.aws.amazon.com/aws-backup/latest/devguide/API_DescribeBackupVault.html
    """
    try:
        backup.describe_backup_vault(BackupVaultName=settings.prefix)
    except ClientError as error:
        if code_of(error) not in ("ResourceNotFoundException", "AccessDeniedException"):
            raise
        yield (
            f"there is no vault {settings.prefix} in {settings.backup_region}, or you may not see it: run `aws backup"
            f" create-backup-vault --backup-vault-name {settings.prefix} --region {settings.backup_region}`."
        )
