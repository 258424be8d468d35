"""The WebSocket protocol, version 1: what a client may send and what it may receive.

JSON text frames. Commands are distinguished by `action`, which is API Gateway's route key; events by `type`.
Field names on the wire are camelCase. This module defines the protocol; docs/protocol.md describes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from math import isfinite
from typing import Annotated, Any, Literal, TypeVar, get_args

from msgspec import Meta, MsgspecError, Struct, ValidationError, convert, field, to_builtins
from msgspec.json import Decoder, encode

from cicada.conversation.model import Rating, Status, StoredEvent
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    IndexIncompleteError,
    InvalidFrameError,
    LimitExceededError,
)

FRAME_LIMIT_BYTES = 32 * 1024
MESSAGE_LIMIT_BYTES = 128 * 1024
# What a reply has besides its body.
_HEAD_BYTES = 128
_Reply = TypeVar("_Reply", bound=Struct)
_Row = TypeVar("_Row")

_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


def _matching(pattern: str) -> Meta:
    """A text of this form, to its very end: in Python `$` would let a line break follow."""
    return Meta(pattern=pattern.removesuffix("$") + r"\Z")


_NAME = _matching(r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$")
# Not blank. In Python the separators of records, \x1c to \x1f, are space; elsewhere they are not.
_MESSAGE = Meta(min_length=1, max_length=8000, pattern=r"[\S\x1c-\x1f]")
RequestId = Annotated[str, _matching(_UUID)]
SessionId = Annotated[str, _NAME]
KnowledgeBaseName = Annotated[str, _NAME]
_DocumentId = Annotated[str, Meta(min_length=1, max_length=1024)]


class _Frame(Struct, frozen=True, rename="camel"):
    """An object of the wire. With `omit_defaults` an optional field that is not set is absent; else it is null."""


class _Command(_Frame, frozen=True, tag_field="action"):
    @property
    def action(self) -> str:
        return str(self.__struct_config__.tag)


class _Asked(_Command, frozen=True):
    """A command with the `requestId` of a question, or with one of its own; its reply has it too."""

    request_id: RequestId


class _Sent(_Frame, frozen=True, tag_field="type"):
    @property
    def type(self) -> str:
        return str(self.__struct_config__.tag)


def _made_by(factory: Callable[[], object]) -> Any:
    """A default that is on the wire all the same."""
    return field(default_factory=factory)


def _always(value: object) -> Any:
    return _made_by(lambda: value)


# ---- commands: client to server -------------------------------------------------------------------------------


FilterValue = Annotated[str, Meta(max_length=256)] | float | bool


class Filter(_Frame, frozen=True):
    """A condition on a metadata field. `eq`, `gte`, `gt`, `lte` and `lt` take `value`, `any` and `none` take `values`.

    `exists` takes nothing, or as `value` false: the field has no value. The knowledge base's schema says which fields
    there are, and the types of their values; a date is a text such as `2026-01-31`.
    """

    field: Annotated[str, Meta(min_length=1, max_length=200)]
    op: Literal["eq", "any", "none", "gte", "gt", "lte", "lt", "exists"]
    value: FilterValue | None = None
    values: Annotated[list[FilterValue], Meta(max_length=50)] = _made_by(list)


class Scope(_Frame, frozen=True):
    """Restricts a question: to episodes, and to documents that meet all filters.

    `metadata`: for each field the values of which it must have one, as a filter with `any` says too.
    """

    episodes: Annotated[list[Annotated[str, Meta(max_length=128)]], Meta(max_length=50)] = _made_by(list)
    metadata: Annotated[
        dict[
            Annotated[str, _matching(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")],
            Annotated[list[Annotated[str, Meta(max_length=256)]], Meta(min_length=1, max_length=50)],
        ],
        Meta(max_length=10),
    ] = _made_by(dict)
    filters: Annotated[list[Filter], Meta(max_length=20)] = _made_by(list)


class Without(_Frame, frozen=True):
    """Lists what the answer `requestId` listed, without its condition number `condition`, from 0, of `plan.filters`."""

    request_id: RequestId
    condition: Annotated[int, Meta(ge=0, le=999)]


class SendMessage(_Asked, frozen=True, tag="sendMessage"):
    """Ask. `requestId` is made by the client; sending the same request again is harmless.

    Without `knowledgeBase` the question asks the one that its session began with. With `without` the message is shown
    and kept, but not read: what is listed is what that answer listed, but for one condition.
    """

    message: Annotated[str, _MESSAGE]
    session_id: SessionId | None = None
    knowledge_base: KnowledgeBaseName | None = None
    scope: Scope | None = None
    without: Without | None = None


class Resume(_Asked, frozen=True, tag="resume"):
    """Send me the events of this request after `afterSeq` (0 for all), and the later ones to this connection."""

    after_seq: Annotated[int, Meta(ge=0, le=99_999_999)]


class Cancel(_Asked, frozen=True, tag="cancel"):
    """Stop generating."""


class History(_Command, frozen=True, tag="history"):
    """Asks for the user's sessions, or with `sessionId` for that session's turns; newest first, older than `before`.

    Pinned sessions come before all others. `search`: only sessions with a question, or a title, that has each of these
    words at any place; capitals and accents make no difference. A page then has what was found in a stretch of the
    sessions, perhaps nothing, at most `limit` questions, and its `before` searches on; it has no effect on turns.
    """

    session_id: SessionId | None = None
    before: Annotated[str, Meta(max_length=64)] | None = None
    limit: Annotated[int, Meta(ge=1, le=50)] = 20
    search: Annotated[str, Meta(max_length=100)] | None = None


class ChangeSession(_Asked, frozen=True, tag="changeSession"):
    """Give a session a title, pin it or take the pin away; what is left out stays. The reply is `session`."""

    session_id: SessionId
    title: Annotated[str, Meta(min_length=1, max_length=80)] | None = None
    pinned: bool | None = None


class DeleteSession(_Asked, frozen=True, tag="deleteSession"):
    """Delete a session with its questions and answers, for good. The reply is `session`, with null.

    Refused while an answer of it is under way. If it is refused otherwise, send it again: it goes on where it stopped.
    """

    session_id: SessionId


class ShareSession(_Asked, frozen=True, tag="shareSession"):
    """Let everybody of the user's tenant who has the id of the reply read a session. The reply is `sessionShared`.

    The id stays the same as long as the session is shared.
    """

    session_id: SessionId


class UnshareSession(_Asked, frozen=True, tag="unshareSession"):
    """Stop sharing a session, at once. The reply is `sessionShared`, with null."""

    session_id: SessionId


class OpenShared(_Asked, frozen=True, tag="openShared"):
    """Asks for the turns of a session that somebody of the user's tenant shares; newest first, older than `before`.

    The reply is `shared`. What rests on documents that the user may not read is withheld.
    """

    share_id: Annotated[str, Meta(min_length=1, max_length=128)]
    before: Annotated[str, Meta(max_length=64)] | None = None
    limit: Annotated[int, Meta(ge=1, le=50)] = 20


class EraseMine(_Asked, frozen=True, tag="eraseMine"):
    """Delete all of the user's conversations, profiles and theories, for good. The reply is `erased`.

    Refused while an answer is under way. While the reply says that something is left, send it again.
    """


Reason = Literal["wrong", "incomplete", "unsupported", "outdated", "unrelated", "other"]


class Feedback(_Asked, frozen=True, tag="feedback"):
    """Says what the user thinks of an answer; the last one counts. Without `rating` it is taken back.

    `requestId` is that of the answer. `reasons` and `comment` say why, for the operators and, without the user's name,
    for the tenant's administrators.
    """

    rating: Rating | None = None
    reasons: Annotated[list[Reason], Meta(max_length=6)] = _made_by(list)
    comment: Annotated[str, Meta(max_length=500)] = ""


class OpenDocument(_Asked, frozen=True, tag="openDocument"):
    """Asks for a page of a document's text: number `page`, else the one with `passage`, else the first.

    `passage`, as a source has it, is marked. It is the passage's number in the document, with `@` the beginning of a
    version: in another version nothing is marked. Without `page` the reply has the outline too, and with `original` an
    address of the document's file.
    """

    knowledge_base: KnowledgeBaseName
    document_id: _DocumentId
    passage: Annotated[str, _matching(r"^[0-9]{1,8}(?:@[^\s@]{1,64})?$")] | None = None
    page: Annotated[int, Meta(ge=1, le=99_999_999)] | None = None
    original: bool = False


class ListKnowledgeBases(_Asked, frozen=True, tag="listKnowledgeBases"):
    """Asks which knowledge bases the user may ask. The reply is `knowledgeBases`."""


# A name of a user or a group with its type in front, or everybody.
_Reader = Annotated[str, _matching(r"^(?:everyone|(?:user|group):.{1,128})$")]


class ListDocuments(_Asked, frozen=True, tag="listDocuments"):
    """Asks for the documents of a knowledge base that the user may read, from the document number `offset` on.

    `search`: only those whose id, title and values have each of these words, in capitals or not. `sort`: `title`, `id`,
    `passages`, `ingestedAt` or a field, with `-` in front from last to first. `documentId`: that document alone.
    `filters`: only those that meet all of them.
    """

    knowledge_base: KnowledgeBaseName
    search: Annotated[str, Meta(max_length=100)] | None = None
    sort: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    offset: Annotated[int, Meta(ge=0, le=99_999_999)] = 0
    document_id: _DocumentId | None = None
    filters: Annotated[list[Filter], Meta(max_length=20)] = _made_by(list)


class ListMore(_Asked, frozen=True, tag="listMore"):
    """Asks for the rows of the list in the answer `answer`, from number `offset` on. The reply is `listingPage`.

    Nothing is planned or searched again, and it is no turn of the session. Who may read the rows is asked each time.
    """

    answer: RequestId
    offset: Annotated[int, Meta(ge=0, le=99_999_999)]


class UploadDocument(_Asked, frozen=True, tag="uploadDocument"):
    """Asks for a form by which a file may be sent to the document store, for editors.

    `readers`: who may read a new document, `everyone` alone or names as `user:<id>` and `group:<name>`; without them
    the user alone. With `replace` the file takes the place of the one with this name, whose readers and fields stay.
    """

    knowledge_base: KnowledgeBaseName
    name: _DocumentId
    size: Annotated[int, Meta(ge=0, le=99_999_999_999)]
    readers: Annotated[list[_Reader], Meta(max_length=50)] = _made_by(list)
    replace: bool = False


class DescribeDocument(_Asked, frozen=True, tag="describeDocument"):
    """Asks what a document's sidecar says, or with `fields` writes it anew, for editors.

    Written is only over the `version` that the user was shown, empty where there was no sidecar. `fields`: values by
    name; several are a list. `readers`: as in `uploadDocument`; without them the sidecar names none.
    """

    knowledge_base: KnowledgeBaseName
    document_id: _DocumentId
    fields: (
        Annotated[
            dict[
                Annotated[str, _matching(r"^[^\x00-\x1f\x7f]{1,200}$")],
                Annotated[list[Annotated[str, Meta(max_length=5000)]], Meta(min_length=1, max_length=100)],
            ],
            Meta(max_length=50),
        ]
        | None
    ) = None
    readers: Annotated[list[_Reader], Meta(max_length=50)] = _made_by(list)
    version: Annotated[str, Meta(max_length=128)] = ""


class RemoveDocument(_Asked, frozen=True, tag="removeDocument"):
    """Takes a document away, for editors. It is `leaving` until it is searchable no more.

    The same command then takes what is left of it, its sidecar.
    """

    knowledge_base: KnowledgeBaseName
    document_id: _DocumentId


_UserName = Annotated[str, Meta(min_length=1, max_length=128)]
_GroupNames = Annotated[list[Annotated[str, Meta(min_length=1, max_length=128)]], Meta(max_length=50)]


class ListUsers(_Asked, frozen=True, tag="listUsers"):
    """Asks for the accounts of the user's tenant, for administrators. `after`: of the page before, as its `next`."""

    after: Annotated[str, Meta(min_length=1, max_length=8192)] | None = None


