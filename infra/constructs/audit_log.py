"""The audit trail: who connected and who was shown what, in a log group of its own (docs/operations/audit.md)."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.constructs.function import allow, configure
from infra.constructs.retention import when_protected
from infra.settings import StageSettings


class AuditLog(Construct):
    """Functions may add to it, and neither read, change nor delete what is there."""

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self.group = logs.LogGroup(
            self,
            "Log",
            # The number of days is set below: the CDK has names for them instead.
            retention=logs.RetentionDays.INFINITE,
            # The class for infrequent access has no FilterLogEvents, by which `cicada audit` reads.
            log_group_class=logs.LogGroupClass.STANDARD,
            deletion_protection_enabled=settings.protect_data or None,
            removal_policy=when_protected(settings),
        )
        # The group's ARN ends in ":*", without which the emulator looks for the group in policies.
        self._written = "*" if settings.local else self.group.log_group_arn
        resource = self.group.node.default_child
        if isinstance(resource, logs.CfnLogGroup):
            resource.retention_in_days = settings.audit_days

    def let_write(self, *functions: lambda_.Function) -> None:
        """Each instance of a function writes to a stream of its own, which it makes."""
        for function in functions:
            configure(function, {"audit_log_group": self.group.log_group_name})
            allow(function, ["logs:CreateLogStream", "logs:PutLogEvents"], self._written)
