"""A stage in the emulator: the same app, deployed by the same command line, without the sample documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from local.stage.aws import aws_client, client_environment
from local.stage.deploy import STACK, deploy, destroy, fingerprint_of
from local.stage.isolated import isolated
from local.stage.processes import Running, stop_all
from local.stage.servers import start_bedrock, start_emulator, start_page
from local.stage.settings import ACCOUNT, REGION, StageConfig, StageError, process_environment
from tests.deploy_proof.report import ProofError, SkippedError
from tests.deploy_proof.target import Target

Say = Callable[[str], None]
_ALARM = "cicada-local-deploy-proof"
# What the emulator cannot do, by step.
UNABLE = {
    "doctor": "the emulator has neither quotas nor model access to look at",
    "collection": "the emulator has no OpenSearch Serverless; the stage searches an index of its own",
    "access log": "the emulator writes no access log",
}


@dataclass(slots=True)
class EmulatorDeployment:
    """The page's server is started when its configuration is known, as CloudFront's files are deployed then."""

    config: StageConfig
    running: list[Running] = field(default_factory=list)
    has_page: bool = False

    def bootstrap(self) -> None:
        raise SkippedError("the local stage's deployment bootstraps the emulator's account")

    def deploy(self, context: Mapping[str, str]) -> None:
        config = replace(self.config, context={**self.config.context, **context})
        try:
            outputs = deploy(config, fingerprint_of(config), _silent).outputs
        except StageError as error:
            raise ProofError(str(error)) from error
        if not self.has_page:
            self._serve_page(outputs)
            self._add_alarm()

    def destroy(self) -> None:
        aws_client(self.config, "cloudwatch").delete_alarms(AlarmNames=[_ALARM])
        try:
            destroy(self.config)
        except StageError as error:
            raise ProofError(str(error)) from error

    def _add_alarm(self) -> None:
        """An alarm that does nothing by itself, so that the way from an alarm to a subscriber can be taken.

        The local stage has the alarms' topic and no alarms, for the emulator knows no metric math.
        """
        aws_client(self.config, "cloudwatch").put_metric_alarm(
            AlarmName=_ALARM,
            AlarmActions=[f"arn:aws:sns:{REGION}:{ACCOUNT}:cicada-local-alarms"],
            Namespace="CICADA",
            MetricName="Nothing",
            Statistic="Sum",
            Period=300,
            EvaluationPeriods=1,
            Threshold=0,
            ComparisonOperator="GreaterThanThreshold",
            TreatMissingData="notBreaching",
        )

    def _serve_page(self, outputs: Mapping[str, str]) -> None:
        addresses = {"websocketUrl": outputs["WebSocketUrl"], "endpointUrl": self.config.aws_url}
        pool = {"userPoolId": outputs["UserPoolId"], "clientId": outputs["UserPoolClientId"]}
        page = start_page(self.config, {**addresses, **pool, "users": []})
        self.running.append(page)
        page.wait_until_ready()
        self.has_page = True


@contextmanager
def stage_in_emulator(folder: Path) -> Iterator[Target]:
    """The emulator and the Bedrock stand-in run until the proof has ended."""
    config = isolated(folder)
    folder.mkdir(parents=True, exist_ok=True)
    deployment = EmulatorDeployment(config)
    try:
        deployment.running.append(start_emulator(config))
        deployment.running.append(start_bedrock(config))
        for each in deployment.running:
            each.wait_until_ready()
        yield _target(config, deployment)
    finally:
        stop_all(deployment.running)


def _target(config: StageConfig, deployment: EmulatorDeployment) -> Target:
    shell = client_environment(config)
    options = {
        "endpoint_url": shell["AWS_ENDPOINT_URL"],
        "region_name": REGION,
        "aws_access_key_id": shell["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": shell["AWS_SECRET_ACCESS_KEY"],
    }
    return Target(
        stack=STACK,
        prefix="cicada-local",
        deployment=deployment,
        environment=process_environment() | shell,
        options=options,
        unable=UNABLE,
        context={"stage": "local"},
        page_url=config.page_url,
    )


def _silent(_line: str) -> None:
    """The deployment's own progress is in its log."""