class AddUser(_Asked, frozen=True, tag="addUser"):
    """Creates an account in the user's tenant, for administrators. The reply is `user`, with an initial password.

    `createGroups`: groups that are not there yet are made; else such a group is refused.
    """

    name: _UserName
    groups: _GroupNames = _made_by(list)
    create_groups: bool = False


class DisableUser(_Asked, frozen=True, tag="disableUser"):
    """Lets a user sign in no longer, and ends what the user has open, for administrators. The reply is `user`."""

    name: _UserName


class EnableUser(_Asked, frozen=True, tag="enableUser"):
    """Lets a disabled user in again, for administrators. The reply is `user`."""

    name: _UserName


class SetGroups(_Asked, frozen=True, tag="setGroups"):
    """Gives a user these groups and no others, for administrators. They count from the user's next access token.

    The reply is `user`. `createGroups`: as in `addUser`.
    """

    name: _UserName
    groups: _GroupNames
    create_groups: bool = False


class ReadUse(_Asked, frozen=True, tag="readUse"):
    """Asks how many tokens of models the user's tenant has used on each of the last `days`, for administrators."""

    days: Annotated[int, Meta(ge=1, le=7)] = 7


class ReadFeedback(_Asked, frozen=True, tag="readFeedback"):
    """Asks what users of the tenant think of answers to questions of the last `days`, for administrators.

    The reply is `ratings`.
    """

    days: Annotated[int, Meta(ge=1, le=31)] = 7


