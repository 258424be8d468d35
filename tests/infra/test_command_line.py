"""What the command line knows of a stage without its template is what the template has.

Here and not beside the commands: another worker would start another process of the CDK.
"""

from __future__ import annotations

from cli.operator.account_checks import BOOTSTRAP_LEAST
from cli.operator.month import ALARM_METRICS
from tests.cli.test_doctor_keys import SERVICES
from tests.infra.conftest import template_of
from tests.infra.deployed import deployed
from tests.infra.test_permissions import DEPLOYMENTS


def test_the_bootstrap_version_is_the_one_that_the_template_asks_for() -> None:
    template = template_of("dev")
    [assertion] = template["Rules"]["CheckBootstrapVersion"]["Assertions"]
    refused = assertion["Assert"]["Fn::Not"][0]["Fn::Contains"][0]
    assert refused == [str(version) for version in range(1, BOOTSTRAP_LEAST)]
    assert template["Parameters"]["BootstrapVersion"]["Default"] == "/cdk-bootstrap/hnb659fds/version"


def test_the_alarms_read_as_many_metrics_as_are_priced() -> None:
    metrics = [
        metric
        for _, alarm in deployed("dev").of_kind("AWS::CloudWatch::Alarm")
        for metric in alarm.get("Metrics", [{"MetricStat": 1}])
    ]
    assert len([each for each in metrics if "MetricStat" in each]) == ALARM_METRICS


def test_the_services_of_a_data_key_are_those_of_the_key_that_a_stack_makes() -> None:
    stage = deployed(**DEPLOYMENTS["administrators, a limit of tokens, another name of the collection"])
    key = stage.only("AWS::KMS::Key")
    principals = [each["Principal"] for each in key["KeyPolicy"]["Statement"]]
    assert [each["Service"] for each in principals if "Service" in each] == SERVICES
