"""What the agents' tools keep for a user: through Converse as on AWS, with Bedrock agents, and when these fail."""

from __future__ import annotations

import json
from urllib.request import urlopen

import pytest

from tests.chaos.target import Target
from tests.e2e.faults import cancel_faults, order_fault
from tests.e2e.processor import processor_with
from tests.e2e.wire import Events, ask, connected, receive_all

KEPT = [
    ("Create a character profile for Oswald: steward of Goneril", "Saved"),
    ("Show the character profile of Oswald", "steward of Goneril"),
    ("Add to the character profile of Oswald: he carries letters", "steward of Goneril\nhe carries letters"),
    ("List my profiles", "Oswald"),
    ("Delete the character profile of Oswald", "Deleted"),
    ("Show the character profile of Oswald", "was deleted on"),
    ("Bring back the character profile of Oswald", "Brought back the character profile “Oswald”"),
    ("Delete the character profile of Oswald", "Deleted"),
    ("Save my theory: The porter is drunk", "Saved"),
    ("Save my theory: The porter is drunk", "Saved"),
    ("Show my theory: The porter is drunk", "The porter is drunk"),
    ("Add to my theory about the porter: the evidence is the knocking", "The porter is drunk\nthe evidence is"),
    ("Rename my theory: The porter is drunk to The porter of hell gate", "Renamed"),
    ("List my theories", "- The porter of hell gate ("),
    ("Delete my theory about the porter of hell gate", "Deleted the theory “The porter of hell gate”"),
    ("List my theories", "You have no theories."),
    ("Restore my theory about the porter", "Brought back the theory “The porter of hell gate”"),
    ("Show my theory: The porter of hell gate", "the evidence is the knocking"),
    ("Delete my theory about the porter of hell gate", "Deleted the theory"),
]


def agents_asked(stage: Target) -> int:
    """How often InvokeAgent was called."""
    with urlopen(f"{stage.config.bedrock_url}/_standin/calls", timeout=10) as reply:  # noqa: S310 - of the stage
        return sum(path.startswith("/agents/") for _, path in json.loads(reply.read()))


def keep(stage: Target, *, reachable: bool = True) -> None:
    with connected(stage.url, stage.token("bob")) as wire:
        # That each message falls back by itself shows after a few.
        for message, told in KEPT if reachable else KEPT[:6]:
            if not reachable:
                # The agent is asked three times for one message; then the same tools are used through Converse.
                order_fault(stage, operation="invoke-agent", kind="throttle", times=3)
            ask(wire, message)
            assert told in receive_all(wire, Events()).text
            cancel_faults(stage)  # An agent that failed often is left alone for a while, and meets none of them.


def test_what_a_user_has_the_agents_keep_is_kept_through_converse(stage: Target) -> None:
    before = agents_asked(stage)
    keep(stage)
    assert agents_asked(stage) == before


@pytest.mark.parametrize("reachable", [True, False])
def test_what_a_user_has_bedrock_agents_keep_is_kept(stage: Target, reachable: bool) -> None:
    before = agents_asked(stage)
    with processor_with(stage, CICADA_AGENTS="bedrock"):
        keep(stage, reachable=reachable)
    assert agents_asked(stage) > before
