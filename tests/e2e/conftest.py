"""The local stage, deployed once for all tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evals.chaos.target import Target
from evals.own_stage import disturbable


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with disturbable(tmp_path_factory.mktemp("stage"), print) as target:
        yield target