class ReadFailures(_Asked, frozen=True, tag="readFailures"):
    """Asks which questions of the tenant, of the last `days`, ended in an error, for administrators.

    The reply is `failures`.
    """

    days: Annotated[int, Meta(ge=1, le=31)] = 7


class Ping(_Command, frozen=True, tag="ping"):
    """Keep the connection alive; answered by `pong`."""


class SignOutEverywhere(_Command, frozen=True, tag="signOutEverywhere"):
    """End all sign-ins of the user on all devices. Every connection is told `signed_out`, this one too, and closed."""


AnyCommand = (
    SendMessage
    | Resume
    | Cancel
    | History
    | ChangeSession
    | DeleteSession
    | ShareSession
    | UnshareSession
    | OpenShared
    | EraseMine
    | Feedback
    | OpenDocument
    | ListKnowledgeBases
    | ListDocuments
    | ListMore
    | UploadDocument
    | DescribeDocument
    | RemoveDocument
    | ListUsers
    | AddUser
    | DisableUser
    | EnableUser
    | SetGroups
    | ReadUse
    | ReadFeedback
    | ReadFailures
    | Ping
    | SignOutEverywhere
)


# ---- events: server to client -----------------------------------------------------------------------------------


class SourceLocator(_Frame, frozen=True, omit_defaults=True):
    """The place of a source: in a script its episode, chapter, messages and speakers; elsewhere its section path."""

    episode: str | None = None
    chapter: str | None = None
    messages: tuple[int, int] | None = None
    speakers: tuple[str, ...] | None = None
    section: tuple[str, ...] | None = None


