from __future__ import annotations

import pytest

from cicada.conversation.command_guard import check_token, require_connection
from cicada.conversation.model import Connection
from cicada.errors import NotConnectedError, TokenExpiredError
from tests.fakes.conversation import InMemoryConnections
from tests.unit.conversation.situation import ANN

NOW = 1_800_000_000.0


@pytest.fixture
def table() -> InMemoryConnections:
    made = InMemoryConnections()
    made.add(Connection("c1", ANN, NOW, NOW - 600), NOW + 7200)
    return made


def test_a_connection_says_who_is_on_it(table: InMemoryConnections) -> None:
    assert require_connection("c1", table).principal == ANN


def test_an_unknown_connection_is_asked_to_connect_again(table: InMemoryConnections) -> None:
    with pytest.raises(NotConnectedError):
        require_connection("c2", table)


@pytest.mark.parametrize("late_by", [0, 1, 100_000])
def test_a_token_that_has_run_out_no_longer_counts(table: InMemoryConnections, late_by: float) -> None:
    with pytest.raises(TokenExpiredError):
        check_token(require_connection("c1", table), NOW + late_by)
