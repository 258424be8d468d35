"""What a command costs its user: one unit is about one frame, or one read or write of the database."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.conversation.protocol import AnyCommand, Cancel, History, Ping, Resume, SendMessage, SignOutEverywhere

# The frame, the connection's row, the user's row and the reply come with every frame, and are one unit together.
REFUSED_FRAME = 1
CONNECTION = 5
# Of an event that is replayed: a part of a read, and a post.
EVENT = 1
# Of a session that is listed: a read.
SESSION = 1
# Of a turn that is listed: its head, its question and its events.
TURN = 3
# Of a request that is queued again: the send, and an invocation of the processor.
QUEUED_AGAIN = 10
# Of a command before it is known what it causes. A new question costs more when it is admitted.
_ENTRY: Mapping[type[AnyCommand], int] = {
    Ping: 1,
    Cancel: 2,
    History: 2,
    Resume: 3,
    SendMessage: 5,
    SignOutEverywhere: 5,
}
DEAREST_ENTRY = max(_ENTRY.values())


def entry_cost(command: AnyCommand) -> int:
    """Units before it is known what the command causes."""
    return _ENTRY[type(command)]