class Source(_Frame, frozen=True, omit_defaults=True):
    """A cited passage. `relevance` is 0 to 1, or null where no text was ranked.

    `excerpt`: its text; of one that is too long, whole sentences, with `…` where it is cut.
    `fields`: what the knowledge base shows of the document's metadata, texts by display names; absent if nothing.
    `withheld`: the document was removed since, or the user may not read it any more; the excerpt says so.
    `spans`: where in the excerpt stands what the answer rests on, each as its beginning and its end in Unicode
    characters; in order and apart. They are known when the text is whole.
    `passage`: its place, for `openDocument`.
    """

    n: int
    document_id: str
    title: str
    locator: SourceLocator
    excerpt: str
    relevance: float | None
    fields: dict[str, str] | None = None
    withheld: bool | None = None
    spans: tuple[tuple[int, int], ...] | None = None
    passage: str | None = None


class Usage(_Frame, frozen=True):
    """Tokens that the model read and wrote."""

    input_tokens: int = 0
    output_tokens: int = 0


class Accepted(_Sent, frozen=True, tag="accepted", omit_defaults=True):
    """The question is stored and queued; always the first event. `knowledgeBase` is the one that is asked."""

    session_id: str
    knowledge_base: str | None = None


class StatusChanged(_Sent, frozen=True, tag="status", omit_defaults=True):
    """What is being done now; `detail` names the agent."""

    stage: Literal["planning", "searching", "ranking", "answering", "agent"]
    detail: str | None = None


class SourcesFound(_Sent, frozen=True, tag="sources", omit_defaults=True):
    """Passages that the answer is made from; several such events add up. `knowledgeBase`: where they are from.

    A source whose number was sent before replaces that one: after the text, those that it rests on come with `spans`.
    """

    sources: tuple[Source, ...]
    knowledge_base: str | None = None


class ListedDocument(_Frame, frozen=True, omit_defaults=True):
    """A document that matches. `fields`: the names for people of the fields that the base shows, and their values.

    Of documents about a subject, `excerpt` has sentences of the best passage, `reason` says in words what matched, and
    `relevance`, 0 to 1, is its highest; else it is null, because a condition that is met is no measure.
    `withheld`: the document was removed since, or the user may not read it any more; nothing of it is left.
    """

    document_id: str
    title: str
    fields: dict[str, str] = _always({})
    relevance: float | None = _always(None)
    excerpt: str | None = None
    reason: str | None = None
    withheld: bool | None = None


class Figure(_Frame, frozen=True, omit_defaults=True):
    """A number or a day that was computed. `value`: as people read it, null where it cannot be computed.

    `number`: the same for programs, where it is one.
    """

    value: str | None
    number: float | None = None


class Aggregate(_Frame, frozen=True, omit_defaults=True):
    """A figure of all documents that match. `name`: for people. `field`: absent where documents are counted.

    `documents`: how many of them have a value that it is computed from.
    """

    op: Literal["count", "sum", "avg", "min", "max"]
    name: str
    figure: Figure
    documents: int
    field: str | None = None


class Group(_Frame, frozen=True):
    """Documents with the same values of the fields of `groupedBy`, in their order; null: those without a value.

    `figures`: in the order of `aggregates`.
    """

    values: tuple[str | None, ...]
    documents: int
    figures: tuple[Figure, ...]


class Listing(_Sent, frozen=True, tag="listing", omit_defaults=True):
    """Documents that match, in order. Several such events add up; each has the same `total`.

    `offset` is the number of the first one; `nextOffset` is that of the next page, null on the last. The first event
    has what is shown before the documents: `columns`, the names of their fields in order; `aggregates`, the numbers
    that were asked for; `groups`, the first of `groupCount`, by the fields `groupedBy`, whose names are for people.
    `knowledgeBase`: where the documents are.
    """

    total: int
    documents: tuple[ListedDocument, ...]
    offset: int = _always(0)
    next_offset: int | None = _always(None)
    columns: tuple[str, ...] | None = None
    aggregates: tuple[Aggregate, ...] | None = None
    grouped_by: tuple[str, ...] | None = None
    groups: tuple[Group, ...] | None = None
    group_count: int | None = None
    knowledge_base: str | None = None


class Chunk(_Sent, frozen=True, tag="chunk"):
    """The next piece of the answer's text; `[n]` in it cites source `n`."""

    content: str


class Reset(_Sent, frozen=True, tag="reset"):
    """Discard the text and the sources so far: the answer is being generated again."""

    reason: str


class PlanSummary(_Frame, frozen=True, omit_defaults=True):
    """What was understood, and how it was answered. `filters` are in words for people.

    `confidence`: 0 to 1, how likely the plan is right; absent where a model made it.
    `documents`: how many documents meet the filters, where they were counted. `withheld`: how many were found that the
    user may not view. `removable`: the places in `filters`, from 0, of those that `without` can leave out.
    """

    strategy: Literal["MetadataOnly", "ContentOnly", "Hybrid", "NoMatch", "NeedsClarification"]
    knowledge_base: str
    query: str
    by: str
    filters: tuple[str, ...] = _always(())
    documents: int | None = None
    withheld: int = _always(0)
    confidence: float | None = None
    removable: tuple[int, ...] | None = None


