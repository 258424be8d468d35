"""The end of a connection: its client is told why, and it is closed."""

from __future__ import annotations

from contextlib import suppress

from cicada.conversation.ports import Channel
from cicada.conversation.protocol import failed, frame
from cicada.errors import CicadaError, ConnectionGoneError, DependencyError


def end(connection_id: str, reason: CicadaError, channel: Channel) -> None:
    """Raises `DependencyError` if it may be open still. The frame is a courtesy: one that is lost changes nothing."""
    with suppress(ConnectionGoneError, DependencyError):
        channel.post(connection_id, frame(failed(reason)))
    channel.close(connection_id)
