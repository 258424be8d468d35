"""How long each row that the functions write is kept, as docs/operations/deletion.md says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.model import THEORY, AgentKind, Change, Entry, EntryScope
from cicada.conversation.model import RequestKey, StoredEvent
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from local.stage.settings import ROOT
from tests.contract import access_list_table, connections_table, entries_table, requests_table
from tests.fakes.base_record import says
from tests.functions.message_path import CONSOLE, ID, NOW, MessagePath
from tests.functions.test_sign_out import SEND, SIGN_OUT, Pool, pool
from tests.infra.promises import span

__all__ = ["pool"]
NEVER = "never"
Item = Mapping[str, Any]


def documented() -> dict[str, tuple[str, str]]:
    """The table of each kind of row, and the time until DynamoDB may delete it."""
    page = (ROOT / "docs" / "operations" / "deletion.md").read_text("utf-8")
    section = page.split("| rows | table | deleted after |", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| ([^|-][^|]*) \| (\w+) \| ([^|]+) \|$", section, re.MULTILINE)
    return {kind: (table, kept.split(",")[0]) for kind, table, kept in rows}


def kept(item: Item) -> str:
    """How long from now a row is kept, without the seconds of a margin."""
    if "expiresAt" not in item:
        return NEVER
    return span(int(int(item["expiresAt"]["N"]) - NOW) // 60 * 60)


def rows(path: MessagePath, table: str) -> list[Item]:
    found: list[Item] = path.database.scan(TableName=table)["Items"]
    return found


def requests_rows(path: MessagePath) -> dict[str, set[str]]:
    """How long the rows of the table `requests` are kept, by kind."""
    found: dict[str, set[str]] = {}
    for item in rows(path, requests_table.TABLE):
        of_request = item["pk"]["S"].count("#") > 1
        kind = "request" if of_request else item["sk"]["S"].partition("#")[0]
        found.setdefault(kind, set()).add(kept(item))
    return found


def keep_a_theory(path: MessagePath) -> None:
    """And then another state of it."""
    store = DynamoEntryStore(path.database, entries_table.TABLE)
    scope = EntryScope(CONSOLE, "scripts", AgentKind.THEORIES)
    first, second = (Entry("t-1", THEORY, "The porter", "is drunk", number, NOW, 0) for number in (1, 2))
    store.write(scope, Change(None, first, NOW))
    store.write(scope, Change(first, second, NOW))


def test_every_row_is_kept_as_long_as_the_docs_say(path: MessagePath, pool: Pool) -> None:
    path.send("ws_message", SEND)
    lease = path.log.take_lease(RequestKey(CONSOLE, ID), NOW, NOW + 15)
    assert lease is not None
    path.log.store(lease, StoredEvent(2, '{"type": "chunk"}'))
    path.send("ws_control", {"action": "shareSession", "requestId": ID, "sessionId": ID})
    found = requests_rows(path)
    assert set(found) == {"request", "SESSION", "SHARE", "USAGE"}
    written = {
        "a request with its question and the events of its answer": ("requests", found["request"]),
        "a session": ("requests", found["SESSION"]),
        "the id under which a session is shared": ("requests", found["SHARE"]),
        "the usage of a user": ("requests", found["USAGE"]),
        "a connection": ("connections", {kept(item) for item in rows(path, connections_table.TABLE)}),
    }
    path.send("ws_sign_out", SIGN_OUT)
    written["the revocation of a user's tokens"] = ("requests", requests_rows(path)["USAGE"])
    keep_a_theory(path)
    entries = {item["sk"]["S"].split("#")[2]: {kept(item)} for item in rows(path, entries_table.TABLE)}
    written |= {
        "a profile or a theory": ("entries", entries["NOW"]),
        "an earlier or deleted state of one": ("entries", entries["EARLIER"]),
    }
    DynamoAccessListTable(path.database, access_list_table.TABLE).record(
        DocumentKey(KnowledgeBaseKey("default", "scripts"), "macbeth.json"), ("group:staff",)
    )
    written["the viewers of a document"] = ("readers", {kept(item) for item in rows(path, access_list_table.TABLE)})
    of_documents = rows(path, access_list_table.TABLE)
    base = KnowledgeBaseKey("default", "scripts")
    record = DynamoBaseTable(path.database, access_list_table.TABLE)
    record.write_text(base, "limit = 5")
    record.observe(base, says("group:staff", room="Hall A"), None)
    of_bases = [item for item in rows(path, access_list_table.TABLE) if item not in of_documents]
    written["what is set for a knowledge base, and the fields of its documents"] = ("readers", set(map(kept, of_bases)))
    assert {kind: (table, {time}) for kind, (table, time) in documented().items()} == written