class UnsupportedSentence(_Frame, frozen=True):
    """A sentence of the answer that the passages it cites do not carry, or any passage if it cites none.

    `start`, `end`: where it stands in the whole text, in Unicode code points. `reason`: what in it the passages have
    not (a number or date, a name, a negation, too many of its words), or that it cites none that there is.
    """

    start: int
    end: int
    reason: Literal["number", "name", "negation", "words", "no_passage"]


class Complete(_Sent, frozen=True, tag="complete", omit_defaults=True):
    """The answer is whole. `timings` are milliseconds, `path` names the steps taken, `confidence` is 0 to 1.

    `checked`: how many sentences were held against their passages; absent if the answer is not written from passages.
    `unsupported`: those of them that the passages do not carry, at most 100. `stopped`: why the model ended early, as a
    sentence at the end of the text says; absent for a normal end. Without an answer `confidence` is null then.
    """

    usage: Usage
    timings: dict[str, int]
    path: tuple[str, ...]
    confidence: float | None
    plan: PlanSummary | None = None
    checked: int | None = None
    unsupported: tuple[UnsupportedSentence, ...] | None = None
    stopped: Literal["cut", "filtered", "refused", "malformed", "repeating"] | None = None


class Cancelled(_Sent, frozen=True, tag="cancelled"):
    """The answer was stopped as asked; the text so far stays."""


class Failed(_Sent, frozen=True, tag="error", omit_defaults=True):
    """The answer cannot be finished. `error` is a sentence for a person, `code` a name for programs."""

    error: str
    code: str
    retryable: bool
    retry_after_seconds: int | None = None


AnyEventBody = Accepted | StatusChanged | SourcesFound | Listing | Chunk | Reset | Complete | Cancelled | Failed
TERMINAL = (Complete, Cancelled, Failed)


class Turn(_Frame, frozen=True):
    """One question of a session and its answer; a truncated answer is whole by `resume` from 0.

    `withheld`: how many of the documents that it was made from were removed since, or may not be read any more.
    `rating`: what the user thought of it; null if nothing was said.
    """

    request_id: str
    created_at: str
    status: Status
    message: str
    answer: str
    truncated: bool = False
    withheld: int = 0
    rating: Rating | None = None


class AskedQuestion(_Frame, frozen=True):
    """A question in which searched words were found, as a turn has its `requestId` and `createdAt`.

    `excerpt`: a piece of it, on one line. `spans`: the words in that, as a source has them.
    """

    request_id: str
    created_at: str
    excerpt: str
    spans: tuple[tuple[int, int], ...]


class SessionSummary(_Frame, frozen=True, omit_defaults=True):
    """A session: `title` was made from its first question or given by the user, `lastAt` is an ISO 8601 time.

    `knowledgeBase` is the one that the session began with. `pinned`, `shared`: absent if it is not. `asked`: of what
    was searched for, the questions that were found, newest first; absent where the title alone has the words.
    """

    session_id: str
    title: str
    last_at: str
    knowledge_base: str | None = None
    pinned: bool | None = None
    shared: bool | None = None
    asked: tuple[AskedQuestion, ...] | None = None


class HistoryPage(_Sent, frozen=True, tag="history"):
    """Reply to `history`, newest first. `before` asks for the next page; null on the last."""

    session_id: str | None = None
    sessions: tuple[SessionSummary, ...] = ()
    turns: tuple[Turn, ...] = ()
    before: str | None = None


class SessionChanged(_Sent, frozen=True, tag="session"):
    """Reply to `changeSession`: the session as it is now. Reply to `deleteSession`: null."""

    session: SessionSummary | None = None


class SessionShared(_Sent, frozen=True, tag="sessionShared"):
    """Reply to `shareSession`: the id by which others open the session. Reply to `unshareSession`: null."""

    session_id: str
    share_id: str | None = None


class SharedTurn(_Frame, frozen=True):
    """One question of a shared session and its answer, with the sources and the listed documents of the answer.

    `withheld`: the answer is not shown, because it rests on what the user may not read; the text says so. `truncated`:
    something of the turn had no room. `knowledgeBase`: where sources and documents are from; null without any. What
    depends on who asked, such as a relevance, is left out.
    """

    request_id: str
    created_at: str
    status: Status
    message: str
    answer: str
    truncated: bool = False
    withheld: bool = False
    knowledge_base: str | None = None
    sources: tuple[Source, ...] = ()
    documents: tuple[ListedDocument, ...] = ()


class SharedPage(_Sent, frozen=True, tag="shared"):
    """Reply to `openShared`, newest first. `owner`: the name of whom the session belongs to, who shares it.

    `before` asks for the next page; null on the last.
    """

    owner: str
    title: str
    turns: tuple[SharedTurn, ...] = ()
    before: str | None = None


class Erased(_Sent, frozen=True, tag="erased"):
    """Reply to `eraseMine`: how many conversations, their questions, and profiles and theories were deleted.

    `entries` counts earlier states of profiles and theories too. `left`: there is more to delete.
    """

    conversations: int
    questions: int
    entries: int
    left: bool


