"""Cancel a request."""

from __future__ import annotations

from cicada.conversation.model import RequestKey
from cicada.conversation.ports import RequestLog
from cicada.errors import RequestNotFoundError


def cancel(key: RequestKey, log: RequestLog) -> None:
    """Ask the processor to stop; the client gets the `cancelled` event. No effect on an ended request.

    Raises `RequestNotFoundError` for a request that does not exist or is another user's.
    """
    if log.request_cancel(key) is None:
        raise RequestNotFoundError("There is no such request to cancel.")
