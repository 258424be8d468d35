"""The tests' own isolation."""

from __future__ import annotations

import socket

import boto3
import pytest
from botocore.exceptions import NoCredentialsError, NoRegionError
from hypothesis import settings
from pytest_socket import SocketConnectBlockedError

from tests.settings import unwanted_variables


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1", "example.com"])
def test_nothing_beyond_this_machine_is_reached(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as connection, pytest.raises(SocketConnectBlockedError):
        connection.connect((address, 80))


def test_servers_on_this_machine_are_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_no_account_and_no_region_are_known() -> None:
    assert set(unwanted_variables()) == {"AWS_EC2_METADATA_DISABLED", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"}
    with pytest.raises(NoRegionError):
        boto3.client("sqs")
    with pytest.raises(NoCredentialsError):
        boto3.client("sqs", region_name="us-east-1").list_queues()


def test_random_inputs_are_the_same_in_every_run() -> None:
    assert settings.default is not None
    assert settings.default.derandomize
    assert settings.default.deadline is None
