"""The WebSocket protocol, version 1: what a client may send and what it may receive.

JSON text frames. Commands are distinguished by `action`, which is API Gateway's route key; events by `type`.
Field names on the wire are camelCase. This module defines the protocol; docs/protocol.md describes it.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from cicada.conversation.model import Status
from cicada.errors import CicadaError, ConfigurationError, InvalidFrameError, LimitExceededError

FRAME_LIMIT_BYTES = 32 * 1024
MESSAGE_LIMIT_BYTES = 128 * 1024

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"
_NOT_BLANK = r"\S"
_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
RequestId = Annotated[str, Field(pattern=_UUID)]
SessionId = Annotated[str, Field(pattern=_NAME)]
KnowledgeBaseName = Annotated[str, Field(pattern=_NAME)]


class _Frame(BaseModel):
    # Validators are built at first use: no function needs all of them, and building them slows cold starts.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True)


def _left_out_when_none() -> Any:
    """An optional field that is absent on the wire when it is not set; other fields are null instead."""
    return Field(default=None, exclude_if=lambda value: value is None)


# ---- commands: client to server -------------------------------------------------------------------------------


FilterValue = Annotated[str, Field(max_length=256)] | Annotated[float, Field(allow_inf_nan=False)] | bool


class Filter(_Frame):
    """A condition on a metadata field. `eq`, `gte`, `gt`, `lte` and `lt` take `value`, `any` and `none` take `values`.

    `exists` takes nothing, or as `value` false: the field has no value. The knowledge base's schema says which fields
    there are, and the types of their values; a date is a text such as `2026-01-31`.
    """

    field: Annotated[str, Field(min_length=1, max_length=200)]
    op: Literal["eq", "any", "none", "gte", "gt", "lte", "lt", "exists"]
    value: FilterValue | None = None
    values: Annotated[list[FilterValue], Field(max_length=50)] = []


class Scope(_Frame):
    """Restricts a question: to episodes, and to documents that meet all filters.

    `metadata`: for each field the values of which it must have one, as a filter with `any` says too.
    """

    episodes: Annotated[list[Annotated[str, Field(max_length=128)]], Field(max_length=50)] = []
    metadata: Annotated[
        dict[
            Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")],
            Annotated[list[Annotated[str, Field(max_length=256)]], Field(min_length=1, max_length=50)],
        ],
        Field(max_length=10),
    ] = {}
    filters: Annotated[list[Filter], Field(max_length=20)] = []


class SendMessage(_Frame):
    """Ask. `requestId` is made by the client; sending the same request again is harmless.

    Without `knowledgeBase` the question asks the one that its session began with.
    """

    action: Literal["sendMessage"]
    request_id: RequestId
    message: Annotated[str, Field(min_length=1, max_length=8000, pattern=_NOT_BLANK)]
    session_id: SessionId | None = None
    knowledge_base: KnowledgeBaseName | None = None
    scope: Scope | None = None


class Resume(_Frame):
    """Send me the events of this request after `afterSeq` (0 for all), and the later ones to this connection."""

    action: Literal["resume"]
    request_id: RequestId
    after_seq: Annotated[int, Field(ge=0, le=99_999_999)]


class Cancel(_Frame):
    """Stop generating."""

    action: Literal["cancel"]
    request_id: RequestId


class History(_Frame):
    """Without `sessionId` the user's sessions, with it that session's turns; newest first, older than `before`."""

    action: Literal["history"]
    session_id: SessionId | None = None
    before: Annotated[str, Field(max_length=64)] | None = None
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class Ping(_Frame):
    """Keep the connection alive; answered by `pong`."""

    action: Literal["ping"]


AnyCommand = SendMessage | Resume | Cancel | History | Ping
Command = Annotated[AnyCommand, Field(discriminator="action")]
_COMMAND: TypeAdapter[AnyCommand] = TypeAdapter(Command, config=ConfigDict(defer_build=True))


# ---- events: server to client -----------------------------------------------------------------------------------


class SourceLocator(_Frame):
    """Where a source stands: in a script by episode, chapter, messages and speakers; else by its section path."""

    episode: str | None = _left_out_when_none()
    chapter: str | None = _left_out_when_none()
    messages: tuple[int, int] | None = _left_out_when_none()
    speakers: tuple[str, ...] | None = _left_out_when_none()
    section: tuple[str, ...] | None = _left_out_when_none()


class Source(_Frame):
    """A cited passage. `relevance` is 0 to 1, or null where no text was ranked.

    `fields`: what the knowledge base shows of the document's metadata, texts by display names; absent if nothing.
    """

    n: int
    document_id: str
    title: str
    locator: SourceLocator
    excerpt: str
    relevance: float | None
    fields: dict[str, str] | None = _left_out_when_none()


class Usage(_Frame):
    """Tokens that the model read and wrote."""

    input_tokens: int = 0
    output_tokens: int = 0


class Accepted(_Frame):
    """The question is stored and queued; always the first event. `knowledgeBase` is the one that is asked."""

    type: Literal["accepted"] = "accepted"
    session_id: str
    knowledge_base: str | None = _left_out_when_none()


class StatusChanged(_Frame):
    """What is being done now; `detail` names the agent."""

    type: Literal["status"] = "status"
    stage: Literal["planning", "searching", "ranking", "answering", "agent"]
    detail: str | None = _left_out_when_none()


class SourcesFound(_Frame):
    """Passages that the answer is made from; several such events add up."""

    type: Literal["sources"] = "sources"
    sources: tuple[Source, ...]


class ListedDocument(_Frame):
    """A document that matches. `fields`: the names for people of the fields that the base shows, and their values.

    `relevance` is always null: a condition that is met is no measure of how well a text answers.
    """

    document_id: str
    title: str
    fields: dict[str, str] = {}
    relevance: None = None


class ValueCount(_Frame):
    """How many of the matching documents have this value."""

    value: str
    count: int


class Listing(_Frame):
    """Documents that match, in order. Several such events add up; each has the same `total`.

    `offset` is the number of the first one; `nextOffset` is that of the next page, null on the last. `counts` are by
    the field `countedBy`.
    """

    type: Literal["listing"] = "listing"
    total: int
    documents: tuple[ListedDocument, ...]
    offset: int = 0
    next_offset: int | None = None
    counted_by: str | None = _left_out_when_none()
    counts: tuple[ValueCount, ...] | None = _left_out_when_none()


class Chunk(_Frame):
    """The next piece of the answer's text; `[n]` in it cites source `n`."""

    type: Literal["chunk"] = "chunk"
    content: str