class FeedbackKept(_Sent, frozen=True, tag="feedback"):
    """Reply to `feedback`, with the `requestId` of the answer: what is kept now; null after it was taken back."""

    rating: Rating | None


class DocumentBlock(_Frame, frozen=True, omit_defaults=True):
    """A piece of a document's text: passage `number`, counted from 0, without what the passage before it has too.

    `marked`: from which character to before which one it belongs to the passage that was asked for.
    """

    number: int
    locator: SourceLocator
    text: str
    marked: tuple[int, int] | None = None


class OutlineEntry(_Frame, frozen=True):
    """A heading or a scene: the page that it begins on, and the number of its first block."""

    heading: str
    page: int
    number: int


class DocumentPage(_Sent, frozen=True, tag="document", omit_defaults=True):
    """Reply to `openDocument`: page `page` of `pages`, whose blocks are one below the other.

    `version` changes when the document does, and with it the pages. `outline`: absent if `page` was asked for.
    `originals`: the stage gives addresses of files to those who ask with `original`. `original`: one from which the
    file may be had for a minute; absent if none was asked for, or the stage has no file of the document.
    """

    knowledge_base: str
    document_id: str
    title: str
    version: str
    page: int
    pages: int
    blocks: tuple[DocumentBlock, ...]
    outline: tuple[OutlineEntry, ...] | None = None
    originals: bool | None = None
    original: str | None = None


class ListingPage(_Sent, frozen=True, tag="listingPage"):
    """Reply to `listMore`: rows from number `offset` on, of `total`. `nextOffset`: that of the next ones, or null.

    `columns`: those that these rows have, in order; a later page may have others.
    """

    total: int
    documents: tuple[ListedDocument, ...]
    offset: int
    next_offset: int | None
    columns: tuple[str, ...]
    knowledge_base: str


class BaseSummary(_Frame, frozen=True, omit_defaults=True):
    """A knowledge base that the user may ask. `documents`: how many of it the user may read.

    `questions`: at most three to begin with, which are answered by a list or with sources.
    """

    name: str
    documents: int
    description: str | None = None
    questions: tuple[str, ...] = _always(())


class KnowledgeBasesListed(_Sent, frozen=True, tag="knowledgeBases"):
    """Reply to `listKnowledgeBases`, by name. One that is not among them may exist: it is not for the user."""

    bases: tuple[BaseSummary, ...]


Standing = Literal["inForce", "notYet", "noLonger"]


class DocumentVersion(_Frame, frozen=True, omit_defaults=True):
    """Another version of a listed document. `version`: its number, or else its first day, where it has one."""

    document_id: str
    title: str
    version: str | None = None
    standing: Standing | None = None


class DocumentSummary(_Frame, frozen=True, omit_defaults=True):
    """A document of a list. `fields`: those that the base shows, by their names for people.

    `passages` and `ingestedAt`, an ISO 8601 time: 0 and null while it is not searchable. For editors besides: `state`,
    what ingest has `said` of the file as it is, and the `readers`, of which none is everybody.
    `standing`: whether it is in force, where the base says so. `versions`: the others of the same document that the
    user may read, first what is in force. Neither is known of a document that was asked for by its id.
    """

    document_id: str
    title: str
    passages: int = _always(0)
    ingested_at: str | None = _always(None)
    fields: dict[str, str] = _always({})
    state: Literal["searchable", "waiting", "ingesting", "rejected", "leaving"] | None = None
    said: str | None = None
    readers: tuple[str, ...] | None = None
    standing: Standing | None = None
    versions: tuple[DocumentVersion, ...] | None = None


class DocumentsPage(_Sent, frozen=True, tag="documents", omit_defaults=True):
    """Reply to `listDocuments`: those from number `offset` on, of `total`. `nextOffset`: of the next ones, or null.

    `columns`: the names of the fields that the base shows, in order. On the first page `values`: known values of them,
    and `ranges`: those that a range can be asked of, with what their values are.
    For editors `you`: the names by which readers of a document may name the user, and `types`: the suffixes of files
    that can be uploaded, of `mostBytes` each.
    """

    knowledge_base: str
    total: int
    documents: tuple[DocumentSummary, ...]
    columns: tuple[str, ...] = _always(())
    next_offset: int | None = _always(None)
    values: dict[str, tuple[str, ...]] | None = None
    ranges: dict[str, Literal["number", "date"]] | None = None
    you: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    most_bytes: int | None = None


class UploadForm(_Sent, frozen=True, tag="upload"):
    """Reply to `uploadDocument`: where to send the file within so many seconds, by POST as `multipart/form-data`.

    The form has these fields, then the file as `file`. Nothing else than what was announced is taken.
    """

    document_id: str
    url: str
    fields: dict[str, str]
    expires_seconds: int


class DocumentDescription(_Sent, frozen=True, tag="description"):
    """Reply to `describeDocument`: what the sidecar says now, and its version, empty without one."""

    document_id: str
    fields: dict[str, tuple[str, ...]]
    readers: tuple[str, ...]
    version: str


class DocumentRemoved(_Sent, frozen=True, tag="removed"):
    """Reply to `removeDocument`. `gone`: nothing is left; else the document is leaving."""

    document_id: str
    gone: bool


