"""Releases that are shifted gradually: callers reach an alias, and CodeDeploy moves it from version to version.

https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
"""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.settings import ReleasesName

# Those that a faulty release makes ring, and not a model or an account that refuses. They look at five minutes, so a
# shift of half an hour is stopped by its first parts.
BRAKES = ("answers-failing", "processor-errors", "connections-failing", "commands-failing")
_SHIFT = codedeploy.LambdaDeploymentConfig.LINEAR_10_PERCENT_EVERY_3_MINUTES


class Releases(Construct):
    """A deployment group for each alias. All watch the same alarms, so a release goes back as a whole.

    `urgent`: all at once and whatever rings, for a release that mends what makes an alarm ring: CodeDeploy refuses to
    begin while one does.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        releases: ReleasesName,
        aliases: Mapping[str, lambda_.Alias],
        alarms: Mapping[str, cloudwatch.IAlarm],
    ) -> None:
        super().__init__(scope, id)
        application = codedeploy.LambdaApplication(self, "Application")
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("codedeploy.amazonaws.com"))
        gradual = releases == "gradual"
        for name, alias in aliases.items():
            codedeploy.LambdaDeploymentGroup(
                self,
                "".join(part.capitalize() for part in name.split("_")),
                application=application,
                alias=alias,
                role=role,
                deployment_config=_SHIFT if gradual else codedeploy.LambdaDeploymentConfig.ALL_AT_ONCE,
                alarms=[alarms[brake] for brake in BRAKES] if gradual else [],
                auto_rollback=codedeploy.AutoRollbackConfig(deployment_in_alarm=gradual),
            )
