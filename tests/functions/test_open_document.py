"""`openDocument` through its function: who is shown a page, what everybody else is told, and what is recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.documents.model import DocumentKey
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument
from tests.contract import access_list_table
from tests.fakes.audit import RecordingTrail
from tests.functions.deployed_processor import SCRIPTS, Deployed
from tests.functions.message_path import CONSOLE, ID, MessagePath, console_event

MACBETH = DocumentKey(SCRIPTS, "macbeth.json")
OPEN = {"action": "openDocument", "requestId": ID, "knowledgeBase": "scripts", "documentId": "macbeth.json"}


@pytest.fixture
def opened(path: MessagePath, deploy: Deployed) -> Any:
    """The reply to the command with these fields on a connection."""
    with deploy():
        yield lambda connection_id="console", **fields: path.send("ws_open", OPEN | fields, connection_id)


def access_lists(path: MessagePath) -> DynamoAccessListTable:
    return DynamoAccessListTable(path.database, access_list_table.TABLE)


def test_the_consoles_event_opens_a_page_and_is_recorded(
    path: MessagePath, deploy: Deployed, audited: RecordingTrail
) -> None:
    with deploy():
        reply = path.invoke("ws_open", console_event("ws_open"))
    page = json.loads(reply["body"])
    assert (page["type"], page["requestId"], page["page"], page["pages"]) == ("document", ID, 1, 1)
    assert [block["text"] for block in page["blocks"]] == ["The queen, my lord, is dead."]
    [record] = audited.shown
    assert (record.outcome, record.user, record.request_id, record.connection_id) == (
        *("opened", CONSOLE.user),
        *(ID, "console"),
    )
    assert record.documents == (ShownDocument("scripts", "macbeth.json", "v1"),)


def test_what_is_foreign_forged_removed_or_withdrawn_looks_like_what_never_was(
    path: MessagePath, opened: Any, audited: RecordingTrail
) -> None:
    path.connect("mallory", Principal("elsewhere", "mallory"))
    path.connect("bob", Principal("default", "bob"))
    never = opened(documentId="never.json")
    assert (never["code"], never["retryable"], never["requestId"]) == ("document_not_found", False, ID)
    forged = ({"documentId": "../macbeth.json"}, {"knowledgeBase": "no-such-base"}, {"documentId": "default#scripts"})
    said = [opened("mallory"), *(opened(**fields) for fields in forged)]
    access_lists(path).record(MACBETH, (f"user:{CONSOLE.user}",))
    said.append(opened("bob"))
    assert opened()["type"] == "document"
    access_lists(path).forget(MACBETH)
    said.append(opened())
    assert said == [never] * len(said)
    assert [each.user for each in audited.shown] == [CONSOLE.user]


@pytest.mark.usefixtures("few_commands")
def test_whoever_opens_too_many_documents_is_told_when_to_go_on(opened: Any) -> None:
    *allowed, refused = [opened(documentId="never.json") for _ in range(13)]
    assert {each["code"] for each in allowed} == {"document_not_found"}
    assert refused["code"] == "rate_limited"
    assert refused["retryAfterSeconds"] > 0


@pytest.mark.usefixtures("few_commands")
def test_a_list_of_all_documents_costs_more_than_a_page(opened: Any) -> None:
    replies = [opened(action="listDocuments", documentId=None) for _ in range(4)]
    assert [each.get("code") for each in replies] == [None, None, None, "rate_limited"]


def test_an_outage_is_not_a_document_that_does_not_exist(path: MessagePath, opened: Any) -> None:
    path.database.delete_table(TableName=access_list_table.TABLE)
    assert opened()["code"] == "misconfigured"


def test_another_functions_command_is_refused(opened: Any) -> None:
    assert opened(action="resume", afterSeq=0)["error"] == "The action resume is not served here."


def test_documents_are_listed_for_a_reader_and_changed_by_nobody_without_editors(
    path: MessagePath, opened: Any, audited: RecordingTrail
) -> None:
    page = opened(action="listDocuments", documentId=None)
    assert ([each["documentId"] for each in page["documents"]], page["total"]) == (["macbeth.json"], 1)
    assert "you" not in page
    assert [(each.outcome, each.user) for each in audited.shown] == [("listed", CONSOLE.user)]
    for action in ("describeDocument", "removeDocument"):
        assert opened(action=action)["code"] == "no_editor"
    assert opened(action="uploadDocument", name="new.md", size=7)["code"] == "no_editor"