class Reset(_Frame):
    """Discard the text and the sources so far: the answer is being generated again."""

    type: Literal["reset"] = "reset"
    reason: str


class PlanSummary(_Frame):
    """What was understood, and how it was answered. `filters` are in words for people.

    `documents`: how many documents meet the filters, where they were counted. `withheld`: how many were found that the
    user may not view.
    """

    strategy: Literal["MetadataOnly", "ContentOnly", "Hybrid", "NoMatch", "NeedsClarification"]
    knowledge_base: str
    query: str
    by: str
    filters: tuple[str, ...] = ()
    documents: int | None = _left_out_when_none()
    withheld: int = 0


class Complete(_Frame):
    """The answer is whole. `timings` are milliseconds, `path` names the steps taken, `confidence` is 0 to 1."""

    type: Literal["complete"] = "complete"
    usage: Usage
    timings: dict[str, int]
    path: tuple[str, ...]
    confidence: float | None
    plan: PlanSummary | None = _left_out_when_none()


class Cancelled(_Frame):
    """The answer was stopped as asked; the text so far stays."""

    type: Literal["cancelled"] = "cancelled"


class Failed(_Frame):
    """The answer cannot be finished. `error` is a sentence for a person, `code` a name for programs."""

    type: Literal["error"] = "error"
    error: str
    code: str
    retryable: bool
    retry_after_seconds: int | None = _left_out_when_none()


AnyEventBody = Accepted | StatusChanged | SourcesFound | Listing | Chunk | Reset | Complete | Cancelled | Failed
EventBody = Annotated[AnyEventBody, Field(discriminator="type")]
TERMINAL = (Complete, Cancelled, Failed)
_EVENT: TypeAdapter[AnyEventBody] = TypeAdapter(EventBody, config=ConfigDict(defer_build=True))


class Turn(_Frame):
    """One question of a session and its answer; a truncated answer is whole by `resume` from 0."""

    request_id: str
    created_at: str
    status: Annotated[str, Field(json_schema_extra={"enum": list(Status)})]
    message: str
    answer: str
    truncated: bool = False


