"""A folder of documents with fields that nobody has declared, asked without a deployment."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from cicada.knowledge_bases.kept import CompletedBases
from tests.chaos.target import Target
from tests.e2e.store import last, listed, listings
from tests.e2e.test_ingest import cicada, outcomes
from tests.e2e.wire import Events, ask, connected, receive_all

BASE = "logbooks"
DOCUMENTS = {
    # the skipper, the day, miles, whether the engine ran, the standing
    "a.md": ("Petra Lindqvist", "2024-03-04", "120", "yes", "closed"),
    "b.md": ("Omar Haddad", "2024-07-19", "48.5", "no", "closed"),
    "c.md": ("Petra Lindqvist", "2025-01-30", "310", "no", "open"),
}
BY_SIDECAR = ("Omar Haddad", "2025-05-02", "21.5", "yes", "open")
NAMES = ("author", "date", "miles", "engine", "standing")


@pytest.fixture(scope="module")
def base(stage: Target, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Front matter of its own, and one document with a sidecar instead."""
    folder = tmp_path_factory.mktemp("logbooks")
    for name, values in DOCUMENTS.items():
        front = "\n".join(f"{field}: {value}" for field, value in zip(NAMES, values, strict=True))
        (folder / name).write_text(f"---\ntitle: Log {name[0]}\n{front}\n---\nWind from the west, and calm at night.\n")
    (folder / "d.txt").write_text("The mast was repaired in the harbour.\n")
    attributes = {"metadataAttributes": dict(zip(NAMES, BY_SIDECAR, strict=True))}
    (folder / "d.txt.metadata.json").write_text(json.dumps(attributes))
    code, printed = cicada(stage, "ingest", str(folder), "--knowledge-base", BASE)
    assert (code, set(outcomes(printed).values())) == (0, {"indexed"})
    return BASE


def asked(stage: Target, message: str, **fields: object) -> Events:
    with connected(stage.url, stage.token("bob")) as wire:
        ask(wire, message, knowledgeBase=BASE, **fields)
        return receive_all(wire, Events())


@pytest.mark.parametrize(
    ("message", "documents"),
    [
        ("How many documents are there?", {"a.md", "b.md", "c.md", "d.txt"}),
        ("List all documents by Petra Lindqvist", {"a.md", "c.md"}),
        ("Which logbooks are from 2024?", {"a.md", "b.md"}),
        ("Which documents have more than 100 miles?", {"a.md", "c.md"}),
        ("List the open logbooks by Omar Haddad", {"d.txt"}),
    ],
)
def test_documents_are_counted_listed_and_filtered(stage: Target, base: str, message: str, documents: set[str]) -> None:
    events = asked(stage, message)
    assert (set(listed(events)), listings(events)[0]["total"]) == (documents, len(documents))
    assert last(events)["plan"]["knowledgeBase"] == base


@pytest.mark.usefixtures("base")
def test_numbers_are_added_and_grouped(stage: Target) -> None:
    events = asked(stage, "What is the total of miles by author?")
    [listing] = listings(events)
    assert {each["values"][0]: each["figures"][0]["number"] for each in listing["groups"]} == {
        "Petra Lindqvist": 430.0,
        "Omar Haddad": 70.0,
    }


@pytest.mark.usefixtures("base")
def test_a_question_for_the_texts_is_answered_from_them(stage: Target) -> None:
    assert "repaired in the harbour" in asked(stage, "What was done to the mast?").text


def test_an_operator_sees_the_fields_and_filters_by_them(stage: Target, base: str) -> None:
    _, printed = cicada(stage, "bases", "schema", base)
    assert {each["name"]: each["type"] for each in printed["fields"]} == dict(
        zip(NAMES, ("person", "date", "number", "boolean", "keyword"), strict=True)
    )
    _, found = cicada(stage, "documents", "list", "--knowledge-base", base, "--filter", "miles<100", "--sort", "-miles")
    assert [each["documentId"] for each in found["documents"]] == ["b.md", "d.txt"]


def test_a_synonym_that_is_set_is_understood_without_a_deployment(stage: Target, base: str, tmp_path: Path) -> None:
    message = "How many logbooks are underway?"
    assert not last(asked(stage, message))["plan"]["filters"]
    file = tmp_path / "logbooks.toml"
    file.write_text('[fields.standing]\nsynonyms.open = ["underway"]\n')
    code, printed = cicada(stage, "bases", "set", base, str(file))
    assert (code, printed["set"]) == (0, True)
    time.sleep(CompletedBases.SECONDS)
    events = asked(stage, message)
    assert last(events)["plan"]["filters"] == ["standing: open"]
    assert listings(events)[0]["total"] == 2


@pytest.mark.usefixtures("base")
def test_a_filter_of_no_field_is_refused_with_those_that_there_are(stage: Target) -> None:
    with connected(stage.url, stage.token("bob")) as wire:
        ask(wire, "What?", knowledgeBase=BASE, scope={"filters": [{"field": "mile", "op": "gt", "value": 3}]})
        refusal = wire.receive()
    assert (refusal["type"], refusal["code"]) == ("error", "invalid_filter")
    assert "has no field 'mile'; use one of" in refusal["error"]
