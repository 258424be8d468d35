from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.errors import CicadaError, ConfigurationError, ConnectionGoneError, ThrottledError, UnavailableError

FRAME = '{"type":"chunk","content":"説話"}'


@contextmanager
def channel() -> Iterator[tuple[ApiGatewayChannel, Stubber]]:
    client = boto3.client(
        "apigatewaymanagementapi",
        region_name="us-east-1",
        endpoint_url="http://127.0.0.1:9/v1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with Stubber(client) as stubber:
        yield ApiGatewayChannel(client), stubber


def test_a_frame_is_posted_as_utf_8_and_a_connection_closed() -> None:
    with channel() as (posting, stubber):
        stubber.add_response("post_to_connection", {}, {"ConnectionId": "c1=", "Data": FRAME.encode()})
        stubber.add_response("delete_connection", {}, {"ConnectionId": "c1="})
        posting.post("c1=", FRAME)
        posting.close("c1=")
        stubber.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["GoneException", "410", "BadRequestException"])
def test_a_connection_that_does_not_exist_is_closed_already(code: str) -> None:
    with channel() as (posting, stubber):
        stubber.add_client_error("delete_connection", code, "as the script says", http_status_code=410)
        posting.close("c1=")
        stubber.assert_no_pending_responses()


def test_a_connection_that_may_not_be_closed_is_a_wrong_deployment() -> None:
    with channel() as (posting, stubber):
        stubber.add_client_error("delete_connection", "ForbiddenException", "as the script says", http_status_code=403)
        with pytest.raises(ConfigurationError):
            posting.close("c1=")


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("GoneException", 410, ConnectionGoneError),
        ("410", 410, ConnectionGoneError),
        ("BadRequestException", 400, ConnectionGoneError),
        ("LimitExceededException", 429, ThrottledError),
        ("TooManyRequestsException", 429, ThrottledError),
        ("ForbiddenException", 403, ConfigurationError),
        ("AccessDeniedException", 403, ConfigurationError),
        ("PayloadTooLargeException", 413, UnavailableError),
        ("InternalServerError", 500, UnavailableError),
    ],
)
def test_each_refusal_is_one_of_the_librarys(code: str, status: int, error: type[CicadaError]) -> None:
    with channel() as (posting, stubber):
        stubber.add_client_error("post_to_connection", code, "as the script says", http_status_code=status)
        with pytest.raises(error) as caught:
            posting.post("c1=", FRAME)
        assert type(caught.value) is error
        assert caught.value.__cause__ is not None


def test_an_endpoint_out_of_reach_is_unavailable() -> None:
    with channel() as (posting, stubber):
        stubber.deactivate()
        with pytest.raises(UnavailableError):
            posting.post("c1=", FRAME)
        with pytest.raises(UnavailableError):
            posting.close("c1=")
