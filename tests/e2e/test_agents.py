"""What the agents' tools keep for a user, with the agents themselves and with the fallback when they fail."""

from __future__ import annotations

import pytest

from evals.chaos.target import Target
from tests.e2e.faults import order_fault
from tests.e2e.wire import Events, ask, connected, receive_all

KEPT = [
    ("Create a character profile for Oswald: steward of Goneril", "Saved"),
    ("Show the character profile of Oswald", "steward of Goneril"),
    ("List my character profiles", "Oswald"),
    ("Delete the character profile of Oswald", "Deleted"),
    ("Show the character profile of Oswald", "no character profile"),
    ("Save my theory: The porter is drunk", "Saved"),
    ("List my theories", "The porter is drunk"),
    ("Show my theory: The porter is drunk", "The porter is drunk"),
]


@pytest.mark.parametrize("reachable", [True, False])
def test_what_a_user_has_the_agents_keep_is_kept(stage: Target, reachable: bool) -> None:
    with connected(stage.url, stage.token("bob")) as wire:
        for message, told in KEPT:
            if not reachable:
                # As often as the agent is asked for one message; then the same tools are used through Converse.
                order_fault(stage, operation="invoke-agent", kind="throttle", times=3)
            ask(wire, message)
            assert told in receive_all(wire, Events()).text
