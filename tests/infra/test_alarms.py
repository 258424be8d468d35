"""The alarms of a deployed stage: which of them go off at an incident, and who is notified."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from tests.infra.cloudwatch import Point, state
from tests.infra.conftest import properties, resources, template_of
from tests.infra.deployed import Deployed, deployed
from tests.infra.published import SECONDS, STARTS, Publisher

AWS_STAGES = ("dev", "prod")
WAITING = "ApproximateNumberOfMessagesVisible"
AGE = "ApproximateAgeOfOldestMessage"
Happening = Callable[[Publisher], list[Point]]
INCIDENTS: dict[str, tuple[Happening, set[str]]] = {
    "a request is given up, and redriven after a minute": (
        lambda aws: aws.queue(aws.dead_requests, WAITING, 0, 1, 0, 0, 0),
        {"requests-given-up"},
    ),
    "a document is given up": (
        lambda aws: aws.queue(aws.dead_documents, WAITING, 0, 0, 0, 0, 1),
        {"documents-given-up"},
    ),
    "a request waits for more than a minute": (
        lambda aws: aws.queue(aws.requests, AGE, 0, 61, 1, 0, 0),
        {"requests-waiting"},
    ),
    "one of many invocations of the processor fails": (
        lambda aws: aws.function("message-processor", "Errors", *[0] * 199, 1),
        {"processor-errors"},
    ),
    "one of twenty answers takes more than four minutes": (
        lambda aws: aws.function("message-processor", "Duration", *[9_000] * 190, *[240_001] * 10),
        {"long-answers"},
    ),
    "a function is throttled": (
        lambda aws: aws.function("authorizer", "Throttles", *[0] * 20, 1),
        {"functions-throttled"},
    ),
    "another application uses up the account's concurrency": (
        lambda aws: aws.function("somebody-elses", "Throttles", 1),
        {"functions-throttled"},
    ),
    "the request table refuses a write": (
        lambda aws: aws.table("requests", "WriteThrottleEvents", 0, 1, 0),
        {"requests-table-throttled"},
    ),
    "API Gateway cannot reach a command's function": (
        lambda aws: aws.websocket("IntegrationError", 0, 1, 0, 0),
        {"commands-failing"},
    ),
    "more than 15 % of the answers are searched for again": (
        lambda aws: aws.answers(*[(0.2, 0.7)] * 30),
        {"retries"},
    ),
    # What resembles these happens elsewhere.
    "other functions fail": (
        lambda aws: [
            point
            for name in ("ingest-document", "ws-message", "somebody-elses")
            for point in aws.function(name, "Errors", 1)
        ],
        set(),
    ),
    "other functions take long": (lambda aws: aws.function("ingest-document", "Duration", 899_000), set()),
    "uploads wait for two hours": (lambda aws: aws.queue(aws.documents, AGE, 7200), set()),
    "many requests wait for a moment": (lambda aws: aws.queue(aws.requests, WAITING, 400), set()),
    "another stage gives up a request": (
        lambda aws: aws.queue("cicada-other-requests-dead.fifo", WAITING, 3),
        set(),
    ),
    "other tables refuse writes": (
        lambda aws: [
            *aws.table("connections", "WriteThrottleEvents", 9),
            *aws.table("entries", "WriteThrottleEvents", 9),
        ],
        set(),
    ),
    "another API fails": (lambda aws: aws.websocket("IntegrationError", 9, api="another"), set()),
    "another stage searches again": (lambda aws: aws.answers(*[(0.2, 0.7)] * 90, stage="cicada-other"), set()),
    "clients send what the API refuses": (lambda aws: aws.websocket("ClientError", 900), set()),
}


@pytest.fixture(params=AWS_STAGES)
def stage(request: pytest.FixtureRequest) -> Deployed:
    return deployed(request.param)


def alarms_of(stage: Deployed) -> dict[str, dict[str, Any]]:
    """By their names without the stage's."""
    return {each["AlarmName"].split("-", 2)[2]: each for _, each in stage.of_kind("AWS::CloudWatch::Alarm")}


def in_state(stage: Deployed, wanted: str, points: list[Point], now: float = STARTS + SECONDS) -> set[str]:
    return {name for name, alarm in alarms_of(stage).items() if state(alarm, stage, points, now) == wanted}


@pytest.mark.parametrize("incident", INCIDENTS)
def test_an_incident_rings_the_alarms_that_are_for_it_and_no_others(stage: Deployed, incident: str) -> None:
    happening, meant = INCIDENTS[incident]
    publisher = Publisher(stage)
    points = [*publisher.healthy(), *happening(publisher)]
    assert in_state(stage, "ALARM", points) == meant
    assert in_state(stage, "OK", points) == set(alarms_of(stage)) - meant


def test_a_stage_that_is_busy_and_well_rings_nothing(stage: Deployed) -> None:
    assert in_state(stage, "OK", Publisher(stage).healthy()) == set(alarms_of(stage))


def test_an_alarm_ends_when_nothing_happens_any_more(stage: Deployed) -> None:
    publisher = Publisher(stage)
    points = [point for happening, _ in INCIDENTS.values() for point in happening(publisher)]
    assert in_state(stage, "ALARM", points) == set(alarms_of(stage))
    assert in_state(stage, "OK", points, now=STARTS + 3600 + SECONDS) == set(alarms_of(stage))


