"""The local stage, deployed once for all tests that talk to it; what its functions call is recorded."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from local.stage.isolated import free_port, isolated
from local.stage.stage import LocalStage
from tests.chaos.database import Database
from tests.chaos.target import Target
from tests.e2e.recorder import Recorder
from tests.e2e.store import Store, ingested
from tests.e2e.traffic import Traffic
from tests.fakes.xray_daemon import XRayDaemon, xray_daemon
from tests.relay import Relay

_LAST = "test_permissions.py"
_PASSED = pytest.StashKey[set[str]]()


@pytest.fixture(scope="session")
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(scope="session")
def daemon() -> Iterator[XRayDaemon]:
    """Where the functions' traces go."""
    with xray_daemon() as daemon:
        yield daemon


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, recorder: Recorder, daemon: XRayDaemon) -> Iterator[Target]:
    """Its functions' calls go through two servers: one for DynamoDB, which can be throttled, and one for the rest."""
    database_port, calls_port = free_port(), free_port()
    config = isolated(
        tmp_path_factory.mktemp("stage"),
        databaseUrl=f"http://127.0.0.1:{database_port}",
        callsUrl=f"http://127.0.0.1:{calls_port}",
        tracesAddress=daemon.address,
    )
    with (
        Database(config.aws_url, database_port, noted=recorder.note).serving() as database,
        Relay(config.aws_url, calls_port, recorder.note).serving(),
        LocalStage(config, print) as stage,
    ):
        yield Target(config, stage.info, database)


@pytest.fixture(scope="session")
def store(stage: Target) -> Store:
    return ingested(stage)


@pytest.fixture(scope="session")
def traffic() -> Traffic:
    return Traffic()


@pytest.fixture(autouse=True)
def _published(traffic: Traffic, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Check in every test that all frames seen and sent match the published schemas."""
    traffic.of_library(monkeypatch)
    yield
    assert traffic.faults() == []


@pytest.fixture
def passed(request: pytest.FixtureRequest) -> set[str]:
    """The files of which all tests were run and have passed so far."""
    here = Path(__file__).parent
    own = [item for item in request.session.items if item.path.parent == here and item.path.name != _LAST]
    missing = {item.path.name for item in own if item.nodeid not in request.config.stash[_PASSED]}
    return {item.path.name for item in own} - missing


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_PASSED] = set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What was recorded is looked at when everything else on the stage has run."""
    items.sort(key=lambda item: item.path == Path(__file__).with_name(_LAST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.passed:
        item.config.stash[_PASSED].add(item.nodeid)
    return report
