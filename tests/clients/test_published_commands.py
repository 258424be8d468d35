"""The Python client's commands: it sends what it is asked to in the published form, over a real socket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings

from cicada_client.accounts import FailedAnswer, Failures, RatedAnswer, Ratings, Use, User, UsersPage
from cicada_client.client import Client
from tests.clients.disturbing_server import TOKEN, Body, DisturbingServer, running
from tests.published.generation import commands
from tests.published.validation import fault_in_command

DOCUMENT: Body = {"type": "document", "page": 1, "pages": 1, "blocks": []}
ERASED: Body = {"conversations": 2, "questions": 3, "entries": 1, "left": False}
USER: Body = {"name": "ann", "state": "active", "groups": ["hr"]}
CHANGED: Body = {"type": "user", "user": USER, "initialPassword": "A-1"}
SESSION: Body = {"type": "session", "session": None}
SHARED: Body = {"type": "sessionShared", "shareId": "a"}
PAGE: Body = {"type": "history", "sessionId": None, "sessions": [], "turns": [], "before": None}


ASKED: Body = {"requestId": "r", "askedAt": "2026-11-21", "knowledgeBase": "store"}
RATED: Body = {**ASKED, "rating": "bad", "reasons": ["wrong"], "comment": "No."}
FAILED: Body = {**ASKED, "code": "internal"}

REPLIES: dict[str, Body] = {
    "openDocument": DOCUMENT,
    "listDocuments": {"type": "documents", "total": 0, "documents": []},
    "listMore": {"type": "listingPage", "total": 2, "documents": [{"documentId": "d", "title": "D"}], "offset": 1},
    "changeSession": SESSION,
    "deleteSession": SESSION,
    "shareSession": SHARED,
    "unshareSession": SHARED,
    "openShared": {"type": "shared", "owner": "ann", "title": "Who?", "turns": []},
    "listKnowledgeBases": {"type": "knowledgeBases", "bases": []},
    "listUsers": {"type": "users", "users": [USER, "no user"], "administrators": "admins", "next": None},
    "addUser": CHANGED,
    "disableUser": CHANGED,
    "enableUser": CHANGED,
    "setGroups": CHANGED,
    "readUse": {"type": "use", "days": [{"day": "2026-11-21", "tokens": 7, "dollars": 0.5}], "limit": None},
    "readFeedback": {"type": "ratings", "days": [{"day": "2026-11-21", "good": 1, "bad": 2}], "latest": [RATED]},
    "readFailures": {"type": "failures", "days": [], "latest": [FAILED, "none"], "complete": True},
    "eraseMine": {"type": "erased", **ERASED},
}


def server_replies(command: Body) -> list[Body]:
    """What ends each command at once, so that nothing is sent again."""
    head = {"requestId": command.get("requestId")}
    if command["action"] == "history":
        return [PAGE]
    if command["action"] == "feedback":
        return [head | {"type": "feedback", "rating": command.get("rating")}]
    ended = {"type": "cancelled", "seq": command.get("afterSeq", 0) + 1}
    return [head | REPLIES.get(command["action"], ended)]


def asked(client: Client, fields: Body) -> None:
    without = fields.get("without")
    list(
        client.ask(
            fields["message"],
            fields.get("sessionId"),
            fields.get("knowledgeBase"),
            fields.get("scope"),
            fields["requestId"],
            without=without and (without["requestId"], without["condition"]),
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
    one, filters = fields.get("documentId"), fields.get("filters", ())
    client.list_documents(*asked_for, fields["requestId"], document_id=one, filters=filters)


def more_listed(client: Client, fields: Body) -> None:
    listing = client.list_more(fields["answer"], fields["offset"], fields["requestId"])
    assert ([each.title for each in listing.documents], listing.total, listing.offset) == (["D"], 2, 1)


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


def users_listed(client: Client, fields: Body) -> None:
    page = client.list_users(fields.get("after"), fields["requestId"])
    assert page == UsersPage((User("ann", "active", ("hr",)),), "admins")


def user_added(client: Client, fields: Body) -> None:
    create = fields.get("createGroups", False)
    made = client.add_user(fields["name"], fields.get("groups", ()), fields["requestId"], create_groups=create)
    assert (made.user.name, made.initial_password) == ("ann", "A-1")


def user_disabled(client: Client, fields: Body) -> None:
    client.disable_user(fields["name"], fields["requestId"])


def user_enabled(client: Client, fields: Body) -> None:
    client.enable_user(fields["name"], fields["requestId"])


def groups_set(client: Client, fields: Body) -> None:
    create = fields.get("createGroups", False)
    client.set_groups(fields["name"], fields["groups"], fields["requestId"], create_groups=create)


def use_read(client: Client, fields: Body) -> None:
    assert client.read_use(fields.get("days", 7), fields["requestId"]) == Use(
        (("2026-11-21", 7),), dollars={"2026-11-21": 0.5}
    )


def feedback_read(client: Client, fields: Body) -> None:
    rated = RatedAnswer("r", "2026-11-21", "store", "bad", ("wrong",), "No.")
    found = client.read_feedback(fields.get("days", 7), fields["requestId"])
    assert found == Ratings((("2026-11-21", 1, 2),), (rated,), complete=False)


def failures_read(client: Client, fields: Body) -> None:
    found = client.read_failures(fields.get("days", 7), fields["requestId"])
    assert found == Failures((), (FailedAnswer("r", "2026-11-21", "store", "internal"),))


def rated(client: Client, fields: Body) -> None:
    client.rate(fields["requestId"], fields.get("rating"), fields.get("reasons"), fields.get("comment"))


# Of each command; so many find each optional field that is sent wrong.
EXAMPLES = 20
DEFAULTS: dict[str, Body] = {
    "history": {"limit": 20},
    "openShared": {"limit": 20},
    "addUser": {"groups": []},
    **{action: {"days": 7} for action in ("readUse", "readFeedback", "readFailures")},
}
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
    "listMore": more_listed,
    "listUsers": users_listed,
    "addUser": user_added,
    "disableUser": user_disabled,
    "enableUser": user_enabled,
    "setGroups": groups_set,
    "readUse": use_read,
    "readFeedback": feedback_read,
    "readFailures": failures_read,
}


@pytest.mark.parametrize("action", SENDERS)
def test_what_the_client_is_asked_for_is_sent_in_the_published_form(action: str) -> None:
    server = DisturbingServer(on_command=server_replies)
    with running(server), Client(server.url, lambda: TOKEN) as client:

        @settings(max_examples=EXAMPLES)
        @given(commands(action))
        def send(fields: dict[str, Any]) -> None:
            SENDERS[action](client, fields)
            expected = {name: value for name, value in fields.items() if value is not None}
            for name in ("original", "offset", "createGroups", "filters"):
                if not expected.get(name, True) and action != "listMore":
                    del expected[name]
            assert server.commands[-1] == DEFAULTS.get(action, {}) | expected

        send()
    assert len(server.commands) >= EXAMPLES
    assert [fault for fault in map(fault_in_command, server.commands) if fault] == []
