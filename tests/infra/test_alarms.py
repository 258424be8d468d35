"""The alarms of a deployed stage: which of them go off at an incident, who is notified, and what to look at then."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed

from tests.infra.cloudwatch import Point, published, state
from tests.infra.conftest import resources, template_of
from tests.infra.deployed import Deployed, deployed
from tests.infra.policies import Call, Policies
from tests.infra.published import NO_SEARCH, SEARCHED, SECONDS, STARTS, Publisher, lasting, publisher_of

AWS_STAGES = ("dev", "prod")
Happening = Callable[[Publisher], list[Point]]
FAILED = changed(NO_SEARCH, code="stream_broken")
DENIED = changed(NO_SEARCH, code="misconfigured", refused_calls=1)
THROTTLED = changed(SEARCHED, refused_calls=2)
SKIPPED = changed(SEARCHED, path=("script_query", "rerank:local:skipped_open_circuit"))
LATE = changed(SEARCHED, timings={"firstToken": 10_001, "total": 19_000})
RETRIED = changed(SEARCHED, scores=(0.2, 0.7))
# What an incident publishes takes the place of what the same metrics say of a stage that is well.
INCIDENTS: dict[str, tuple[Happening, set[str]]] = {
    "more than 5 % of the answers fail": (
        lambda aws: aws.answers(*[SEARCHED] * 180, *[FAILED] * 10),
        {"answers-failing"},
    ),
    "all answers of a quiet stage fail": (lambda aws: aws.answers(*[FAILED] * 3), {"answers-failing"}),
    "one question is about documents that the index has lost": (
        lambda aws: aws.answers(*[SEARCHED] * 200, changed(NO_SEARCH, code="index_incomplete")),
        {"index-incomplete"},
    ),
    "Bedrock denies the chat model": (
        lambda aws: aws.answers(*[DENIED] * 200),
        {"answers-failing", "models-refused"},
    ),
    "Bedrock throttles models, and the calls are repeated": (
        lambda aws: aws.answers(*[SEARCHED] * 180, *[THROTTLED] * 20),
        {"models-refused"},
    ),
    "a reranking model is not asked, since it was denied": (
        lambda aws: aws.answers(*[SEARCHED] * 180, *[SKIPPED] * 20),
        {"models-refused"},
    ),
    "more than 5 % of the answers begin after ten seconds": (
        lambda aws: lasting(aws.answers(*[SEARCHED] * 180, *[LATE] * 20), periods=3),
        {"first-tokens-slow"},
    ),
    "more than 5 % of the answers take more than four minutes": (
        lambda aws: lasting(aws.function("message-processor", "Duration", *[9_000] * 36, *[240_001] * 4), periods=3),
        {"long-answers"},
    ),
    "more than 15 % of the answers of an hour are searched for again": (
        lambda aws: lasting(aws.answers(*[SEARCHED] * 100, *[RETRIED] * 30), periods=12),
        {"retries"},
    ),
    "the audit trail does not take a record": (lambda aws: aws.lost_records(1), {"audit-records-lost"}),
    "more than 10 % of the requests wait for more than a minute": (
        lambda aws: aws.waits(*[0.4] * 170, *[61.0] * 30),
        {"requests-waiting"},
    ),
    "no processor takes requests for ten minutes": (
        lambda aws: lasting(aws.taken(aws.requests, visible=2, received=0), periods=2),
        {"requests-stuck"},
    ),
    "a request is given up": (
        lambda aws: aws.letters(aws.dead_requests, visible=8),
        {"requests-given-up"},
    ),
    "more than 5 % of the processor's invocations break": (
        lambda aws: aws.calls("message-processor", 200, errors=11),
        {"processor-errors"},
    ),
    "the processor of a quiet stage cannot start": (
        lambda aws: aws.calls("message-processor", 1, errors=1),
        {"processor-errors"},
    ),
    "the keys of access tokens are out of reach": (
        lambda aws: aws.calls("authorizer", 200, errors=200),
        {"connections-failing"},
    ),
    "connections cannot be stored": (lambda aws: aws.calls("ws-connect", 100, errors=90), {"connections-failing"}),
    "commands are answered with errors of ours": (lambda aws: aws.failed_commands(40), {"commands-failing"}),
    "a command's function cannot start": (lambda aws: aws.calls("ws-resume", 60, errors=60), {"commands-failing"}),
    "the agents' tools break": (lambda aws: aws.calls("agent-theories", 60, errors=60), {"tools-failing"}),
    "more than 10 % of the ingests fail": (
        lambda aws: aws.ingests(*[False] * 170, *[True] * 30),
        {"ingest-failing"},
    ),
    "the ingest function is killed": (lambda aws: aws.calls("ingest-document", 5, errors=1), {"ingest-errors"}),
    "nothing takes uploads for twenty minutes": (
        lambda aws: lasting(aws.taken(aws.documents, visible=900, received=0), periods=4),
        {"documents-stuck"},
    ),
    "a document is given up": (lambda aws: aws.letters(aws.dead_documents, visible=8), {"documents-given-up"}),
    "commands find no execution": (
        lambda aws: aws.calls("ws-message", 200, throttles=30),
        {"chat-throttled"},
    ),
    "nobody can connect, since all executions are taken": (
        lambda aws: [*aws.function("authorizer", "Throttles", *[1] * 90)],
        {"chat-throttled"},
    ),
    "answers find no execution": (
        lambda aws: aws.calls("message-processor", 200, throttles=150),
        {"workers-throttled"},
    ),
    "a table refuses writes": (lambda aws: aws.table("entries", "WriteThrottleEvents", 5, 6), {"tables-throttled"}),
    "a table refuses reads": (lambda aws: aws.table("connections", "ReadThrottleEvents", 11), {"tables-throttled"}),
    # What resembles these, and is well or happens elsewhere.
    "another application uses up the account's concurrency": (
        lambda aws: aws.calls("somebody-elses", 200, errors=100, throttles=100),
        set(),
    ),
    "a long answer holds its message for five minutes": (
        lambda aws: aws.queue(aws.requests, "ApproximateAgeOfOldestMessage", 60, 120, 180, 240, 299),
        set(),
    ),
    "the requests of a session wait for its answer before them": (
        lambda aws: aws.taken(aws.requests, visible=1, received=0),
        set(),
    ),
    "uploads wait while all ingest functions are busy": (
        lambda aws: lasting(aws.taken(aws.documents, visible=900, received=0), periods=3),
        set(),
    ),
    "a person looks at old letters": (
        lambda aws: [
            point for queue in (aws.dead_requests, aws.dead_documents) for point in aws.letters(queue, 0, held=7)
        ],
        set(),
    ),
    "letters are redriven": (lambda aws: aws.letters(aws.dead_requests, visible=2), set()),
    "another stage gives up a request": (lambda aws: aws.letters("cicada-other-requests-dead.fifo", 3), set()),
    "another stage's answers fail": (lambda aws: aws.answers(*[DENIED] * 90, stage="cicada-other"), set()),
    "users name bases that do not exist": (
        lambda aws: aws.answers(*[SEARCHED] * 20, *[changed(NO_SEARCH, code="unknown_knowledge_base")] * 90),
        set(),
    ),
    "one answer of a quiet stage fails": (lambda aws: aws.answers(FAILED), set()),
    "the first question waits for a collection that has scaled to zero": (
        lambda aws: aws.answers(changed(SEARCHED, timings={"firstToken": 30_000, "total": 40_000})),
        set(),
    ),
    "one long answer of a quiet stage": (lambda aws: aws.function("message-processor", "Duration", 280_000), set()),
    "a file is rejected": (lambda aws: aws.ingests(False), set()),
}


@pytest.fixture(params=AWS_STAGES)
def stage(request: pytest.FixtureRequest) -> Deployed:
    """A stage with all that alarms watch."""
    return deployed(request.param, "bedrock")


def alarms_of(stage: Deployed) -> dict[str, dict[str, Any]]:
    """The alarms by their names without the stage's."""
    return {each["AlarmName"].split("-", 2)[2]: each for _, each in stage.of_kind("AWS::CloudWatch::Alarm")}


