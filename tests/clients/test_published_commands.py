"""The Python client's commands: it sends what it is asked to in the published form, over a real socket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given

from cicada_client.client import Client
from tests.clients.disturbing_server import TOKEN, Body, DisturbingServer, running
from tests.published.generation import commands
from tests.published.validation import fault_in_command

DOCUMENT: Body = {"type": "document", "page": 1, "pages": 1, "blocks": []}
ERASED: Body = {"conversations": 2, "questions": 3, "entries": 1, "left": False}
PAGE: Body = {"type": "history", "sessionId": None, "sessions": [], "turns": [], "before": None}


def server_replies(command: Body) -> list[Body]:
    """What ends each command at once, so that nothing is sent again."""
    head = {"requestId": command.get("requestId"), "seq": command.get("afterSeq", 0) + 1}
    if command["action"] == "openDocument":
        return [DOCUMENT | {"requestId": command["requestId"]}]
    if command["action"] == "listDocuments":
        return [{"type": "documents", "requestId": command["requestId"], "total": 0, "documents": []}]
    if command["action"] in ("changeSession", "deleteSession"):
        return [{"type": "session", "requestId": command["requestId"], "session": None}]
    if command["action"] in ("shareSession", "unshareSession"):
        return [{"type": "sessionShared", "requestId": command["requestId"], "shareId": "a"}]
    if command["action"] == "openShared":
        return [{"type": "shared", "requestId": command["requestId"], "owner": "ann", "title": "Who?", "turns": []}]
    if command["action"] == "listKnowledgeBases":
        return [{"type": "knowledgeBases", "requestId": command["requestId"], "bases": []}]
    if command["action"] == "eraseMine":
        return [{"type": "erased", "requestId": command["requestId"], **ERASED}]
    if command["action"] == "feedback":
        return [{"type": "feedback", "requestId": command["requestId"], "rating": command.get("rating")}]
    return [PAGE] if command["action"] == "history" else [head | {"type": "cancelled"}]


def asked(client: Client, fields: Body) -> None:
    list(
        client.ask(
            fields["message"],
            fields.get("sessionId"),
            fields.get("knowledgeBase"),
            fields.get("scope"),
            fields["requestId"],
        )
    )


def followed(client: Client, fields: Body) -> None:
    list(client.follow(fields["requestId"], fields["afterSeq"]))


def listed(client: Client, fields: Body) -> None:
    client.history(fields.get("sessionId"), fields.get("before"), fields.get("limit", 20), fields.get("search"))


def opened(client: Client, fields: Body) -> None:
    place = (fields["knowledgeBase"], fields["documentId"], fields.get("passage"), fields.get("page"))
    client.open_document(*place, request_id=fields["requestId"], original=fields.get("original", False))


def documents_listed(client: Client, fields: Body) -> None:
    asked_for = (fields["knowledgeBase"], fields.get("search"), fields.get("sort"), fields.get("offset", 0))
    client.list_documents(*asked_for, fields["requestId"], document_id=fields.get("documentId"))


def changed(client: Client, fields: Body) -> None:
    title, pinned = fields.get("title"), fields.get("pinned")
    client.change_session(fields["sessionId"], title, fields["requestId"], pinned=pinned)


def deleted(client: Client, fields: Body) -> None:
    client.delete_session(fields["sessionId"], fields["requestId"])


def shared(client: Client, fields: Body) -> None:
    assert client.share_session(fields["sessionId"], fields["requestId"]) == "a"


def unshared(client: Client, fields: Body) -> None:
    client.unshare_session(fields["sessionId"], fields["requestId"])


def shared_opened(client: Client, fields: Body) -> None:
    place = (fields["shareId"], fields.get("before"), fields.get("limit", 20))
    assert client.open_shared(*place, fields["requestId"]).owner == "ann"


def erased(client: Client, fields: Body) -> None:
    assert asdict(client.erase_mine(fields["requestId"])) == ERASED


def bases_listed(client: Client, fields: Body) -> None:
    assert client.knowledge_bases(fields["requestId"]) == ()


def rated(client: Client, fields: Body) -> None:
    client.rate(fields["requestId"], fields.get("rating"), fields.get("reasons"), fields.get("comment"))


SENDERS: dict[str, Callable[[Client, Body], None]] = {
    "sendMessage": asked,
    "resume": followed,
    "history": listed,
    "changeSession": changed,
    "deleteSession": deleted,
    "shareSession": shared,
    "unshareSession": unshared,
    "openShared": shared_opened,
    "eraseMine": erased,
    "feedback": rated,
    "openDocument": opened,
    "listKnowledgeBases": bases_listed,
    "listDocuments": documents_listed,
}


@pytest.mark.parametrize("action", SENDERS)
def test_what_the_client_is_asked_for_is_sent_in_the_published_form(action: str) -> None:
    server = DisturbingServer(on_command=server_replies)
    with running(server), Client(server.url, lambda: TOKEN) as client:

        @given(commands(action))
        def send(fields: dict[str, Any]) -> None:
            SENDERS[action](client, fields)
            expected = {name: value for name, value in fields.items() if value is not None}
            for name in ("original", "offset"):
                if not expected.get(name, True):
                    del expected[name]
            assert server.commands[-1] == ({"limit": 20} if action in ("history", "openShared") else {}) | expected

        send()
    assert len(server.commands) > 50
    assert [fault for fault in map(fault_in_command, server.commands) if fault] == []
