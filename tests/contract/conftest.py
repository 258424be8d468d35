"""The indexes that the contract of `PassageIndex` is held against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from local import opensearch
from local.stage.isolated import free_port
from tests.contract.passage_indexes import (
    IndexUnderTest,
    OpenSearchUnderTest,
    ServerlessUnderTest,
    SqliteUnderTest,
)
from tests.fakes.serverless import ENGINE, REMOVED_ALIAS
from tests.settings import running_opensearch

# What AWS does not document, and the index does in another way where it is refused.
WITH_ANOTHER_WAY = {ENGINE, REMOVED_ALIAS}
ENGINES = ["sqlite", "opensearch", "serverless"]
# Those of a stage. Both kinds of OpenSearch are one server here, and are asked differently where an index is made or
# switched: what is found in it needs to be shown of one.
DEPLOYED = ["sqlite", "serverless"]
ROOT = Path(__file__).parents[2]
# It compiles less: a third less processor time for a server that lives for some minutes.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1"


@pytest.fixture(scope="session")
def opensearch_url() -> Iterator[str]:
    """A real OpenSearch: the one of CICADA_OPENSEARCH_URL, or one started for this session."""
    if url := running_opensearch():
        yield url
        return
    distribution = opensearch.prepare(ROOT / ".build" / "opensearch")
    with TemporaryDirectory(prefix="cicada-opensearch-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # The server runs as another user if this is root.
        server = opensearch.start(
            distribution, folder / "data", free_port(), folder / "server.log", java_options=_SHORT_LIVED
        )
        try:
            yield server.url
        finally:
            server.stop()


@contextmanager
def _made(request: pytest.FixtureRequest, folder: Path) -> Iterator[IndexUnderTest]:
    made: IndexUnderTest
    if request.param == "sqlite":
        made = SqliteUnderTest(folder / "index.sqlite")
    elif request.param == "opensearch":
        made = OpenSearchUnderTest(request.getfixturevalue("opensearch_url"))
    else:
        made = ServerlessUnderTest(request.getfixturevalue("opensearch_url"))
    yield made
    made.close()
    if isinstance(made, ServerlessUnderTest):
        assert set(made.collected.refused) <= WITH_ANOTHER_WAY


@pytest.fixture(params=ENGINES)
def under_test(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexUnderTest]:
    with _made(request, tmp_path) as made:
        yield made


@pytest.fixture(params=DEPLOYED)
def deployed_under_test(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexUnderTest]:
    with _made(request, tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=DEPLOYED)
def shared_under_test(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexUnderTest]:
    """One index for the tests of a module that leave it as they found it: filling one takes most of their time."""
    with _made(request, tmp_path_factory.mktemp("index")) as made:
        yield made


@pytest.fixture
def opensearch_under_test(opensearch_url: str) -> Iterator[OpenSearchUnderTest]:
    made = OpenSearchUnderTest(opensearch_url)
    yield made
    made.close()
