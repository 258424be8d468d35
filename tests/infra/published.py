"""What AWS publishes of a deployed stage, with the dimensions that it publishes.

Lambda: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
SQS: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
DynamoDB: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property

from msgspec.structs import replace as changed

from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.identity import Principal
from cicada.observability.metrics import AnswerMetrics, StageMetrics
from tests.infra.cloudwatch import Point
from tests.infra.deployed import Deployed

STARTS = 3600.0
SECONDS = 300.0
_PROCESSOR, _INGEST = "message-processor", "ingest-document"
WAITING = "ApproximateNumberOfMessagesVisible"
HELD = "ApproximateNumberOfMessagesNotVisible"
RECEIVED = "NumberOfMessagesReceived"
ANSWERED = {"firstToken": 900, "total": 9000}
NO_SEARCH = AnswerRecord(intent="general", timings=ANSWERED)
SEARCHED = AnswerRecord(intent="script_query", strategy="ContentOnly", scores=(0.9,), timings=ANSWERED)
_REQUEST = RequestKey(Principal("acme", "ann"), "7e57d004-2b97-4e7a-b45f-5387367791cd")


class Publisher:
    """Gives points within the five minutes after `STARTS`, at even distances in the order of their values."""

    def __init__(self, deployed: Deployed) -> None:
        self._deployed = deployed
        self.requests, self.dead_requests = map(self._queue_name, deployed.queues_of(_PROCESSOR))
        self.documents, self.dead_documents = map(self._queue_name, deployed.queues_of(_INGEST))

    def function(self, function: str, metric: str, *values: float) -> list[Point]:
        """Points of a function of the stage, by its name without the stage's, or of another one by its full name."""
        known = self._deployed.functions().get(function)
        name = known["FunctionName"] if known else function
        one, alias = {"FunctionName": name}, {"FunctionName": name, "Resource": name}
        return [*_points("AWS/Lambda", metric, values, one, alias, {})]

    def queue(self, name: str, metric: str, *values: float) -> list[Point]:
        return [*_points("AWS/SQS", metric, values, {"QueueName": name})]

    def table(self, name: str, metric: str, *values: float) -> list[Point]:
        return [*_points("AWS/DynamoDB", metric, values, {"TableName": self._deployed.tables()[name]})]

    def answers(self, *records: AnswerRecord, stage: str = "") -> list[Point]:
        """What the message processor writes of answers with these records."""
        lines: list[str] = []
        metrics = AnswerMetrics(stage or self._stage_of(_PROCESSOR), "a-model", write=lines.append)
        for each in records:
            metrics.observe(_REQUEST, each)
        return [*_logged(lines)]

    def waits(self, *seconds: float) -> list[Point]:
        """What the message processor writes of requests that waited for it so long."""
        lines: list[str] = []
        metrics = StageMetrics(self._stage_of(_PROCESSOR), write=lines.append)
        for each in seconds:
            metrics.waited(each)
        return [*_logged(lines)]

    def ingests(self, *failed: bool) -> list[Point]:
        """What the ingest function writes of ingests that failed or not."""
        lines: list[str] = []
        metrics = StageMetrics(self._stage_of(_INGEST), write=lines.append)
        for each in failed:
            metrics.ingested(failed=each)
        return [*_logged(lines)]

    def failed_commands(self, count: int) -> list[Point]:
        """What the function of a command writes when it fails so often."""
        lines: list[str] = []
        for _ in range(count):
            StageMetrics(self._stage_of("ws-message"), write=lines.append).failed_command()
        return [*_logged(lines)]

    def lost_records(self, count: int) -> list[Point]:
        """What functions write of audit records that were not taken."""
        lines: list[str] = []
        for _ in range(count):
            StageMetrics(self._stage_of("ws-message"), write=lines.append).lost_record()
        return [*_logged(lines)]

    def letters(self, queue: str, visible: int, held: int = 0) -> list[Point]:
        """Letters in a dead-letter queue, some of which a person looks at."""
        return self.queue(queue, WAITING, *[visible] * 5) + self.queue(queue, HELD, *[held] * 5)

    def taken(self, queue: str, visible: int, received: int) -> list[Point]:
        """A queue in which so many wait all the time, while so many are received each minute."""
        return self.queue(queue, WAITING, *[visible] * 5) + self.queue(queue, RECEIVED, *[received] * 5)

    def calls(self, function: str, count: int, *, errors: int = 0, throttles: int = 0) -> list[Point]:
        """Lambda's counts of invocations. A throttled call is no invocation."""
        return [
            *self.function(function, "Invocations", count),
            *self.function(function, "Errors", errors),
            *self.function(function, "Throttles", throttles),
        ]

    def old_letters(self) -> list[Point]:
        """Letters of earlier incidents, which nobody has redriven."""
        found = [*self.letters(self.dead_requests, visible=7), *self.letters(self.dead_documents, visible=7)]
        return lasting(found, periods=4)

    @cached_property
    def healthy(self) -> tuple[Point, ...]:
        """Busy for twenty minutes, and at its limits: what is still well, on every resource."""
        points = [*self._healthy_functions(), *self._healthy_queues(), *self._healthy_answers()]
        return (*lasting(points, periods=4), *self.old_letters())

    def _healthy_functions(self) -> Iterator[Point]:
        for function in self._deployed.functions():
            # Nine of 200 calls broke, and two found no execution.
            yield from self.calls(function, 200, errors=9, throttles=2)
        # One of 40 answers took more than four minutes, the others took seconds.
        yield from self.function(_PROCESSOR, "Duration", *[9_000] * 39, 299_000)
        yield from self.function(_INGEST, "Duration", 700_000, 880_000)
        for table in ("requests", "connections", "entries", "readers"):
            yield from self.table(table, "ConsumedWriteCapacityUnits", 4000, 9000)
        yield from self.table("requests", "WriteThrottleEvents", 4, 6)

    def _healthy_answers(self) -> Iterator[Point]:
        """240 answers: of 200, thirty were searched for twice; ten failed, ten were throttled, ten began late."""
        slow, failed = ANSWERED | {"firstToken": 29_000}, changed(NO_SEARCH, code="stream_broken", timings={})
        yield from self.answers(
            *[changed(SEARCHED, scores=(0.9,))] * 150,
            *[changed(SEARCHED, scores=(0.3, 0.8))] * 30,
            *[changed(SEARCHED, scores=(0.9,), refused_calls=1)] * 10,
            *[changed(SEARCHED, scores=(0.9,), timings=slow)] * 10,
            *[NO_SEARCH] * 30,
            *[failed] * 10,
            *[changed(NO_SEARCH, code="unknown_knowledge_base")] * 90,
        )
        yield from self.waits(*[0.4] * 180, *[240.0] * 20)
        yield from self.ingests(*[False] * 180, *[True] * 20)
        yield from self.failed_commands(3)

    def _healthy_queues(self) -> Iterator[Point]:
        # The age counts from the sending, and until the answer has ended.
        yield from self.queue(self.requests, "ApproximateAgeOfOldestMessage", 0, 5, 290, 280, 0)
        yield from self.taken(self.requests, visible=30, received=200)
        yield from self.queue(self.documents, "ApproximateAgeOfOldestMessage", 0, 900, 1800, 2400, 3600)
        yield from self.taken(self.documents, visible=900, received=4)

    def _stage_of(self, function: str) -> str:
        return self._deployed.environment(function)["CICADA_STAGE"]

    def _queue_name(self, id: str) -> str:
        return self._deployed.text({"Fn::GetAtt": [id, "QueueName"]})


@cache
def publisher_of(deployed: Deployed) -> Publisher:
    """One for all tests: what a healthy stage publishes takes a while to write."""
    return Publisher(deployed)


def lasting(points: Sequence[Point], *, periods: int) -> list[Point]:
    """The same in each of so many periods, the last of which is that of the points."""
    return [replace(point, at=point.at - SECONDS * number) for number in range(periods) for point in points]


def _logged(lines: Sequence[str]) -> Iterator[Point]:
    """The points that CloudWatch extracts from lines in its embedded metric format."""
    for number, line in enumerate(lines):
        written = json.loads(line)
        for each in written["_aws"]["CloudWatchMetrics"]:
            for names in each["Dimensions"]:
                dimensions = frozenset((name, written[name]) for name in names)
                for metric in each["Metrics"]:
                    name, at = metric["Name"], STARTS + SECONDS * number / len(lines)
                    yield Point(each["Namespace"], name, dimensions, written[name], at)


def _points(namespace: str, metric: str, values: Sequence[float], *dimensions: dict[str, str]) -> Iterator[Point]:
    for number, value in enumerate(values):
        for each in dimensions:
            at = STARTS + SECONDS * number / len(values)
            yield Point(namespace, metric, frozenset(each.items()), value, at)
