"""A store of documents with typed metadata: one plan for each question, and nobody sees what is not for them."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.chaos.target import Target
from tests.e2e.store import BASE, CONFIDENTIAL, GROUP, Fields, Store, asked, everything, last, listed, listings, sources
from tests.e2e.test_ingest import cicada
from tests.e2e.wire import Events, Wire, ask, connected, receive_all


@contextmanager
def conversation(stage: Target, user: str = "alice") -> Iterator[tuple[Wire, str]]:
    with connected(stage.url, stage.token(user)) as wire:
        yield wire, f"s-{uuid.uuid4()}"


def said(wire: Wire, session: str, message: str) -> Events:
    ask(wire, message, sessionId=session, knowledgeBase=BASE)
    return receive_all(wire, Events())


def test_each_question_to_begin_with_is_answered_by_a_list_or_with_sources(stage: Target, store: Store) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send(action="listKnowledgeBases", requestId=str(uuid.uuid4()))
        bases = {each["name"]: each for each in wire.receive()["bases"]}
    assert bases[BASE]["documents"] == len(store.ids(everything))
    assert len(bases[BASE]["questions"]) == 3
    for events in (asked(stage, each) for each in bases[BASE]["questions"]):
        assert last(events)["type"] == "complete"
        assert sources(events) or listings(events)[0]["total"] > 1


def approved_sops_of_qa(fields: Fields) -> bool:
    return (fields["type"], fields["status"], fields["department"]) == ("SOP", "approved", "Quality Assurance")


def test_the_version_in_force_comes_before_the_retired_one_which_is_called_so(stage: Target, store: Store) -> None:
    events = asked(stage, "What does the Data Integrity Policy say about audit trails?")
    assert sources(events)[0]["documentId"] == "policy-qa-006.md"
    lines = [line for line in events.text.splitlines() if line.startswith('"')]
    assert "every month" in lines[0]
    assert all("Data Integrity Policy (retired)" in line for line in lines if "once a year" in line)
    assert listed(asked(stage, "Who owns the Data Integrity Policy?")) == ["policy-qa-006.md", "policy-qa-005.md"]
    retired = asked(stage, "What did the retired Data Integrity Policy say about audit trails?")
    assert {each["documentId"] for each in sources(retired)} == {"policy-qa-005.md"}
    assert "once a year" in retired.text
    assert "Data Integrity Policy (retired)" in retired.text


# ---- one question for each strategy -------------------------------------------------------------------------------


def test_documents_that_meet_conditions_are_listed_with_their_count_and_fields(stage: Target, store: Store) -> None:
    events = asked(stage, "List the approved SOPs of QA")
    wanted = store.ids(approved_sops_of_qa)
    assert set(listed(events)) == wanted
    [listing] = listings(events)
    assert (listing["total"], listing["offset"], listing["nextOffset"]) == (len(wanted), 0, None)
    titles = [each["title"] for each in listing["documents"]]
    assert titles == sorted(store.documents[name]["title"] for name in wanted)
    for each in listing["documents"]:
        of_file = store.documents[each["documentId"]]
        assert each["relevance"] is None
        assert each["fields"] == {
            "Type": "SOP",
            "Status": "approved",
            "Department": "Quality Assurance",
            "Owner": of_file["owner"],
            "Effective": of_file["effective"],
        }
    end = last(events)
    assert end["plan"]["strategy"] == "MetadataOnly"
    assert sorted(end["plan"]["filters"]) == ["Department: Quality Assurance", "Status: approved", "Type: SOP"]
    assert (end["plan"]["documents"], end["plan"]["withheld"]) == (len(wanted), 0)
    assert end["path"] == ["script_query", "plan:rules", "list", f"documents:{len(wanted)}"]
    assert end["usage"] == {"inputTokens": 0, "outputTokens": 0}
    assert events.text.startswith(f"{len(wanted)} documents match")


def test_documents_about_a_subject_are_listed_best_first_with_what_matched(stage: Target, store: Store) -> None:
    with conversation(stage) as (wire, session):
        events = said(wire, session, "Which SOPs are about deviations in general?")
        [listing] = listings(events)
        first = listing["documents"][0]
        assert first["documentId"] == "sop-qa-003.md"
        assert first["excerpt"].endswith((".", "…", ":"))
        assert "“deviations”" in first["reason"]
        relevances = [each["relevance"] for each in listing["documents"]]
        assert relevances == sorted(relevances, reverse=True)
        assert {store.documents[each]["type"] for each in listed(events)} == {"SOP"}
        assert last(events)["path"][-1] == f"documents:{listing['total']}"
        approved = said(wire, session, "only the approved ones")
        assert set(listed(approved)) == {
            each for each in listed(events) if store.documents[each]["status"] == "approved"
        }


def test_a_question_about_a_text_is_answered_from_passages_that_show_their_fields(stage: Target, store: Store) -> None:
    events = asked(stage, "How is a deviation classified?")
    first = sources(events)[0]
    assert first["documentId"] == "sop-qa-003.md"
    assert first["fields"]["Status"] == store.documents["sop-qa-003.md"]["status"]
    assert first["fields"]["Owner"] == store.documents["sop-qa-003.md"]["owner"]
    assert 0 < first["relevance"] <= 1
    assert any(step.startswith("route:15/") for step in last(events)["path"])
    assert "2. Classification" in events.text
    assert "[1]" in events.text
    end = last(events)
    assert (end["plan"]["strategy"], end["plan"]["filters"]) == ("ContentOnly", [])
    assert "retrieve" in end["path"]
    assert "list" not in end["path"]
    assert not listings(events)


def test_a_document_is_read_as_a_whole_in_its_order(stage: Target, store: Store) -> None:
    events = asked(stage, "Please summarise the policy on holidays and leave")
    assert {source["documentId"] for source in sources(events)} == {"policy-hr-002.md"}
    assert {source["relevance"] for source in sources(events)} == {None}
    path = last(events)["path"]
    assert path[2] == "read:document"
    assert path[3] == f"passages:{len(sources(events))}/{len(sources(events))}"
    events = asked(stage, "Summarise SOP-QA-003")
    assert {source["documentId"] for source in sources(events)} == {"sop-qa-003.md"}


def test_a_comparison_reads_both_documents(stage: Target, store: Store) -> None:
    events = asked(stage, "What is the difference between Handling of Deviations and Change Control?")
    assert last(events)["path"][2] == "read:comparison"
    read = [source["documentId"] for source in sources(events)]
    titles = {store.documents[name]["title"] for name in read}
    assert titles == {"Handling of Deviations", "Change Control"}
    assert read == sorted(read, key=read.index)


def test_a_document_for_others_is_not_read_however_well_it_is_named(stage: Target, store: Store) -> None:
    events = asked(stage, f"Summarise {store.documents[CONFIDENTIAL]['title']}")
    assert CONFIDENTIAL not in {source["documentId"] for source in sources(events)}
    assert "read:document" not in last(events)["path"]


def test_what_the_documents_do_not_say_is_searched_for_again_and_then_admitted(stage: Target, store: Store) -> None:
    events = asked(stage, "How many moons does the planet Jupiter have?")
    path = last(events)["path"]
    assert "rewrite:1" in path
    assert path[-1] == "below_floor"
    assert events.text.startswith("I found no passage that answers your question well enough")
    assert "“How many moons does the planet Jupiter have?”, then for “" in events.text


def test_a_question_with_conditions_is_searched_within_the_documents_that_meet_them(
    stage: Target, store: Store
) -> None:
    events = asked(stage, "What do the approved SOPs of QA say about deviations?")
    wanted = store.ids(approved_sops_of_qa)
    assert {source["documentId"] for source in sources(events)} <= wanted
    assert sources(events)[0]["documentId"] == "sop-qa-003.md"
    end = last(events)
    assert (end["plan"]["strategy"], end["plan"]["query"]) == (
        "Hybrid",
        "What do the approved SOPs of QA say about deviations?",
    )
    assert end["plan"]["documents"] == len(wanted)
    assert f"filter_first:{len(wanted)}" in end["path"]


def test_an_unclear_question_is_asked_back_and_the_next_message_completes_it(stage: Target, store: Store) -> None:
    with conversation(stage) as (wire, session):
        unclear = said(wire, session, "When does the lease end?")
        completed = said(wire, session, "I mean the Kestrel Park warehouse.")
    assert last(unclear)["plan"]["strategy"] == "NeedsClarification"
    assert last(unclear)["path"] == ["script_query", "plan:rules", "clarify"]
    assert "Which one do you mean?" in unclear.text
    assert not sources(unclear)
    [found] = listings(completed)
    assert [each["documentId"] for each in found["documents"]] == ["contract-2019-002.md"]
    assert last(completed)["plan"]["strategy"] == "MetadataOnly"
    assert store.documents["contract-2019-002.md"]["expires"] in completed.text


# ---- whose, which page, which documents ---------------------------------------------------------------------------


@pytest.mark.parametrize(("user", "name"), [("alice", "Alice Harcourt"), ("bob", "Bob Tennyson")])
def test_my_documents_are_those_of_the_asker(stage: Target, store: Store, user: str, name: str) -> None:
    events = asked(stage, "list my documents", user)
    assert set(listed(events)) == store.ids(lambda fields: fields["owner"] == name)
    assert last(events)["plan"]["filters"] == [f"Owner: {name}"]


def test_pages_of_a_listing_follow_each_other(stage: Target, store: Store) -> None:
    wanted = store.ids(everything)
    with conversation(stage) as (wire, session):
        first, second = said(wire, session, "list the documents"), said(wire, session, "next page")
        wire.send(action="listMore", requestId=str(uuid.uuid4()), answer=first.by_seq[1]["requestId"], offset=20)
        read_on = wire.receive()
    assert [len(listed(each)) for each in (first, second)] == [20, len(wanted) - 20]
    assert {*listed(first), *listed(second)} == wanted
    [page], [rest] = listings(first), listings(second)
    assert (page["offset"], page["nextOffset"], page["total"]) == (0, 20, len(wanted))
    assert (rest["offset"], rest["nextOffset"], rest["total"]) == (20, None, len(wanted))
    assert (read_on["type"], read_on["documents"]) == ("listingPage", rest["documents"])


def test_a_list_is_made_again_without_one_of_its_conditions(stage: Target, store: Store) -> None:
    with conversation(stage) as (wire, session):
        first = said(wire, session, "List the approved SOPs of QA")
        plan = last(first)["plan"]
        place = plan["filters"].index("Status: approved")
        assert place in plan["removable"]
        asked_for = {"requestId": first.by_seq[1]["requestId"], "condition": place}
        ask(wire, "Those of every status", sessionId=session, knowledgeBase=BASE, without=asked_for)
        again = receive_all(wire, Events())
    assert sorted(last(again)["plan"]["filters"]) == ["Department: Quality Assurance", "Type: SOP"]
    assert set(listed(again)) == store.ids(
        lambda each: (each["type"], each["department"]) == ("SOP", "Quality Assurance")
    )


def test_the_scopes_filters_restrict_listings_and_searches(stage: Target, store: Store) -> None:
    since = {"field": "effective", "op": "gte", "value": "2024-06-01"}
    events = asked(stage, "List the SOPs", scope={"filters": [since]})
    wanted = store.ids(lambda fields: fields["type"] == "SOP" and fields.get("effective", "") >= "2024-06-01")
    assert set(listed(events)) == wanted
    assert "Effective: from 2024-06-01" in last(events)["plan"]["filters"]
    events = asked(
        stage, "How is a deviation classified?", scope={"filters": [since, {"field": "owner", "op": "exists"}]}
    )
    assert {store.documents[each["documentId"]]["effective"] >= "2024-06-01" for each in sources(events)} == {True}
    matching = store.ids(lambda fields: fields.get("effective", "") >= "2024-06-01")
    assert f"filter_first:{len(matching)}" in last(events)["path"]


@pytest.mark.parametrize(
    ("filter", "sentence"),
    [
        ({"field": "colour", "op": "eq", "value": "red"}, "has no field 'colour'; use one of type, status,"),
        ({"field": "readers", "op": "exists"}, "has no field 'readers'"),
        ({"field": "effective", "op": "gte", "value": "soon"}, "takes a date such as 2026-01-31"),
    ],
)
def test_a_filter_that_the_base_cannot_apply_is_refused_with_a_sentence(
    stage: Target, store: Store, filter: dict[str, object], sentence: str
) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        ask(wire, "List the SOPs", knowledgeBase=BASE, scope={"filters": [filter]})
        refused = wire.receive()
    assert (refused["type"], refused["code"], refused["retryable"]) == ("error", "invalid_filter", False)
    assert sentence in refused["error"]
    assert "seq" not in refused


# ---- the terminal -------------------------------------------------------------------------------------------------


def test_an_operator_lists_and_sees_documents_whoever_may_read_them(stage: Target, store: Store) -> None:
    options = ("--knowledge-base", BASE)
    code, found = cicada(
        stage, "documents", "list", *options, "--filter", "type=policy", "--sort=-effective", "--count-by", "status"
    )
    policies = {name: fields for name, fields in store.documents.items() if fields["type"] == "policy"}
    assert (code, found["total"]) == (0, len(policies))
    dated = sorted((fields["effective"] for fields in policies.values() if "effective" in fields), reverse=True)
    shown = [document["metadata"].get("effective") for document in found["documents"]]
    assert shown == [*dated, *[None] * (len(policies) - len(dated))]
    assert {each["value"]: each["count"] for each in found["counts"]} == Counter(
        fields["status"] for fields in policies.values()
    )
    code, document = cicada(stage, "documents", "show", CONFIDENTIAL, *options)
    assert (code, document["title"]) == (0, store.documents[CONFIDENTIAL]["title"])
    assert document["readers"] == [f"group:{GROUP}"]
    assert document["passages"] > 1
    assert document["copies"] == []


def test_the_terminals_filters_are_the_questions(stage: Target, store: Store) -> None:
    code, answer = cicada(
        stage, "ask", "List the SOPs", "--knowledge-base", BASE, "--filter", "status!=approved", "--user", "alice"
    )
    wanted = store.ids(lambda fields: fields["type"] == "SOP" and fields["status"] != "approved")
    assert (code, {each["documentId"] for each in answer["listing"]["documents"]}) == (0, wanted)
    assert answer["plan"]["documents"] == len(wanted)
