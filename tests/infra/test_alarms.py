"""The alarms of a deployed stage: when each of them rings, who is notified, and what to look at then.

`python -m tests.infra.test_alarms` stores the conditions anew after a change that is meant: read the difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed

from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.identity import Principal
from cicada.observability.metrics import AnswerMetrics, StageMetrics
from tests.infra.conftest import resources, template_of
from tests.infra.deployed import Deployed, deployed, with_additions
from tests.infra.policies import Call, Policies

STORED = Path(__file__).with_name("alarms.json")
AWS_STAGES = ("dev", "prod")


@pytest.fixture(params=AWS_STAGES)
def stage(request: pytest.FixtureRequest) -> Deployed:
    """A stage with all that alarms watch."""
    return deployed(request.param, "bedrock")


def alarms_of(stage: Deployed) -> dict[str, dict[str, Any]]:
    """The alarms by their names without the stage's."""
    return {each["AlarmName"].split("-", 2)[2]: each for _, each in stage.of_kind("AWS::CloudWatch::Alarm")}


def conditions(stage: Deployed) -> dict[str, str]:
    """When each alarm rings, as one line: its expression with the metrics in their places."""
    return {name: condition(stage, alarm) for name, alarm in alarms_of(stage).items()}


def condition(stage: Deployed, alarm: dict[str, Any]) -> str:
    parts = {each["Id"]: each for each in alarm.get("Metrics", [])}
    read = {id: metric(stage, each["MetricStat"]) for id, each in parts.items() if "MetricStat" in each}
    [expression] = [each["Expression"] for each in parts.values() if each.get("ReturnData", True)] or ["only"]
    read = read or {"only": metric(stage, alarm)}
    rule = re.sub(r"[a-z]+\d*", lambda found: read.get(found[0], found[0]), expression)
    seconds = next(metrics_of(alarm))["Period"]
    when = f"in {alarm['DatapointsToAlarm']} of {alarm['EvaluationPeriods']} x {seconds} s"
    return f"{rule} {alarm['ComparisonOperator']} {alarm['Threshold']} {when}, missing is {alarm['TreatMissingData']}"


def metric(stage: Deployed, read: dict[str, Any]) -> str:
    """`Sum(AWS/Lambda Errors of cicada-STAGE-authorizer)`."""
    named = read.get("Metric", read)
    statistic = read.get("Stat") or read.get("Statistic") or read["ExtendedStatistic"]
    tables = {name: f"the {held} table" for held, name in stage.tables().items()}
    values = [stage.text(each["Value"]) for each in named.get("Dimensions", [])]
    of = " ".join(tables.get(value, value) for value in values).replace(
        stage.environment("authorizer")["CICADA_STAGE"], "cicada-STAGE"
    )
    return f"{statistic}({named['Namespace']} {named['MetricName']} of {of})"


def test_every_alarm_rings_on_the_condition_that_was_reviewed(stage: Deployed) -> None:
    assert conditions(stage) == json.loads(STORED.read_text("utf-8"))


def test_alarms_read_what_the_functions_write(stage: Deployed) -> None:
    """The stage, the namespace and the names are those of the lines that the library writes."""
    name, lines = stage.environment("authorizer")["CICADA_STAGE"], list[str]()
    answers, others = AnswerMetrics(name, ["a-model"], write=lines.append), StageMetrics(name, write=lines.append)
    answered = AnswerRecord(strategy="ContentOnly", scores=(0.2, 0.9), timings={"firstToken": 900, "total": 9000})
    request = RequestKey(Principal("acme", "ann"), "7e57d004-2b97-4e7a-b45f-5387367791cd")
    for record in (answered, changed(answered, code="index_incomplete")):
        answers.observe(request, record)
    others.waited(1)
    others.ingested(failed=True)
    others.failed_command()
    others.lost_record()
    written = {
        (directive["Namespace"], each["Name"], frozenset((key, line[key]) for key in keys))
        for line in map(json.loads, lines)
        for directive in line["_aws"]["CloudWatchMetrics"]
        for keys in directive["Dimensions"]
        for each in directive["Metrics"]
    }
    for alarm in alarms_of(stage).values():
        for each in metrics_of(alarm):
            if not each["Namespace"].startswith("AWS/"):
                dimensions = frozenset((one["Name"], stage.text(one["Value"])) for one in each["Dimensions"])
                assert (each["Namespace"], each["MetricName"], dimensions) in written


@pytest.mark.parametrize("name", AWS_STAGES)
def test_without_bedrock_agents_all_alarms_are_there_but_that_of_their_tools(name: str) -> None:
    stage, without = deployed(name, "bedrock"), deployed(name, "converse")
    assert set(alarms_of(stage)) - set(alarms_of(without)) == {"tools-failing"}
    assert "agent-" not in condition(without, alarms_of(without)["workers-throttled"])


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