def test_retries_ring_by_their_share_of_enough_answers(stage: Deployed) -> None:
    answers = Publisher(stage).answers
    busy = answers(*[(0.9,)] * 170, *[(0.2, 0.7)] * 30)
    assert in_state(stage, "ALARM", busy) == set()
    assert in_state(stage, "ALARM", [*busy, *answers((0.2, 0.7))]) == {"retries"}
    assert in_state(stage, "ALARM", answers(*[(0.2, 0.7)] * 19)) == set()
    assert in_state(stage, "ALARM", answers(*[(0.2, 0.7)] * 20)) == {"retries"}


def test_every_alarm_has_an_incident(stage: Deployed) -> None:
    assert set(alarms_of(stage)) == {name for _, meant in INCIDENTS.values() for name in meant}


def test_the_operators_page_says_when_each_alarm_rings(stage: Deployed) -> None:
    page = Path("docs/operations.md").read_text("utf-8")
    [heading] = re.findall(r"^\| alarm \| metric \| rings when, in (\d+) minutes \|", page, re.M)
    found = re.findall(r"^\| `([a-z-]+)` \| \S.* `(\w+)`(?: (p\d+))?, .+ \| > ([\d,]+)( s)? \|", page, re.M)
    said = {name: (metric, percentile, number, unit.strip()) for name, metric, percentile, number, unit in found}
    simple = {name: alarm for name, alarm in alarms_of(stage).items() if "MetricName" in alarm}
    assert said == {name: _as_said(alarm) for name, alarm in simple.items()}
    assert {alarm["Period"] * alarm["EvaluationPeriods"] for alarm in simple.values()} == {60 * int(heading)}


def test_the_operators_page_says_when_the_alarm_on_a_rate_rings(stage: Deployed) -> None:
    page = Path("docs/operations.md").read_text("utf-8")
    [(name, over, under, percent, least)] = re.findall(
        r"^\| `([a-z-]+)` \| `CICADA` `(\w+)` / `(\w+)` of the stage \| > (\d+) % in an hour with (\d+) .+ \|",
        page,
        re.M,
    )
    [alarm] = [each for each in alarms_of(stage).values() if "MetricName" not in each]
    assert (alarm["AlarmName"].split("-", 2)[2], alarm["Threshold"]) == (name, int(percent))
    metrics = {each["Id"]: each["MetricStat"] for each in alarm["Metrics"] if "MetricStat" in each}
    assert {id: each["Metric"]["MetricName"] for id, each in metrics.items()} == {"retried": over, "searched": under}
    assert {each["Period"] for each in metrics.values()} == {3600}
    [expression] = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    assert f"searched >= {least}," in expression


def _as_said(alarm: dict[str, Any]) -> tuple[str, str, str, str]:
    metric, threshold = alarm["MetricName"], alarm["Threshold"]
    seconds = {"Duration": threshold / 1000, AGE: threshold}.get(metric)
    value = threshold if seconds is None else seconds
    return metric, alarm.get("ExtendedStatistic", ""), f"{value:g}", "" if seconds is None else "s"


def test_what_rings_is_published_and_nobody_else_publishes_it(stage: Deployed) -> None:
    [(topic, _)] = stage.of_kind("AWS::SNS::Topic")
    arn = stage.text({"Ref": topic})
    for alarm in alarms_of(stage).values():
        assert [stage.text(action) for action in alarm["AlarmActions"]] == [arn]
        assert may_publish(stage, arn, alarm["AlarmName"])
        assert not may_publish(stage, arn, alarm["AlarmName"], account="999988887777")
        assert not may_publish(stage, arn, alarm["AlarmName"], tls="false")
    assert not may_publish(stage, arn, "another-applications-alarm")


def may_publish(stage: Deployed, topic: str, alarm: str, account: str = "111122223333", tls: str = "true") -> bool:
    """Whether the topic's policy lets CloudWatch publish for this alarm."""
    context = {
        "aws:SourceAccount": account,
        "aws:SourceArn": f"arn:aws:cloudwatch:us-east-1:{account}:alarm:{alarm}",
        "aws:SecureTransport": tls,
    }
    effects = {
        statement["Effect"]
        for _, policy in stage.of_kind("AWS::SNS::TopicPolicy")
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Principal"] in ("*", {"Service": "cloudwatch.amazonaws.com"})
        and (statement["Action"], stage.text(statement["Resource"])) == ("sns:Publish", topic)
        and topic in [stage.text(each) for each in policy["Topics"]]
        and all(
            fnmatchcase(context[key], stage.text(pattern))
            for conditions in statement["Condition"].values()
            for key, pattern in conditions.items()
        )
    }
    return effects == {"Allow"}


def test_an_address_hears_of_alarms_if_the_deployment_names_one() -> None:
    assert resources(template_of("prod"), "AWS::SNS::Subscription") == {}
    template = template_of("prod", alarmEmail="on-call@example.com")
    (subscription,) = properties(template, "AWS::SNS::Subscription")
    (topic,) = resources(template, "AWS::SNS::Topic")
    assert subscription["TopicArn"] == {"Ref": topic}
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "on-call@example.com")
