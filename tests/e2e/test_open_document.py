"""Documents that are opened over the socket: by those who may read them, and by everybody else."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.store import BASE, CONFIDENTIAL, GROUP, Store
from tests.e2e.test_audit import Audit, audit, eventually, of_request
from tests.e2e.wire import Events, Frame, ask, connected, receive_all

__all__ = ["audit"]
STRANGER = {"name": "trent", "password": "Trent-of-elsewhere-5"}
MACBETH = {"knowledgeBase": "scripts", "documentId": "macbeth.json"}
SECRET = {"knowledgeBase": BASE, "documentId": CONFIDENTIAL}


@pytest.fixture(scope="module", autouse=True)
def _stranger(stage: Target, store: Store) -> Iterator[None]:
    """A user of another tenant, in a group of the same name as the one that may read the secret."""
    directory, pool = aws_client(stage.config, "cognito-idp"), stage.info["outputs"]["UserPoolId"]
    groups = ("tenant:faraway", GROUP)
    for group in groups:
        try:
            directory.create_group(UserPoolId=pool, GroupName=group)
        except directory.exceptions.GroupExistsException:
            continue
    name, password = STRANGER["name"], STRANGER["password"]
    directory.admin_create_user(UserPoolId=pool, Username=name, MessageAction="SUPPRESS")
    directory.admin_set_user_password(UserPoolId=pool, Username=name, Password=password, Permanent=True)
    for group in groups:
        directory.admin_add_user_to_group(UserPoolId=pool, GroupName=group, Username=name)
    stage.info["users"].append(STRANGER)
    yield
    stage.info["users"].remove(STRANGER)
    directory.admin_delete_user(UserPoolId=pool, Username=name)


def opened(stage: Target, user: str, **fields: Any) -> Frame:
    """The reply, without the requestId."""
    request_id = str(uuid.uuid4())
    with connected(stage.url, stage.token(user)) as wire:
        wire.send(action="openDocument", requestId=request_id, **fields)
        reply = wire.receive()
    assert reply.pop("requestId") == request_id
    return reply


def test_a_source_leads_to_its_place_in_the_document(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        ask(wire, "Who tells Macbeth that the queen is dead?")
        events = receive_all(wire, Events())
        found = next(event for event in events.by_seq.values() if event["type"] == "sources")
        source = found["sources"][0]
        place = {"knowledgeBase": found["knowledgeBase"], "documentId": source["documentId"]}
        wire.send(action="openDocument", requestId=str(uuid.uuid4()), passage=source["passage"], **place)
        page = wire.receive()
    marked = [block["text"][slice(*block["marked"])] for block in page["blocks"] if "marked" in block]
    assert "\n".join(marked).startswith(source["excerpt"])
    assert page["title"] == source["title"]
    assert len(page["outline"]) > 20


def test_all_pages_of_a_play_have_each_of_its_messages_once(stage: Target) -> None:
    first = opened(stage, "alice", **MACBETH)
    pages = [first, *(opened(stage, "alice", page=number, **MACBETH) for number in range(2, first["pages"] + 1))]
    text = "\n".join(block["text"] for page in pages for block in page["blocks"])
    for line in ("Seyton: The queen, my lord, is dead.", "First Witch: When shall we three meet again"):
        assert text.count(line) == 1
    assert {page["version"] for page in pages} == {first["version"]}


def test_whoever_may_not_read_it_is_told_what_is_said_of_no_document(stage: Target, store: Store) -> None:
    never = opened(stage, "alice", knowledgeBase=BASE, documentId="never.md")
    assert (never["type"], never["code"]) == ("error", "document_not_found")
    assert opened(stage, "alice", **SECRET) == never
    assert opened(stage, STRANGER["name"], **SECRET) == never
    assert opened(stage, STRANGER["name"], **MACBETH) == never
    assert opened(stage, "alice", knowledgeBase="no-such-base", documentId="macbeth.json") == never
    assert opened(stage, "alice", knowledgeBase="scripts", documentId="default#scripts#macbeth.json") == never


def test_a_document_that_is_withdrawn_or_removed_between_two_pages_says_so_and_nothing_else(
    stage: Target, store: Store
) -> None:
    never = opened(stage, "alice", knowledgeBase="scripts", documentId="never.json")
    lists = DynamoAccessListTable(aws_client(stage.config, "dynamodb"), stage.info["outputs"]["ReadersTable"])
    hamlet = DocumentKey(KnowledgeBaseKey("default", "scripts"), "hamlet.json")
    named = {"knowledgeBase": "scripts", "documentId": "hamlet.json"}
    assert opened(stage, "alice", **named)["type"] == "document"
    try:
        lists.record(hamlet, ("group:nobody",))
        assert opened(stage, "alice", page=2, **named) == never
        lists.forget(hamlet)
        assert opened(stage, "alice", page=2, **named) == never
    finally:
        lists.record(hamlet, ())
    assert opened(stage, "alice", page=2, **named)["type"] == "document"


def test_a_page_is_recorded_with_its_reader(stage: Target, audit: Audit) -> None:
    request_id = str(uuid.uuid4())
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send(action="openDocument", requestId=request_id, page=2, **MACBETH)
        page = wire.receive()
        wire.send(action="openDocument", requestId=str(uuid.uuid4()), **SECRET)
        wire.receive()
    [record] = eventually(lambda: of_request(audit("--user", "alice"), request_id))
    assert (record["outcome"], record["path"]) == ("opened", [f"page:2/{page['pages']}"])
    assert record["documents"] == [
        {"knowledgeBase": "scripts", "documentId": "macbeth.json", "version": page["version"]}
    ]
    assert "Duncan" not in json.dumps(record)
    assert [each for each in audit("--user", "alice", "--document", CONFIDENTIAL) if each["outcome"] == "opened"] == []


def test_whoever_asks_gets_an_address_from_which_the_file_may_be_saved(stage: Target, audit: Audit) -> None:
    request_id = str(uuid.uuid4())
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send(action="openDocument", requestId=request_id, original=True, **MACBETH)
        page = wire.receive()
    with urlopen(page["original"]) as file:  # noqa: S310 - of the stage itself
        assert file.headers["Content-Disposition"].startswith('attachment; filename="macbeth.json"')
        assert file.read() == Path("samples/macbeth.json").read_bytes()
    assert "original" not in opened(stage, "alice", **MACBETH)
    assert "original" not in opened(stage, "alice", original=True, **SECRET)
    records = eventually(lambda: of_request(audit("--user", "alice"), request_id)[1:] and audit("--user", "alice"))
    assert {each["outcome"] for each in of_request(records, request_id)} == {"opened", "original"}