def test_the_dashboard_shows_what_every_alarm_watches_with_its_threshold(stage: Deployed) -> None:
    dashboard = stage.only("AWS::CloudWatch::Dashboard")
    widgets = json.loads(stage.text(dashboard["DashboardBody"]))["widgets"]
    graphs = {each["properties"]["title"]: each["properties"] for each in widgets if each["type"] == "metric"}
    assert set(graphs) - set(SHOWN_BESIDES) == set(alarms_of(stage))
    for name, alarm in alarms_of(stage).items():
        shown = json.dumps(graphs[name]["metrics"])
        for metric in metrics_of(alarm):
            assert f'"{metric["MetricName"]}"' in shown, name
        assert [each["value"] for each in graphs[name]["annotations"]["horizontal"]] == [alarm["Threshold"]]
        lines = [each[-1] for each in graphs[name]["metrics"] if "expression" in (each[-1] or {})]
        # Without a label the legend shows the expression.
        assert all(line["label"] and "(" not in line["label"] for line in lines), name
    [states] = [each["properties"]["alarms"] for each in widgets if each["type"] == "alarm"]
    assert len(states) == len(alarms_of(stage))


SHOWN_BESIDES = {
    "First text and whole answer": {"TimeToFirstToken", "AnswerTime"},
    "Where the time goes, p95": {
        *("PlanningTime", "SearchingTime", "RankingTime", "JudgingTime", "GateTime", "AnsweringTime", "AgentTime"),
    },
    "How answers end": {"Answers", "FailedAnswers", "RefusedAnswers", "StoppedAnswers", "SilentModels"},
    "Tokens": {"InputTokens", "OutputTokens"},
    "What users think": {"RatedAnswers"},
    "Latency of the chat models, p95": {"InvocationLatency"},
    "Calls that Bedrock throttled": {"InvocationThrottles"},
    "Search units of the account": {"SearchOCU", "IndexingOCU"},
}


def test_the_dashboard_shows_how_fast_and_how_much_is_answered_by_metrics_that_are_written(stage: Deployed) -> None:
    dashboard = stage.only("AWS::CloudWatch::Dashboard")
    widgets = json.loads(stage.text(dashboard["DashboardBody"]))["widgets"]
    shown = {
        each["properties"]["title"]: {metric[1] for metric in each["properties"]["metrics"]}
        for each in widgets
        if each["properties"].get("title") in SHOWN_BESIDES
    }
    assert shown == SHOWN_BESIDES
    written = Path("docs/operations/monitoring.md").read_text("utf-8")
    own = {name for title, names in shown.items() for name in names if not re.search("models|Bedrock|account", title)}
    assert [name for name in own if f"`{name}`" not in written] == []


def test_queries_of_the_processors_log_are_saved_below_the_stages_name(stage: Deployed) -> None:
    # Here only, as in `template_of`.
    from infra.constructs.saved_queries import QUERIES

    saved = {each["Name"]: each for _, each in stage.of_kind("AWS::Logs::QueryDefinition")}
    assert {name.split("/")[1] for name in saved} == set(QUERIES)
    [name] = {name.split("/")[0] for name in saved}
    groups = {stage.text(group) for each in saved.values() for group in each["LogGroupNames"]}
    assert groups == {f"/aws/lambda/{name}-message-processor"}


def test_the_dashboards_of_two_regions_have_names_of_their_own(stage: Deployed) -> None:
    """An account's dashboards are global: with one name, the second region's would replace the first one's."""
    dashboard = stage.only("AWS::CloudWatch::Dashboard")
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
    stage = with_additions()
    policies = Policies({"Resources": stage.resources})
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
    subscription = stage.only("AWS::SNS::Subscription")
    assert subscription["TopicArn"] == {"Ref": topic}
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "on-call@example.com")


def test_a_budget_notifies_the_same_topic_before_and_when_it_is_used_up() -> None:
    stage = with_additions()
    policies = Policies({"Resources": stage.resources})
    budget = stage.only("AWS::Budgets::Budget")
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 500, "Unit": "USD"}
    told = {
        (each["Notification"]["NotificationType"], each["Notification"]["Threshold"]): each["Subscribers"]
        for each in budget["NotificationsWithSubscribers"]
    }
    to = [{"Address": {"Ref": stage.id_of("AWS::SNS::Topic")}, "SubscriptionType": "SNS"}]
    assert told == {("FORECASTED", 80): to, ("ACTUAL", 100): to}

    def notifying(account: str) -> Call:
        source = {"aws:SourceAccount": account, "aws:SourceArn": f"arn:aws:budgets::{account}:budget/a"}
        return Call("budgets.amazonaws.com", "sns:Publish", "alarm topic", source | {"aws:SecureTransport": "true"})

    assert policies.allow(notifying("ACCOUNT"))
    assert not policies.allow(notifying("another"))
    assert not Policies(template_of("prod")).allow(notifying("ACCOUNT"))


def publishing(alarm: str, account: str = "ACCOUNT", tls: str = "true") -> Call:
    """CloudWatch publishes for this alarm."""
    arn = f"arn:aws:cloudwatch:REGION:{account}:alarm:{alarm}"
    context = {"aws:SourceAccount": account, "aws:SourceArn": arn, "aws:SecureTransport": tls}
    return Call("cloudwatch.amazonaws.com", "sns:Publish", "alarm topic", context)


def test_nobody_is_subscribed_whom_the_deployment_does_not_name() -> None:
    assert resources(template_of("prod"), "AWS::SNS::Subscription") == {}


if __name__ == "__main__":
    STORED.write_text(json.dumps(conditions(deployed("dev", "bedrock")), indent=2) + "\n", "utf-8")
