"""The alarms of a deployed stage."""

from __future__ import annotations

from aws_cdk import App
from aws_cdk.assertions import Match, Template

from app import build
from tests.infra.conftest import properties, resources, template_of

METRICS = {
    "requests-given-up",
    "documents-given-up",
    "requests-waiting",
    "processor-errors",
    "long-answers",
    "functions-throttled",
    "requests-table-throttled",
    "commands-failing",
}


def test_every_alarm_tells_the_topic_and_silence_is_no_alarm(aws: Template) -> None:
    (topic,) = resources(aws, "AWS::SNS::Topic")
    alarms = properties(aws, "AWS::CloudWatch::Alarm")
    assert {alarm["AlarmName"].split("-", 2)[2] for alarm in alarms} == METRICS
    for alarm in alarms:
        assert alarm["AlarmActions"] == [{"Ref": topic}]
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"


def test_a_single_dead_letter_is_an_alarm(aws: Template) -> None:
    dead = Match.object_like(
        {
            "Namespace": "AWS/SQS",
            "MetricName": "ApproximateNumberOfMessagesVisible",
            "Statistic": "Maximum",
            "Threshold": 0,
        }
    )
    aws.resource_properties_count_is("AWS::CloudWatch::Alarm", dead, 2)


def test_an_address_hears_of_alarms_if_the_deployment_names_one() -> None:
    assert resources(template_of("prod"), "AWS::SNS::Subscription") == {}
    context = {"stage": "prod", "alarmEmail": "on-call@example.com", "aws:cdk:bundling-stacks": []}
    (subscription,) = properties(Template.from_stack(build(App(context=context))), "AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "on-call@example.com")
