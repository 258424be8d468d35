"""Daily backups of the tables and of the documents' bucket, copied to another region where one is named.

https://docs.aws.amazon.com/aws-backup/latest/devguide/whatisbackup.html
"""

from __future__ import annotations

from hashlib import sha256

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_backup as backup
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.constructs.documents import Documents
from infra.constructs.tables import Tables
from infra.settings import StageSettings

# As long as DynamoDB's own recovery goes back.
_KEPT = Duration.days(35)
_POLICIES = ("service-role/AWSBackupServiceRolePolicyForBackup", "AWSBackupServiceRolePolicyForS3Backup")


class Backup(Construct):
    """A vault of the stage's own, which stays with what is in it when the stack goes, and one rule.

    Connections are left out: clients connect again.
    """

    def __init__(
        self, scope: Construct, id: str, *, settings: StageSettings, tables: Tables, documents: Documents
    ) -> None:
        super().__init__(scope, id)
        vault = backup.BackupVault(
            self, "Vault", backup_vault_name=_name(settings), removal_policy=RemovalPolicy.RETAIN
        )
        self.outputs = {"BackupVault": vault.backup_vault_name}
        plan = backup.BackupPlan(self, "Plan", backup_vault=vault, backup_plan_name=settings.prefix)
        plan.add_rule(
            backup.BackupPlanRule(
                rule_name="daily",
                schedule_expression=events.Schedule.cron(hour="3", minute="0"),
                delete_after=_KEPT,
                copy_actions=self._copies(settings),
            )
        )
        kept = (tables.requests, tables.entries, tables.access_lists)
        plan.add_selection(
            "Kept",
            role=iam.Role(
                self,
                "Role",
                assumed_by=iam.ServicePrincipal("backup.amazonaws.com"),
                managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(name) for name in _POLICIES],
            ),
            disable_default_backup_policy=True,
            resources=[backup.BackupResource.from_arn(each.table_arn) for each in kept]
            + [backup.BackupResource.from_arn(documents.bucket.bucket_arn)],
        )

    def _copies(self, settings: StageSettings) -> list[backup.BackupPlanCopyActionProps]:
        """A stack makes no vault in another region: docs/operations/backup-and-restore.md has the command."""
        if not settings.backup_region:
            return []
        arn = f"arn:{Aws.PARTITION}:backup:{settings.backup_region}:{Aws.ACCOUNT_ID}:backup-vault:{settings.prefix}"
        elsewhere = backup.BackupVault.from_backup_vault_arn(self, "Elsewhere", arn)
        return [backup.BackupPlanCopyActionProps(destination_backup_vault=elsewhere, delete_after=_KEPT)]


def _name(settings: StageSettings) -> str:
    """The name says which `-c dataKey` it has: a vault keeps its key, so another key needs another vault."""
    digest = sha256(settings.data_key.encode()).hexdigest()[:8]
    return f"{settings.prefix}-{digest}" if settings.data_key else settings.prefix
