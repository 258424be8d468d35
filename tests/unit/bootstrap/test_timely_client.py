from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import unquote

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.client import BaseClient

from cicada.bootstrap.aws import TimelyClient, client
from cicada.deadline import Deadline, ending_by
from cicada.errors import OutOfTimeError
from tests.fakes.clock import Clock


@dataclass(frozen=True)
class Waiting:
    """A client that says how long it waits."""

    seconds: float

    def waits(self) -> float:
        return self.seconds


class Body(BytesIO):
    """What botocore reads of a reply."""

    def stream(self, **_: object) -> Any:
        yield self.read()


def waits(client: TimelyClient, left: float) -> float:
    with ending_by(Deadline.in_seconds(left, Clock())):
        return float(client.waits())


def test_a_call_waits_no_longer_than_the_answer_may_take() -> None:
    made = TimelyClient(Waiting, 60)
    assert made.waits() == 60
    assert [waits(made, left) for left in (300, 60, 59, 40, 25, 9.9, 4, 1, 0.3)] == [60, 60, 40, 40, 20, 5, 3, 1, 1]


def test_a_short_call_is_not_given_more_time_than_its_own() -> None:
    made = TimelyClient(Waiting, 4)
    assert [waits(made, left) for left in (300, 4, 3.5, 2.9)] == [4, 4, 3, 2]


def test_each_client_is_made_once() -> None:
    seconds: list[float] = []

    def make(timeout: float) -> Waiting:
        seconds.append(timeout)
        return Waiting(timeout)

    made = TimelyClient(make, 60)
    assert seconds == [60]
    for left in (300, 30, 300, 25, 30):
        waits(made, left)
    assert seconds == [60, 20]


def test_after_the_deadline_no_call_is_made() -> None:
    with pytest.raises(OutOfTimeError):
        waits(TimelyClient(Waiting, 60), 0)


def test_a_model_is_called_by_the_profile_that_the_stage_has_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("CICADA_MODEL_PROFILES", "us.some.model-v1:0=arn:aws:bedrock:us-east-1:1:own/p1,b=arn:b")
    asked: list[str] = []

    def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        asked.append(unquote(request.url.split("/model/")[1].removesuffix("/converse")))
        return AWSResponse(request.url, 200, HeadersDict(), Body(b"{}"))  # type: ignore[arg-type]

    bedrock = client("bedrock-runtime", read_timeout_seconds=10)
    for left in (300, 5):
        with ending_by(Deadline.in_seconds(left, Clock())):
            bedrock.meta.events.register("before-send.bedrock-runtime", answer)
            for model_id in ("us.some.model-v1:0", "another.model-v1:0"):
                bedrock.converse(modelId=model_id, messages=[])
    assert asked == ["arn:aws:bedrock:us-east-1:1:own/p1", "another.model-v1:0"] * 2


def test_the_clients_of_models_heed_the_deadline() -> None:
    for service in ("bedrock-runtime", "bedrock-agent-runtime"):
        made = client(service, read_timeout_seconds=60, attempts=1)
        with ending_by(Deadline.in_seconds(7, Clock())):
            assert made.meta.config.read_timeout == 5
        assert made.meta.config.read_timeout == 60


def test_the_classes_of_a_clients_errors_are_made_with_it_and_not_by_several_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []
    load: Any = BaseClient._load_exceptions  # type: ignore[attr-defined]

    def loading(self: BaseClient) -> object:
        made.append(self)
        return load(self)

    monkeypatch.setattr(BaseClient, "_load_exceptions", loading)
    s3 = client("s3")
    assert made == [s3]
    assert issubclass(s3.exceptions.NoSuchKey, Exception)
    assert made == [s3]
