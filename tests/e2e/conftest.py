"""The local stage, deployed once for each group of tests that talk to it; what its functions call is recorded."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from local.stage.isolated import free_port, isolated
from local.stage.stage import LocalStage
from tests.chaos.database import Database
from tests.chaos.target import Target
from tests.e2e.recorder import Recorder
from tests.e2e.shown import Shown, ShownHere, gathered
from tests.e2e.store import Store, ingested
from tests.e2e.traffic import Traffic
from tests.fakes.xray_daemon import XRayDaemon, xray_daemon
from tests.relay import Relay
from tests.sharing import group_of

_HERE = Path(__file__).parent
_LAST = _HERE / "test_permissions.py"
_SHOWN_HERE = pytest.StashKey[ShownHere]()


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


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder for what each group has shown, one for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "shown"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def shown_here(pytestconfig: pytest.Config, stage: Target, recorder: Recorder, left: Path) -> ShownHere:
    """What the tests of this worker have shown until now."""
    pytestconfig.stash[_SHOWN_HERE] = shown = ShownHere(stage, recorder, left)
    return shown


@pytest.fixture
def shown(request: pytest.FixtureRequest, shown_here: ShownHere, left: Path) -> Shown:
    """What all end-to-end tests of this run have shown."""
    groups = {group_of(item.nodeid) for item in request.session.items if item.path.is_relative_to(_HERE)}
    return shown_here.now() | gathered(left, groups - {group_of(request.node.nodeid)})


@pytest.fixture
def passed(request: pytest.FixtureRequest, shown: Shown) -> set[str]:
    """The files of which all tests were run and have passed so far."""
    own = [item for item in request.session.items if item.path.is_relative_to(_HERE) and item.path != _LAST]
    missing = {item.path.name for item in own if item.nodeid not in shown.passed}
    return {item.path.name for item in own} - missing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What was recorded is looked at when everything else on the stage has run."""
    items.sort(key=lambda item: item.path == _LAST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.passed:
        item.config.stash[_SHOWN_HERE].passed.add(item.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """After the last test of a group, while its stage still runs, leave what the group has shown."""
    shown = item.config.stash.get(_SHOWN_HERE, None)  # None: the stage could not be deployed.
    if shown and (nextitem is None or group_of(nextitem.nodeid) != group_of(item.nodeid)):
        shown.leave(group_of(item.nodeid))
    yield