class SessionSummary(_Frame):
    """A session: `title` is the beginning of its first question, `lastAt` an ISO 8601 time.

    `knowledgeBase` is the one that the session began with.
    """

    session_id: str
    title: str
    last_at: str
    knowledge_base: str | None = _left_out_when_none()


class HistoryPage(_Frame):
    """Reply to `history`, newest first. `before` asks for the next page; null on the last."""

    type: Literal["history"] = "history"
    session_id: str | None = None
    sessions: tuple[SessionSummary, ...] = ()
    turns: tuple[Turn, ...] = ()
    before: str | None = None


class Pong(_Frame):
    """Reply to `ping`."""

    type: Literal["pong"] = "pong"


class Pending(_Frame):
    """Reply to `resume` of a request that has not ended: resume it again after so long, unless an event comes before.

    By then a dead processor's lease has run out, so that the second `resume` replaces it without a needless wait.
    """

    type: Literal["pending"] = "pending"
    retry_after_seconds: float


# ---- frames -------------------------------------------------------------------------------------------------------


def parse_command(text: str) -> AnyCommand:
    """The command in a frame; `InvalidFrameError` with a sentence that quotes nothing of the frame but field names."""
    if len(text.encode("utf-8", "surrogatepass")) > MESSAGE_LIMIT_BYTES:
        raise InvalidFrameError(f"The frame is larger than {MESSAGE_LIMIT_BYTES // 1024} KB; send a shorter message.")
    try:
        # Strict and by wire name only, so that nothing is accepted that the published schema forbids.
        return _COMMAND.validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise InvalidFrameError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    """What is wrong with the first offending field, without its value."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] in ("json_invalid", "string_unicode"):
        return "The frame is not valid JSON."
    if first["type"].startswith("union_tag"):
        return 'The field "action" must be one of sendMessage, resume, cancel, history, ping.'
    path = _path(first["loc"][1:])
    if first["type"] == "missing":
        return f'The field "{path}" is missing.'
    if first["type"] == "string_pattern_mismatch":
        return f'The field "{path}" does not have the form that the protocol asks for.'
    if first["type"] in ("model_type", "model_attributes_type", "dict_type") and path == "frame":
        return "The frame must be a JSON object."
    return f'The field "{path}" is not valid: {first["msg"].lower()}.'


def _path(location: tuple[int | str, ...]) -> str:
    """The path of the field; keys of `metadata` are left out, because they are the client's text."""
    known = list(takewhile(lambda part: part != "metadata", location))
    return ".".join(str(part) for part in (*known, *location[len(known) :][:1])) or "frame"


def frame(body: BaseModel, *, request_id: str | None = None, seq: int | None = None) -> str:
    """A frame's text: `requestId` and `seq`, if the frame belongs to a request, then the body's fields."""
    head: dict[str, object] = {} if request_id is None else {"requestId": request_id}
    if seq is not None:
        head["seq"] = seq
    return json.dumps(head | body.model_dump(mode="json", by_alias=True), ensure_ascii=False, separators=(",", ":"))


def request_id_of(text: str) -> str | None:
    """The requestId in a frame that is not a valid command, so that the client knows which one was refused."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = fields.get("requestId") if isinstance(fields, dict) else None
    return found if isinstance(found, str) and re.fullmatch(_UUID, found) else None


def parse_event(body: str) -> AnyEventBody:
    """The event in the text that `event_body` made."""
    return _EVENT.validate_json(body)


def known_event(body: str) -> AnyEventBody | None:
    """The same, or None for an event that a newer version has stored: while a deployment goes on, both run."""
    try:
        return parse_event(body)
    except ValidationError:
        return None


def failed(error: CicadaError) -> Failed:
    """The user's event for a failure. Details of a configuration error are left out; they are for operators."""
    sentence = str(error)
    if isinstance(error, ConfigurationError):
        sentence = "The service is not set up correctly. Its operators can see why in the log."
    wait = error.retry_after_seconds if isinstance(error, LimitExceededError) else None
    return Failed(error=sentence, code=error.code, retryable=error.retryable, retry_after_seconds=wait)


def event_body(event: AnyEventBody) -> str:
    """An event as it is stored: JSON without `requestId` and `seq`."""
    return event.model_dump_json(by_alias=True)


def stored_frame(body: str, *, request_id: str, seq: int) -> str:
    """The frame of a stored event: its body with `requestId` and `seq` put in front."""
    return f'{{"requestId":"{request_id}","seq":{seq},{body[1:]}'