def in_state(stage: Deployed, wanted: str, points: Sequence[Point], now: float = STARTS + SECONDS) -> set[str]:
    found = published(points)
    return {name for name, alarm in alarms_of(stage).items() if state(alarm, stage, found, now) == wanted}


def merged(healthy: Sequence[Point], incident: Sequence[Point]) -> list[Point]:
    """What is published during an incident: of its metrics, in its periods, nothing else."""
    told = {(each.namespace, each.metric, each.dimensions, each.at // SECONDS) for each in incident}
    others = [
        each for each in healthy if (each.namespace, each.metric, each.dimensions, each.at // SECONDS) not in told
    ]
    return [*others, *incident]


@pytest.mark.parametrize("incident", INCIDENTS)
def test_an_incident_rings_the_alarms_that_are_for_it_and_no_others(stage: Deployed, incident: str) -> None:
    happening, meant = INCIDENTS[incident]
    publisher = publisher_of(stage)
    points = merged(publisher.healthy, happening(publisher))
    assert in_state(stage, "ALARM", points) == meant


@pytest.mark.parametrize("incident", INCIDENTS)
def test_in_a_stage_that_is_otherwise_quiet_an_incident_rings_the_same(stage: Deployed, incident: str) -> None:
    happening, meant = INCIDENTS[incident]
    publisher = publisher_of(stage)
    assert in_state(stage, "ALARM", merged(publisher.old_letters(), happening(publisher))) == meant


def test_a_stage_that_is_busy_and_well_rings_nothing(stage: Deployed) -> None:
    assert in_state(stage, "OK", publisher_of(stage).healthy) == set(alarms_of(stage))


def test_a_stage_without_traffic_rings_nothing(stage: Deployed) -> None:
    assert in_state(stage, "OK", []) == set(alarms_of(stage))


def test_an_alarm_ends_when_nothing_happens_any_more(stage: Deployed) -> None:
    publisher = publisher_of(stage)
    for happening, meant in INCIDENTS.values():
        points = merged(publisher.healthy, happening(publisher))
        assert in_state(stage, "ALARM", points, now=STARTS + 3600 + 4 * SECONDS) == set(), meant


def test_an_alarm_on_letters_ends_though_they_are_still_there(stage: Deployed) -> None:
    publisher = publisher_of(stage)
    letters = publisher.letters(publisher.dead_requests, visible=8)
    later = [replace(point, at=point.at + SECONDS * number) for number in range(4) for point in letters]
    points = merged(publisher.healthy, later)
    assert in_state(stage, "ALARM", points, now=STARTS + 3 * SECONDS) == {"requests-given-up"}
    assert in_state(stage, "ALARM", points, now=STARTS + 4 * SECONDS) == set()


def test_retries_ring_by_their_share_of_enough_answers(stage: Deployed) -> None:
    answers = publisher_of(stage).answers
    assert in_state(stage, "ALARM", answers(*[SEARCHED] * 170, *[RETRIED] * 30)) == set()
    assert in_state(stage, "ALARM", answers(*[SEARCHED] * 170, *[RETRIED] * 31)) == {"retries"}
    assert in_state(stage, "ALARM", answers(*[RETRIED] * 19)) == set()
    assert in_state(stage, "ALARM", answers(*[RETRIED] * 20)) == {"retries"}


def test_every_alarm_has_an_incident(stage: Deployed) -> None:
    assert set(alarms_of(stage)) == {name for _, meant in INCIDENTS.values() for name in meant}


@pytest.mark.parametrize("name", AWS_STAGES)
def test_without_bedrock_agents_all_alarms_are_there_but_that_of_their_tools(name: str) -> None:
    stage, without = deployed(name, "bedrock"), deployed(name, "converse")
    assert set(alarms_of(stage)) - set(alarms_of(without)) == {"tools-failing"}
    throttled = merged(publisher_of(without).healthy, publisher_of(without).calls("ingest-document", 50, throttles=50))
    assert in_state(without, "ALARM", throttled) == {"workers-throttled"}


def metrics_of(alarm: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The metrics that an alarm reads, each with its period."""
    if "Metrics" not in alarm:
        yield alarm
    for each in alarm.get("Metrics", []):
        if "MetricStat" in each:
            yield each["MetricStat"]["Metric"] | {"Period": each["MetricStat"]["Period"]}


def test_no_alarm_reads_a_metric_of_the_whole_account(stage: Deployed) -> None:
    """Each of its dimensions names the stage or one of its resources, but for a failure's code beside the stage."""
    own = {stage.environment("authorizer")["CICADA_STAGE"]} | {
        stage.text({"Ref": id} if kind != "AWS::SQS::Queue" else {"Fn::GetAtt": [id, "QueueName"]})
        for kind in ("AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::DynamoDB::GlobalTable")
        for id, _ in stage.of_kind(kind)
    }
    for name, alarm in alarms_of(stage).items():
        for metric in metrics_of(alarm):
            dimensions = [each for each in metric.get("Dimensions", []) if each["Name"] != "Code"]
            values = {stage.text(each["Value"]) for each in dimensions}
            assert values, (name, metric)
            assert values <= own, (name, metric)


def test_cloudwatch_accepts_each_expression(stage: Deployed) -> None:
    """CloudWatch takes at most ten metrics, all of one period: .../monitoring/alarm-data-queries.html."""
    for name, alarm in alarms_of(stage).items():
        metrics = [*metrics_of(alarm)]
        assert len(metrics) <= 10, name
        assert len({each["Period"] for each in metrics}) == 1, name


def test_every_function_counts_under_the_name_of_its_stage(stage: Deployed) -> None:
    [name] = {stage.environment(function)["CICADA_STAGE"] for function in stage.functions()}
    assert all(alarm["AlarmName"].startswith(f"{name}-") for alarm in alarms_of(stage).values())


def test_the_dashboard_shows_what_every_alarm_watches_with_its_threshold(stage: Deployed) -> None:
    [(_, dashboard)] = stage.of_kind("AWS::CloudWatch::Dashboard")
    widgets = json.loads(stage.text(dashboard["DashboardBody"]))["widgets"]
    graphs = {each["properties"]["title"]: each["properties"] for each in widgets if each["type"] == "metric"}
    assert set(graphs) == set(alarms_of(stage))
    for name, alarm in alarms_of(stage).items():
        shown = json.dumps(graphs[name]["metrics"])
        for metric in metrics_of(alarm):
            assert f'"{metric["MetricName"]}"' in shown, name
        assert [each["value"] for each in graphs[name]["annotations"]["horizontal"]] == [alarm["Threshold"]]
        lines = [each[-1] for each in graphs[name]["metrics"] if "expression" in (each[-1] or {})]
        # Without a label the legend shows the expression.
        assert all(line["label"] and "(" not in line["label"] for line in lines), name
    [states] = [each["properties"]["alarms"] for each in widgets if each["type"] == "alarm"]
    assert len(states) == len(graphs)


def test_the_dashboards_of_two_regions_have_names_of_their_own(stage: Deployed) -> None:
    """An account's dashboards are global: with one name, the second region's would replace the first one's."""
    [(_, dashboard)] = stage.of_kind("AWS::CloudWatch::Dashboard")
    assert {"Ref": "AWS::Region"} in dashboard["DashboardName"]["Fn::Join"][1]


PAGE = Path("docs/operations/monitoring.md")
RUNBOOKS = Path("docs/runbooks")


def test_the_operators_page_says_when_each_alarm_rings(stage: Deployed) -> None:
    """The row of an alarm: what it reads, its threshold, and the minutes of its periods."""
    rows = re.findall(
        r"^\| \[`([a-z-]+)`\]\(\.\./runbooks/([a-z-]+)\.md\) \| (.+) \| (.+) \| (\d+) \|$",
        PAGE.read_text("utf-8"),
        re.M,
    )
    said = {
        name: (runbook, set(re.findall("`(\\w+)`", reads)), _number(above), int(minutes))
        for name, runbook, reads, above, minutes in rows
    }
    assert said == {name: (name, *_as_said(alarm)) for name, alarm in alarms_of(stage).items()}


def _as_said(alarm: dict[str, Any]) -> tuple[set[str], float, int]:
    metrics = [*metrics_of(alarm)]
    names = {each["MetricName"] for each in metrics}
    scale = 1000 if names & {"Duration", "TimeToFirstToken", "WaitingTime"} else 1
    return names, int(alarm["Threshold"] / scale), metrics[0]["Period"] * alarm["EvaluationPeriods"] // 60


def _number(above: str) -> float:
    found = re.match(r"> (\d+)", above)
    assert found, above
    return int(found[1])


def test_every_alarm_leads_to_a_runbook_that_begins_with_what_to_look_at(stage: Deployed) -> None:
    runbooks = {path.stem: path.read_text("utf-8") for path in RUNBOOKS.glob("[!R]*.md")}
    assert set(runbooks) == set(alarms_of(stage))
    for name, alarm in alarms_of(stage).items():
        assert alarm["AlarmDescription"].endswith(f" Look at docs/runbooks/{name}.md.")
        assert runbooks[name].startswith(f"# `{name}`\n\nLook at "), name


def test_the_operators_page_says_which_shares_need_how_many(stage: Deployed) -> None:
    """`with 20 or more` in a row is the least count of the alarm's expression."""
    page = PAGE.read_text("utf-8")
    said = dict(re.findall(r"^\| \[`([a-z-]+)`\].* with (\d+) or more", page, re.M))
    found = {
        name: least.group(1)
        for name, alarm in alarms_of(stage).items()
        for each in alarm.get("Metrics", [])
        if "Expression" in each and (least := re.search(r">= (\d+),", each["Expression"])) and least.group(1) != "1"
    }
    assert said == found


def test_what_rings_reaches_whoever_subscribed_and_nobody_else_publishes_it() -> None:
    """The chain: alarm → topic → policy → subscription."""
    for name in AWS_STAGES:
        template = template_of(name, alarmEmail="on-call@example.com")
        stage, policies = Deployed(template.to_json()), Policies(template.to_json())
        [(topic, topic_properties)] = stage.of_kind("AWS::SNS::Topic")
        # A topic with a key of its own would need a key policy too; the one that AWS manages admits no CloudWatch.
        assert "KmsMasterKeyId" not in topic_properties
        for alarm in alarms_of(stage).values():
            assert alarm["AlarmActions"] == [{"Ref": topic}]
            assert alarm.get("ActionsEnabled", True)
            assert policies.allow(publishing(alarm["AlarmName"]))
            assert not policies.allow(publishing(alarm["AlarmName"], account="another"))
            assert not policies.allow(publishing(alarm["AlarmName"], tls="false"))
            assert not policies.allow(replace(publishing(alarm["AlarmName"]), principal="events.amazonaws.com"))
        assert not policies.allow(publishing("another-applications-alarm"))
        [(_, subscription)] = stage.of_kind("AWS::SNS::Subscription")
        assert subscription["TopicArn"] == {"Ref": topic}
        assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "on-call@example.com")


def publishing(alarm: str, account: str = "ACCOUNT", tls: str = "true") -> Call:
    """CloudWatch publishes for this alarm."""
    arn = f"arn:aws:cloudwatch:REGION:{account}:alarm:{alarm}"
    context = {"aws:SourceAccount": account, "aws:SourceArn": arn, "aws:SecureTransport": tls}
    return Call("cloudwatch.amazonaws.com", "sns:Publish", "alarm topic", context)


def test_nobody_is_subscribed_whom_the_deployment_does_not_name() -> None:
    assert resources(template_of("prod"), "AWS::SNS::Subscription") == {}
