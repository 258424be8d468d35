"""The rows of the request log as DynamoDB items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec.json import decode, encode
from msgspec.structs import asdict

from cicada.adapters.dynamodb.table import Item
from cicada.adapters.passage_codec import condition_of, condition_values
from cicada.conversation.model import (
    PINNED_SECONDS,
    AnswerFeedback,
    AnswerRecord,
    Head,
    Lease,
    NewRequest,
    Question,
    RequestKey,
    SessionRow,
    Shown,
    Status,
    StoredEvent,
)
from cicada.conversation.titles import title_of
from cicada.documents.catalogue import Aggregate, ListedPage, Sort
from cicada.documents.model import AnyOf, Condition
from cicada.identity import Principal

_SESSION = "SESSION#"


def partition_key(key: RequestKey) -> str:
    return f"{key.principal.owner}#{key.request_id}"


def event_key(seq: int) -> str:
    return f"E#{seq:08d}"


def session_history_key(principal: Principal, session_id: str) -> str:
    return f"{principal.owner}#{session_id}"


def number(value: float) -> dict[str, str]:
    return {"N": f"{value:.3f}"}


def head_item(request: NewRequest) -> Item:
    question = request.question
    return {
        "pk": {"S": partition_key(request.key)},
        "sk": {"S": "HEAD"},
        "status": {"S": Status.QUEUED},
        "sessionId": {"S": question.session_id},
        "knowledgeBase": {"S": question.knowledge_base},
        "connectionId": {"S": request.connection_id},
        "lastSeq": {"N": "1"},
        "attempt": {"N": "0"},
        "leaseUntil": {"N": "0"},
        "createdAt": number(request.created_at),
        "expiresAt": {"N": str(int(request.expires_at))},
        "historyKey": {"S": session_history_key(request.key.principal, question.session_id)},
        "historyOrder": number(request.created_at),
    }


def first_event_item(request: NewRequest, accepted: str) -> Item:
    return {
        "pk": {"S": partition_key(request.key)},
        "sk": {"S": event_key(1)},
        "attempt": {"N": "0"},
        "body": {"S": accepted},
        "question": {"S": json.dumps(_question_fields(request.question), ensure_ascii=False)},
        "expiresAt": {"N": str(int(request.expires_at))},
    }


def _question_fields(question: Question) -> dict[str, object]:
    return {
        "message": question.message,
        "sessionId": question.session_id,
        "knowledgeBase": question.knowledge_base,
        "episodes": question.episodes,
        "filters": [condition_values(each) for each in question.filters],
        **({"listing": _listing_values(question.listing), "restates": question.restates} if question.listing else {}),
    }


def read_question(item: Item) -> Question:
    """The question in a request's first event."""
    stored = json.loads(item["question"]["S"])
    return Question(
        message=stored["message"],
        session_id=stored["sessionId"],
        knowledge_base=stored["knowledgeBase"],
        episodes=tuple(stored["episodes"]),
        filters=_filters(stored),
        listing=_read_listing(stored["listing"]) if stored.get("listing") else None,
        restates=stored.get("restates", ""),
    )