AccountState = Literal["active", "initial", "reset", "federated", "disabled", "other"]


class UserSummary(_Frame, frozen=True, omit_defaults=True):
    """An account. `groups`: those that can be changed. `email`: absent without one. `you`: it is the user's own.

    `state`: `initial` has not chosen a password yet, `reset` must choose another, `federated` signs in elsewhere.
    """

    name: str
    state: AccountState
    groups: tuple[str, ...] = _always(())
    email: str | None = None
    you: bool | None = None


class UsersPage(_Sent, frozen=True, tag="users"):
    """Reply to `listUsers`, in no order. `next`: asks for the next page, null on the last. A page may be empty.

    `administrators`: the group whose members are administrators.
    """

    users: tuple[UserSummary, ...]
    administrators: str
    next: str | None


class UserChanged(_Sent, frozen=True, tag="user", omit_defaults=True):
    """Reply to commands that change an account: as it is now.

    `initialPassword`: of a new account, for seven days, to be replaced at the first sign-in. It is shown once.
    `closed`: how many connections of the user were closed.
    """

    user: UserSummary
    initial_password: str | None = None
    closed: int | None = None


class DayOfUse(_Frame, frozen=True):
    """The tokens that models read and wrote for a tenant on a day in UTC, as `2026-01-31`.

    `dollars`: an estimate of their cost by the chat model's prices; null where these are not known.
    """

    day: str
    tokens: int
    dollars: float | None = None


class UseRead(_Sent, frozen=True, tag="use"):
    """Reply to `readUse`, the latest day first. `limit`: tokens of a day; null where they are not counted.

    `pricesOf`: the day of the list prices that costs are estimated by, null without any.
    """

    days: tuple[DayOfUse, ...]
    limit: int | None
    prices_of: str | None = None


class DayOfRatings(_Frame, frozen=True):
    """How many answers to questions of a day in UTC, as `2026-01-31`, were rated."""

    day: str
    good: int
    bad: int


class RatedAnswer(_Frame, frozen=True):
    """What a user thinks of an answer, without the user, the question and the answer. `askedAt`: an ISO 8601 time.

    `comment`: the user's own words, empty without any. `knowledgeBase`: the one that was asked.
    """

    request_id: str
    asked_at: str
    knowledge_base: str
    rating: Rating
    reasons: tuple[str, ...] = ()
    comment: str = ""


class RatingsRead(_Sent, frozen=True, tag="ratings"):
    """Reply to `readFeedback`. `days`: those with ratings, the latest first; `latest`: of the latest questions.

    `complete`: false if there are more ratings than were read, so that the numbers are those of the latest alone.
    """

    days: tuple[DayOfRatings, ...]
    latest: tuple[RatedAnswer, ...]
    complete: bool


class DayOfFailures(_Frame, frozen=True):
    """How many questions of a day in UTC, as `2026-01-31`, ended in the error of this code."""

    day: str
    code: str
    requests: int


class FailedAnswer(_Frame, frozen=True):
    """A question that ended in an error, without its text and its user. The fields are those of a rated answer."""

    request_id: str
    asked_at: str
    knowledge_base: str
    code: str


class FailuresRead(_Sent, frozen=True, tag="failures"):
    """Reply to `readFailures`. `days`: the latest first, by code; `latest`: of the latest questions.

    `complete`: false if there are more failures than were read, so that the numbers are those of the latest alone.
    """

    days: tuple[DayOfFailures, ...]
    latest: tuple[FailedAnswer, ...]
    complete: bool


class Pong(_Sent, frozen=True, tag="pong"):
    """Reply to `ping`."""


class Pending(_Sent, frozen=True, tag="pending"):
    """Reply to `resume` of a request that has not ended: resume it again after so long, unless an event comes before.

    By then a dead processor's lease has run out, so that the second `resume` replaces it without a needless wait.
    """

    retry_after_seconds: float


# ---- frames -------------------------------------------------------------------------------------------------------


def parse_command(text: str) -> AnyCommand:
    """The command in a frame; `InvalidFrameError` with a sentence that quotes nothing of the frame but field names."""
    if len(text.encode("utf-8", "surrogatepass")) > MESSAGE_LIMIT_BYTES:
        raise InvalidFrameError(f"The frame is larger than {MESSAGE_LIMIT_BYTES // 1024} KB; send a shorter message.")
    try:
        fields = json.loads(text, parse_float=_number, parse_constant=_number)
        # Half of a surrogate pair, escaped or not, is no character: it could be neither stored nor sent.
        json.dumps(fields, ensure_ascii=False, default=str).encode()
    except (ValueError, RecursionError):
        raise InvalidFrameError("The frame is not valid JSON.") from None
    if not isinstance(fields, dict):
        raise InvalidFrameError("The frame must be a JSON object.")
    try:
        command: AnyCommand = convert(fields, AnyCommand)
    except ValidationError as error:
        raise InvalidFrameError(_sentence(str(error))) from None
    return command


def _number(text: str) -> object:
    """The number; for one beyond all numbers something that no field takes."""
    number = float(text)
    return number if isfinite(number) else object()


