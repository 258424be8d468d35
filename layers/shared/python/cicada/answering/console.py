"""Answer a Lambda console test event: the whole result as one JSON object; nothing is stored or queued."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from cicada.answering.answer import Answerer
from cicada.answering.events import complete, events_of
from cicada.answering.parts import AnswerPart, Finished
from cicada.conversation.accept import DEFAULT_KNOWLEDGE_BASE, question_of
from cicada.conversation.model import Question
from cicada.conversation.protocol import (
    AnyEventBody,
    Chunk,
    Listing,
    SendMessage,
    SourcesFound,
    event_body,
    failed,
    parse_command,
)
from cicada.errors import CicadaError, InvalidFrameError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions import base_of


def answer_at_once(event: Mapping[str, Any], answerer: Answerer) -> dict[str, Any]:
    """The answer to `{"message": "…"}`; with `tenant`, `user`, `groups`, `login` and the fields of `sendMessage`.

    Returns `text`, `sources`, a listing's `documents` and the fields of `complete`, or those of `error`.
    """
    try:
        principal, question = _asked(event, answerer.listings.bases)
        parts = list(answerer.answer(question, principal))
    except CicadaError as error:
        return _fields(failed(error))
    return _result(parts)


def _asked(event: Mapping[str, Any], bases: KnowledgeBases) -> tuple[Principal, Question]:
    fields = {"requestId": str(uuid.uuid4()), **event, "action": "sendMessage"}
    tenant, user = str(fields.pop("tenant", "default")), str(fields.pop("user", "console"))
    groups, login = fields.pop("groups", []), str(fields.pop("login", ""))
    if not isinstance(groups, list):
        raise InvalidFrameError('The groups are a list, as ["legal"].')
    principal = Principal(tenant, user, frozenset(map(str, groups)), login)
    command = parse_command(json.dumps(fields))
    if not isinstance(command, SendMessage):
        raise InvalidFrameError('A test event is {"message": "…"}.')
    return principal, question_of(command, DEFAULT_KNOWLEDGE_BASE, lambda name: base_of(bases, principal, name).schema)


def _result(parts: list[AnswerPart]) -> dict[str, Any]:
    events = list(events_of(parts))
    sources = [source for event in events if isinstance(event, SourcesFound) for source in _fields(event)["sources"]]
    listed = [each for event in events if isinstance(event, Listing) for each in _fields(event)["documents"]]
    text = "".join(event.content for event in events if isinstance(event, Chunk))
    last = next(part for part in reversed(parts) if isinstance(part, Finished))
    documents = {"documents": listed} if any(isinstance(event, Listing) for event in events) else {}
    return {"text": text, "sources": sources, **documents, **_fields(complete(last, timings={}))}


def _fields(event: AnyEventBody) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(event_body(event))
    return found
