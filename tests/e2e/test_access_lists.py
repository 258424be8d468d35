"""A document for a group, asked for in every way: by a member, by another user, by another tenant's."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.stage.aws import aws_client
from tests.chaos.target import Target, principal
from tests.e2e.store import BASE, CONFIDENTIAL, GROUP, Store, asked, everything, last, listed, listings, sources
from tests.e2e.test_ingest import answered, cicada
from tests.e2e.wire import Events, connected, receive_all

STRANGER = {"name": "mallory", "password": "Mallory-of-elsewhere-3"}
TITLE = "Salary Bands and Pay Review"
# One question for each way to an answer that shows documents.
QUESTIONS = {
    "MetadataOnly": "List the policies of HR",
    "ContentOnly": "What are the salary bands for 2026?",
    "Hybrid": "What do the policies of HR say about salary bands?",
}
WITHOUT_A_SEARCH = {"NoMatch": "Hello there!", "NeedsClarification": "What does it say?"}


@pytest.fixture(scope="module", autouse=True)
def _people(stage: Target, store: Store) -> Iterator[None]:
    """Bob is in the group. Mallory is in a group of the same name, but of another tenant."""
    directory, pool = aws_client(stage.config, "cognito-idp"), stage.info["outputs"]["UserPoolId"]
    for group in (GROUP, "tenant:elsewhere"):
        directory.create_group(UserPoolId=pool, GroupName=group)
    name, password = STRANGER["name"], STRANGER["password"]
    directory.admin_create_user(UserPoolId=pool, Username=name, MessageAction="SUPPRESS")
    directory.admin_set_user_password(UserPoolId=pool, Username=name, Password=password, Permanent=True)
    for user, group in (("bob", GROUP), (name, GROUP), (name, "tenant:elsewhere")):
        directory.admin_add_user_to_group(UserPoolId=pool, GroupName=group, Username=user)
    stage.info["users"].append(STRANGER)
    yield
    stage.info["users"].remove(STRANGER)
    directory.admin_delete_user(UserPoolId=pool, Username=name)
    directory.admin_remove_user_from_group(UserPoolId=pool, GroupName=GROUP, Username="bob")


@pytest.mark.parametrize("strategy", QUESTIONS)
def test_a_document_for_a_group_is_shown_to_its_members_alone(stage: Target, strategy: str) -> None:
    for user, may_see in (("bob", True), ("alice", False), (STRANGER["name"], False)):
        events = asked(stage, QUESTIONS[strategy], user)
        assert last(events)["plan"]["strategy"] == strategy
        shown = [*listed(events), *(source["documentId"] for source in sources(events))]
        assert (CONFIDENTIAL in shown) is may_see, user
        assert (TITLE in json.dumps(events.by_seq)) is may_see
        assert last(events)["plan"]["withheld"] == 0
        assert shown == [] or user != STRANGER["name"]


@pytest.mark.parametrize("strategy", WITHOUT_A_SEARCH)
def test_an_answer_without_a_search_shows_no_document(stage: Target, strategy: str) -> None:
    for user in ("bob", "alice", STRANGER["name"]):
        events = asked(stage, WITHOUT_A_SEARCH[strategy], user)
        assert last(events)["plan"]["strategy"] == strategy
        assert not {"sources", "listing"} & set(events.types)
        assert "documents" not in last(events)["plan"]


def test_a_document_for_a_group_is_quoted_to_its_members_alone(stage: Target) -> None:
    quoted = "Bands 2026 (EUR gross per year, full time)"
    assert quoted in asked(stage, QUESTIONS["ContentOnly"], "bob").text
    for user in ("alice", STRANGER["name"]):
        assert quoted not in json.dumps(asked(stage, QUESTIONS["ContentOnly"], user).by_seq)


@pytest.mark.parametrize(("user", "groups"), [("bob", [GROUP]), ("alice", []), (STRANGER["name"], None)])
def test_counts_are_of_the_documents_that_the_asker_may_see(
    stage: Target, store: Store, user: str, groups: list[str] | None
) -> None:
    visible = set() if groups is None else store.ids(everything, *groups)
    events = asked(stage, "How many documents are there for each department?", user)
    [listing] = listings(events)
    assert listing["total"] == last(events)["plan"]["documents"] == len(visible)
    by_value = {each["values"][0]: each["documents"] for each in listing["groups"]}
    assert by_value == Counter(store.documents[name]["department"] for name in visible)
    policies = {
        name
        for name in visible
        if (store.documents[name]["type"], store.documents[name]["department"]) == ("policy", "Human Resources")
    }
    path = last(asked(stage, QUESTIONS["Hybrid"], user))["path"]
    assert (f"filter_first:{len(policies)}" if policies else "filter:0") in path


def test_the_theories_agents_evidence_is_what_the_user_may_read(stage: Target, tmp_path: Path) -> None:
    (tmp_path / "letter.md").write_text(
        f'---\nreaders: ["group:{GROUP}"]\n---\n# The letter\n\nThe zanthoxyl letter was forged by the apothecary.\n'
    )
    assert cicada(stage, "ingest", str(tmp_path), "--knowledge-base", "scripts")[0] == 0
    theory = "My theory: The zanthoxyl letter was forged. Does the text support it?"
    for user, may_see in (("bob", True), ("alice", False), (STRANGER["name"], False)):
        with connected(stage.url, stage.token(user)) as wire:
            events = answered(wire, theory, "scripts")
        assert "agent:theories" in last(events)["path"]
        assert ("apothecary" in events.text) is may_see, user
    assert cicada(stage, "remove", "letter.md", "--knowledge-base", "scripts")[0] == 0


def test_viewers_that_nobody_is_are_reported_and_refuse_nothing(stage: Target, tmp_path: Path) -> None:
    bob = principal(stage.token("bob")).user
    named = [f"user:{bob}", "user:bob", f"group:{GROUP}", "group:finanse"]
    (tmp_path / "plan.md").write_text(f"---\nreaders: {json.dumps(named)}\n---\n# The plan\n\nIt is secret.\n")
    base = ("--knowledge-base", "misspelt")
    code, printed = cicada(stage, "ingest", str(tmp_path), *base)
    [file] = printed["files"]
    assert (code, file["outcome"], printed["readersNotLookedUp"]) == (0, "indexed", None)
    unknown = ["group:finanse", f"user:bob (the account of that name is user:{bob})"]
    assert sorted(file["unknownReaders"]) == unknown
    _, shown = cicada(stage, "documents", "show", "plan.md", *base)
    assert sorted(shown["unknownReaders"]) == unknown
    # The group is made later, which is no fault of the document.
    pool = {"UserPoolId": stage.info["outputs"]["UserPoolId"]}
    aws_client(stage.config, "cognito-idp").create_group(**pool, GroupName="finanse")
    _, listed = cicada(stage, "documents", "list", *base)
    assert [each["unknownReaders"] for each in listed["documents"]] == [unknown[1:]]
    (tmp_path / "plan.md").write_text('---\nreaders: ["group:Human Resources"]\n---\n# The plan\n\nIt is secret.\n')
    code, printed = cicada(stage, "ingest", str(tmp_path), *base)
    assert (code, printed["files"][0]["problems"][0]["kind"]) == (1, "front_matter")
    assert cicada(stage, "remove", "plan.md", *base)[0] == 0


def test_another_users_request_and_session_are_as_if_they_were_not(stage: Target) -> None:
    session = f"s-{uuid.uuid4()}"
    theirs = asked(stage, QUESTIONS["ContentOnly"], "bob", sessionId=session)
    assert TITLE in json.dumps(theirs.by_seq)
    request_id = theirs.by_seq[1]["requestId"]
    for user in ("alice", STRANGER["name"]):
        with connected(stage.url, stage.token(user)) as wire:
            wire.send(action="resume", requestId=request_id, afterSeq=0)
            assert wire.receive()["code"] == "request_not_found"
            wire.send(action="cancel", requestId=request_id)
            assert wire.receive()["code"] == "request_not_found"
            wire.send(action="history", sessionId=session)
            assert wire.receive()["turns"] == []
            wire.send(action="history")
            assert session not in [each["sessionId"] for each in wire.receive()["sessions"]]


def test_a_session_of_the_same_id_knows_nothing_of_another_users(stage: Target) -> None:
    session = f"s-{uuid.uuid4()}"
    asked(stage, QUESTIONS["MetadataOnly"], "bob", sessionId=session)
    events = asked(stage, "next page", "alice", sessionId=session)
    assert "listing" not in events.types
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send(action="history", sessionId=session)
        assert [turn["message"] for turn in wire.receive()["turns"]] == ["next page"]


def test_the_same_request_of_another_user_is_another_request(stage: Target) -> None:
    request_id = str(uuid.uuid4())
    for user, may_see in (("bob", True), ("alice", False)):
        with connected(stage.url, stage.token(user)) as wire:
            wire.send(action="sendMessage", requestId=request_id, message=QUESTIONS["ContentOnly"], knowledgeBase=BASE)
            events = receive_all(wire, Events())
        assert (TITLE in json.dumps(events.by_seq)) is may_see