_ACTIONS = tuple(str(each.__struct_config__.tag) for each in get_args(AnyCommand))
_PARTS = {"str": ("string", "character"), "array": ("list", "item"), "object": ("object", "name")}
_KINDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "array": "list"}


def _sentence(complaint: str) -> str:
    """What is wrong with the first offending field, without its value."""
    what, _, place = complaint.partition(" - at ")
    path = _path(place)
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        path = f"{path}.{missing[1]}".removeprefix("frame.")
        what = "missing"
    if path == "action":
        return f'The field "action" must be one of {", ".join(_ACTIONS)}.'
    if what == "missing":
        return f'The field "{path}" is missing.'
    if "matching regex" in what:
        return f'The field "{path}" does not have the form that the protocol asks for.'
    return f'The field "{path}" is not valid: {_reason(what)}.'


def _path(place: str) -> str:
    """The path of the field; keys of `metadata` are left out, because they are the client's text."""
    known = place.rpartition("$")[2].partition("[...]")[0].strip("`.")
    return re.sub(r"\[(\d+)\]", r".\1", known) or "frame"


def _reason(complaint: str) -> str:
    """Why a value is refused, as people are told it; what msgspec says may quote the value."""
    if found := re.fullmatch(r"Expected `(\w+)` of length ([<>])= (\d+)", complaint):
        whole, part = _PARTS[found[1]]
        number = f"{found[3]} {part}{'' if found[3] == '1' else 's'}"
        return f"{whole} should have at {'most' if found[2] == '<' else 'least'} {number}"
    if found := re.fullmatch(r"Expected `\w+` ([<>])= (\S+)", complaint):
        return f"input should be {'less' if found[1] == '<' else 'greater'} than or equal to {found[2]}"
    if found := re.match(r"Expected `([^`]+)`", complaint):
        return f"input should be a valid {' or '.join(_KINDS.get(each, each) for each in found[1].split(' | '))}"
    return "input is none of the values that the protocol names"


def frame(body: Struct, *, request_id: str | None = None, seq: int | None = None) -> str:
    """A frame's text: `requestId` and `seq`, if the frame belongs to a request, then the body's fields."""
    head: dict[str, object] = {} if request_id is None else {"requestId": request_id}
    if seq is not None:
        head["seq"] = seq
    return json.dumps(head | to_builtins(body), ensure_ascii=False, separators=(",", ":"))


def that_fits(made: Callable[[int], _Reply], sizes: Iterable[int]) -> _Reply:
    """The reply of the first of these sizes, largest first, with which a frame holds it; else of the last one."""
    *others, last = sizes
    room = FRAME_LIMIT_BYTES - _HEAD_BYTES
    return next((reply for reply in map(made, others) if len(frame(reply).encode()) < room), None) or made(last)


def first_that_fit(rows: Iterable[_Row], room: int, sent: Callable[[_Row], object] = lambda row: row) -> list[_Row]:
    """The first of the rows, as many as so many bytes of a list in a frame hold. `sent`: what a row is in the frame."""
    fitting = []
    for row in rows:
        room -= len(encode(sent(row))) + len(",")
        if room < 0:
            break
        fitting.append(row)
    return fitting


def request_id_of(text: str) -> str | None:
    """The requestId in a frame that is not a valid command, so that the client knows which one was refused."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = fields.get("requestId") if isinstance(fields, dict) else None
    return found if isinstance(found, str) and re.fullmatch(_UUID, found) else None


@cache
def _events() -> Decoder[AnyEventBody]:
    return Decoder(AnyEventBody)


def parse_event(body: str) -> AnyEventBody:
    """The event in the text that `event_body` made."""
    return _events().decode(body)


def known_event(body: str) -> AnyEventBody | None:
    """The event, or None for one that a newer version has stored: while a deployment goes on, both run."""
    try:
        return parse_event(body)
    except MsgspecError:
        return None


def answer_events(stored: Iterable[StoredEvent]) -> list[AnyEventBody]:
    """The events that an answer is made of: those after the last reset.

    Events of a newer version are left out, as clients leave them out.
    """
    events: list[AnyEventBody] = []
    for event in (known_event(each.body) for each in stored):
        if isinstance(event, Reset):
            events.clear()
        elif event:
            events.append(event)
    return events


def failed(error: CicadaError) -> Failed:
    """The user's event for a failure. Details of a configuration error are left out; they are for operators.

    An incomplete index is told: the user would take its answer for "there is nothing".
    """
    sentence = str(error)
    if isinstance(error, ConfigurationError) and not isinstance(error, IndexIncompleteError):
        sentence = "The service is not set up correctly. Its operators can see why in the log."
    wait = error.retry_after_seconds if isinstance(error, LimitExceededError) else None
    return Failed(error=sentence, code=error.code, retryable=error.retryable, retry_after_seconds=wait)


def event_body(event: AnyEventBody) -> str:
    """An event as it is stored: JSON without `requestId` and `seq`."""
    return encode(event).decode()


def stored_frame(body: str, *, request_id: str, seq: int) -> str:
    """The frame of a stored event: its body with `requestId` and `seq` put in front."""
    return f'{{"requestId":"{request_id}","seq":{seq},{body[1:]}'