def _filters(stored: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Read the filters; an earlier version stored the values of fields under `metadata`."""
    if "metadata" in stored:
        return tuple(AnyOf(name, frozenset(values)) for name, values in stored["metadata"].items())
    return tuple(map(condition_of, stored["filters"]))


def read_head(item: Item) -> Head:
    return Head(
        status=Status(item["status"]["S"]),
        session_id=item["sessionId"]["S"],
        connection_id=item["connectionId"]["S"] if "connectionId" in item else None,
        last_seq=int(item["lastSeq"]["N"]),
        attempt=int(item["attempt"]["N"]),
        lease_until=float(item["leaseUntil"]["N"]),
        cancel_requested=item.get("cancelRequested", {}).get("BOOL", False),
        created_at=float(item["createdAt"]["N"]),
        expires_at=float(item["expiresAt"]["N"]),
        forgiven_attempts=int(item["forgivenAttempts"]["N"]) if "forgivenAttempts" in item else 0,
        record=_read_record(item["answerRecord"]["S"]) if "answerRecord" in item else None,
        takeover_until=float(item["takeoverUntil"]["N"]) if "takeoverUntil" in item else 0,
        feedback=decode(item["feedback"]["S"], type=AnswerFeedback) if "feedback" in item else None,
    )


def record_text(record: AnswerRecord) -> str:
    """The record as the head keeps it: one JSON object, for people too."""
    values = asdict(record) | {"timings": dict(record.timings), "listing": _listing_values(record.listing)}
    return json.dumps(values, separators=(",", ":"))


def _listing_values(page: ListedPage | None) -> dict[str, Any] | None:
    if page is None:
        return None
    return asdict(page) | {
        "sort": asdict(page.sort) if page.sort else None,
        "conditions": [condition_values(each) for each in page.conditions],
        "left_out": [condition_values(each) for each in page.left_out],
        "aggregates": [asdict(each) for each in page.aggregates],
    }


def _read_record(text: str) -> AnswerRecord:
    """What a newer version has added is left out."""
    stored = _known(AnswerRecord, json.loads(text))
    listing = _read_listing(stored["listing"]) if stored.get("listing") else None
    return AnswerRecord(
        **stored | {"path": tuple(stored["path"]), "scores": tuple(stored["scores"]), "listing": listing}
    )


def _read_listing(stored: Mapping[str, Any]) -> ListedPage:
    """A page of an earlier version has no numbers but counts, which its next page does without."""
    values = _known(ListedPage, stored)
    return ListedPage(
        **values
        | {
            "sort": Sort(**values["sort"]) if values["sort"] else None,
            "conditions": tuple(map(condition_of, values["conditions"])),
            "left_out": tuple(map(condition_of, values.get("left_out", ()))),
            "aggregates": tuple(Aggregate(**each) for each in values.get("aggregates", ())),
            "group": tuple(values.get("group", ())),
            "fields": tuple(values.get("fields", ())),
            "documents": tuple(values.get("documents", ())),
        }
    )


def _known(kind: type[AnswerRecord] | type[ListedPage], stored: Mapping[str, Any]) -> dict[str, Any]:
    return {name: stored[name] for name in kind.__struct_fields__ if name in stored}


def session_row_key(principal: Principal, session_id: str) -> Item:
    return {"pk": {"S": principal.owner}, "sk": {"S": f"{_SESSION}{session_id}"}}


def session_keys(principal: Principal) -> tuple[str, Item]:
    """The condition of the keys of a user's session rows, with its values."""
    return "pk = :owner AND begins_with(sk, :session)", {":owner": {"S": principal.owner}, ":session": {"S": _SESSION}}


def session_id_of(item: Item) -> str:
    session_id: str = item["sk"]["S"]
    return session_id.removeprefix(_SESSION)


def was_deleted(item: Item) -> bool:
    """Whether a session's row is only the mark that it was deleted."""
    return "deletedAt" in item


def read_session(item: Item) -> SessionRow:
    """Rows of the index have no knowledge base, and do not say under which id they are shared."""
    order = float(item["historyOrder"]["N"])
    pinned = order >= PINNED_SECONDS
    return SessionRow(
        session_id_of(item),
        item["title"]["S"],
        round(order - PINNED_SECONDS, 3) if pinned else order,
        item.get("knowledgeBase", {}).get("S", ""),
        pinned,
        item.get("shareId", {}).get("S", ""),
    )


def session_update(request: NewRequest) -> tuple[str, str, Item]:
    """The update of the session's row, its condition and values: the first message creates it, all move it up."""
    change = (
        "SET title = if_not_exists(title, :title), knowledgeBase = if_not_exists(knowledgeBase, :knowledgeBase), "
        "historyKey = :owner, historyOrder = if_not_exists(pinnedBy, :zero) + :now, expiresAt = :expires"
    )
    values = {
        ":title": {"S": title_of(request.question.message)},
        ":knowledgeBase": {"S": request.question.knowledge_base},
        ":owner": {"S": request.key.principal.owner},
        ":now": number(request.created_at),
        ":zero": {"N": "0"},
        ":expires": {"N": str(int(request.expires_at))},
    }
    return change, "attribute_not_exists(deletedAt)", values


def event_item(lease: Lease, event: StoredEvent, now: float) -> Item:
    """An event's row, marked with the attempt that wrote it and with when it did, for `cicada trace`."""
    return {
        "pk": {"S": partition_key(lease.key)},
        "sk": {"S": event_key(event.seq)},
        "attempt": {"N": str(lease.attempt)},
        "writtenAt": number(now),
        "body": {"S": event.body},
        "expiresAt": {"N": str(int(lease.expires_at))},
        **({"shown": {"S": encode(event.shown).decode()}} if event.shown else {}),
    }


def read_event(item: Item) -> StoredEvent:
    shown = decode(item["shown"]["S"], type=Shown) if "shown" in item else None
    return StoredEvent(int(item["sk"]["S"][2:]), item["body"]["S"], shown)
