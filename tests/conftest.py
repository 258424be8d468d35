"""All tests: no network but loopback, no credentials, nothing from the environment, no randomness."""

from __future__ import annotations

import functools
import os

import botocore.session
import hypothesis
import pytest
from xdist.remote import Producer

from tests.chromium import chromium
from tests.settings import unwanted_variables
from tests.sharing import GroupScheduling, arrange

__all__ = ["chromium"]

hypothesis.settings.register_profile("cicada", derandomize=True, deadline=None, database=None, max_examples=50)
hypothesis.settings.load_profile("cicada")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before pytest-socket reads its options."""
    config.option.allow_hosts = config.option.allow_hosts or "127.0.0.0/8,::1"
    config.option.allow_unix_socket = True
    # A session of boto3 reads the descriptions of the services anew: most of the time of a test that makes a client.
    botocore.session.create_loader = functools.cache(botocore.session.create_loader)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    arrange(items)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    return GroupScheduling(config, log)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shield the tests from the developer's AWS account, from a running stage, and from an earlier test's variables."""
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    for name in unwanted_variables():
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
