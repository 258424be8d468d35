"""The connection to OpenSearch: signed on AWS, plain elsewhere, quiet about bodies, and telling of long searches."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from cicada.adapters.opensearch.client import connect, waiting
from cicada.errors import ConfigurationError
from tests.patience import PATIENCE_SECONDS


def connection(url: str, region: str | None) -> Any:
    return connect(url, region).transport.get_connection()


def test_requests_to_aws_are_signed_for_serverless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    made = connection("https://abc.eu-central-1.aoss.amazonaws.com", "eu-central-1")
    headers = made.http_auth("POST", "https://abc.eu-central-1.aoss.amazonaws.com/_msearch", b"{}\n")
    assert "/eu-central-1/aoss/aws4_request" in headers["Authorization"]
    # Serverless refuses a request without the hash of its body.
    assert len(headers["X-Amz-Content-SHA256"]) == 64


def test_without_credentials_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(ConfigurationError, match="credentials"):
        connect("https://abc.eu-central-1.aoss.amazonaws.com", "eu-central-1")


def test_a_local_server_is_reached_without_a_signature_on_its_port() -> None:
    made = connection("http://127.0.0.1:4569", None)
    assert (made.host, made.http_auth) == ("http://127.0.0.1:4569", None)


def test_a_user_and_a_password_in_the_url_are_used() -> None:
    made = connection("http://reader:word@127.0.0.1:4569", None)
    assert made.headers["authorization"].startswith("Basic ")


def test_bodies_are_not_logged_even_where_everything_is() -> None:
    logging.getLogger("opensearch").setLevel(logging.DEBUG)
    connect("http://127.0.0.1:4569", None)
    assert not logging.getLogger("opensearch").isEnabledFor(logging.DEBUG)


def test_it_is_told_when_the_time_is_up_while_the_search_goes_on() -> None:
    told = threading.Event()
    with waiting(told.set, 0.01):
        assert told.wait(PATIENCE_SECONDS)


def test_it_is_told_once_by_whichever_comes_first() -> None:
    told: list[int] = []
    with waiting(lambda: told.append(1), 60) as refused:
        refused()
        refused()
    assert told == [1]


def test_nothing_is_told_of_a_search_that_is_quick() -> None:
    told: list[int] = []
    with waiting(lambda: told.append(1), 60) as refused:
        pass
    refused()
    assert told == []
