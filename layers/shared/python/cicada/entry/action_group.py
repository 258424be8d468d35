"""Bedrock's calls of an action group: reads the user's session and builds the response."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import BedrockFunctionResponse

from cicada.agents.model import ToolSession, Write
from cicada.bootstrap.audit import record_audit
from cicada.errors import CicadaError
from cicada.identity import Principal, groups_of
from cicada.observability.audit import ShownDocuments, shown_to
from cicada.observability.telemetry import Telemetry, recording

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler import BedrockAgentFunctionResolver

logger = logging.getLogger(__name__)

_REFUSAL = "Refused: the session does not say who the user is. Nothing was done."


def answered(app: BedrockAgentFunctionResolver, tool: Callable[[ToolSession], str]) -> BedrockFunctionResponse:
    """Run `tool` for the session's user; without a session the call is refused.

    A failure ends the agent's turn (responseState FAILURE), so that it is not mistaken for an empty result.
    """
    attributes = app.current_event.session_attributes if app.current_event else {}
    session = tool_session(attributes)
    if session is None:
        return BedrockFunctionResponse(_REFUSAL)
    try:
        with _audited(session, attributes.get("request") or ""):
            return BedrockFunctionResponse(tool(session))
    except CicadaError as error:
        logger.error("A tool failed", extra={"code": error.code})
        return BedrockFunctionResponse(str(error), response_state="FAILURE")


@contextmanager
def _audited(session: ToolSession, request: str) -> Iterator[None]:
    """Record the documents that the tool gives to the model. `request`: as `ShownDocuments.request`."""
    shown = ShownDocuments(request)
    with recording(Telemetry(shown=shown)):
        yield
    if shown.all:
        request_id, _, number = request.partition("#")
        attempt = int(number) if number.isdecimal() else 0
        record_audit(shown_to(session.principal, request_id, attempt, "tool", shown.all, time.time()))


def tool_session(attributes: Mapping[str, str]) -> ToolSession | None:
    """The session that the message processor put into the attributes; None if it is incomplete."""
    tenant, user, knowledge_base = (attributes.get(key) or "" for key in ("tenant", "user", "knowledgeBase"))
    if not (tenant and user and knowledge_base):
        return None
    groups = groups_of(attributes.get("groups") or "[]")
    asked = (attributes.get("writes") or "").split()
    return ToolSession(
        Principal(tenant, user, groups, attributes.get("login") or ""),
        knowledge_base,
        frozenset(each for each in Write if each in asked),
    )
