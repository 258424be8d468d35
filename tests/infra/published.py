"""What AWS publishes of a deployed stage, with the dimensions that it publishes.

Lambda: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
SQS: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
DynamoDB: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
WebSocket APIs: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from cicada.bootstrap.answer_metrics import AnswerMetrics
from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.identity.principal import Principal
from tests.infra.cloudwatch import Point
from tests.infra.deployed import Deployed

STARTS = 3600.0
SECONDS = 300.0
_PROCESSOR, _INGEST = "message-processor", "ingest-document"
_REQUEST = RequestKey(Principal("acme", "ann"), "7e57d004-2b97-4e7a-b45f-5387367791cd")


class Publisher:
    """Gives points within the five minutes after `STARTS`, at even distances in the order of their values."""

    def __init__(self, deployed: Deployed) -> None:
        self._deployed = deployed
        self.requests, self.dead_requests = map(self._queue_name, deployed.queues_of(_PROCESSOR))
        self.documents, self.dead_documents = map(self._queue_name, deployed.queues_of(_INGEST))
        [(self.api, _)] = deployed.of_kind("AWS::ApiGatewayV2::Api")
        [self._stage] = [each["StageName"] for _, each in deployed.of_kind("AWS::ApiGatewayV2::Stage")]

    def function(self, function: str, metric: str, *values: float) -> list[Point]:
        """Of one of the stage's functions, by its name without the stage's; of the account's others by full name."""
        known = self._deployed.functions().get(function)
        name = known["FunctionName"] if known else function
        one, alias = {"FunctionName": name}, {"FunctionName": name, "Resource": name}
        return [*_points("AWS/Lambda", metric, values, one, alias, {})]

    def queue(self, name: str, metric: str, *values: float) -> list[Point]:
        return [*_points("AWS/SQS", metric, values, {"QueueName": name})]

    def table(self, name: str, metric: str, *values: float) -> list[Point]:
        return [*_points("AWS/DynamoDB", metric, values, {"TableName": self._deployed.tables()[name]})]

    def websocket(self, metric: str, *values: float, api: str = "") -> list[Point]:
        whole = {"ApiId": api or self.api}
        stage = whole | {"Stage": self._stage}
        return [*_points("AWS/ApiGateway", metric, values, whole, stage, stage | {"Route": "sendMessage"})]

    def answers(self, *scores: tuple[float | None, ...], stage: str = "") -> list[Point]:
        """What the message processor writes of answers whose searches found evidence of these qualities."""
        name = stage or self._deployed.environment(_PROCESSOR)["CICADA_STAGE"]
        lines: list[str] = []
        metrics = AnswerMetrics(name, "a-model", write=lines.append)
        for each in scores:
            metrics.observe(_REQUEST, AnswerRecord(scores=each, intent="script_query", strategy="ContentOnly"))
        return [point for number, line in enumerate(lines) for point in _logged(line, number / len(lines))]

    def healthy(self) -> list[Point]:
        """Busy, and at its limits: what is still well, on every resource."""
        points = [*self._healthy_functions(), *self._healthy_queues()]
        # Of 200 answers, 30 were searched for twice; others needed no search.
        points += self.answers(*[(0.9,)] * 170, *[(0.3, 0.8)] * 30, *[()] * 50)
        for table in ("requests", "connections", "entries"):
            points += self.table(table, "WriteThrottleEvents", 0, 0)
            points += self.table(table, "ConsumedWriteCapacityUnits", 4000, 9000)
        for metric, value in {
            "IntegrationError": 0,
            "ExecutionError": 0,
            "ClientError": 7,
            "MessageCount": 400,
        }.items():
            points += self.websocket(metric, value, value)
        return points

    def _healthy_functions(self) -> Iterator[Point]:
        for function in self._deployed.functions():
            yield from self.function(function, "Errors", *[0] * 200)
            yield from self.function(function, "Throttles", *[0] * 200)
            yield from self.function(function, "Invocations", *[1] * 200)
        # Of 200 answers one is near the function's end, one took four minutes, the others took seconds.
        yield from self.function(_PROCESSOR, "Duration", *[9_000] * 196, *[240_000] * 3, 299_000)
        yield from self.function(_INGEST, "Duration", 700_000, 880_000)

    def _healthy_queues(self) -> Iterator[Point]:
        yield from self.queue(self.requests, "ApproximateAgeOfOldestMessage", 0, 5, 60, 20, 0)
        yield from self.queue(self.requests, "ApproximateNumberOfMessagesVisible", 0, 30, 80, 10, 0)
        yield from self.queue(self.documents, "ApproximateAgeOfOldestMessage", 0, 900, 1800, 2400, 3600)
        yield from self.queue(self.documents, "ApproximateNumberOfMessagesVisible", 0, 900, 600, 300, 0)
        for dead_letters in (self.dead_requests, self.dead_documents):
            yield from self.queue(dead_letters, "ApproximateNumberOfMessagesVisible", 0, 0, 0, 0, 0)

    def _queue_name(self, id: str) -> str:
        return self._deployed.text({"Fn::GetAtt": [id, "QueueName"]})


def _logged(line: str, moment: float) -> Iterator[Point]:
    """The points that CloudWatch extracts from a line in its embedded metric format."""
    written = json.loads(line)
    for each in written["_aws"]["CloudWatchMetrics"]:
        for names in each["Dimensions"]:
            dimensions = frozenset((name, written[name]) for name in names)
            for metric in each["Metrics"]:
                name, at = metric["Name"], STARTS + SECONDS * moment
                yield Point(each["Namespace"], name, dimensions, written[name], at)


def _points(namespace: str, metric: str, values: Sequence[float], *dimensions: dict[str, str]) -> Iterator[Point]:
    for number, value in enumerate(values):
        for each in dimensions:
            at = STARTS + SECONDS * number / len(values)
            yield Point(namespace, metric, frozenset(each.items()), value, at)
