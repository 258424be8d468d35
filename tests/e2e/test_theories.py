"""The verdict on a theory: what it rests on is cited and kept, and what became of it since is said."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cicada.adapters.s3.keys import object_key
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.knowledge_bases.kept import CompletedBases
from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.store import last, sources
from tests.e2e.test_audit import eventually
from tests.e2e.test_ingest import cicada, outcomes
from tests.e2e.wire import Events, ask, connected, receive_all

BASE = "harbour"
LEDGER = "# Ledger\n\n## Boats\n\nMira sold the red boat to the ferryman.\n"
PLAY = "# The Lighthouse\n\n## Act two\n\nMira never sold the red boat. The ferryman drowned in the storm.\n"


@pytest.fixture(scope="module")
def folder(stage: Target, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of two documents that contradict each other, with theories."""
    folder = tmp_path_factory.mktemp("harbour")
    settings = folder / "harbour.toml"
    settings.write_text('agents = ["theories"]\ncontent = "scripts"\n')
    assert cicada(stage, "bases", "set", BASE, str(settings))[0] == 0
    ingest(stage, folder / "ledger.md", LEDGER)
    ingest(stage, folder / "play.md", PLAY)
    time.sleep(CompletedBases.SECONDS)
    return folder


def ingest(stage: Target, file: Path, text: str) -> None:
    file.write_text(text)
    code, printed = cicada(stage, "ingest", str(file), "--knowledge-base", BASE)
    assert (code, set(outcomes(printed).values())) == (0, {"indexed"})


def asked(stage: Target, message: str) -> Events:
    with connected(stage.url, stage.token("alice")) as wire:
        ask(wire, message, knowledgeBase=BASE)
        return receive_all(wire, Events())


def verdict(events: Events) -> str:
    return str(last(events)["path"][-1])


def test_evidence_is_cited_for_and_against_and_a_theory_that_both_share_stays_open(stage: Target, folder: Path) -> None:
    assert "Saved" in asked(stage, "Create a theory called Boat: Mira sold the red boat").text
    events = asked(stage, "Is there evidence for my theory Boat?")
    supporting, _, contradicting = events.text.partition("Against:")
    cited = {source["documentId"]: source["n"] for source in sources(events) if source.get("spans")}
    assert f'For:\n"Mira sold the red boat to the ferryman." — Ledger, Boats [{cited["ledger.md"]}]' in supporting
    assert f'"Mira never sold the red boat." — The Lighthouse, Act two [{cited["play.md"]}]' in contradicting
    assert verdict(events) == "verdict:open"
    assert last(events)["path"].count("retrieve") == 2
    assert last(events)["confidence"] > 0.4
    assert (last(events)["checked"], last(events).get("unsupported")) == (2, None)


def test_a_document_that_changes_or_goes_is_said_and_another_look_judges_anew(stage: Target, folder: Path) -> None:
    asked(stage, "Create a theory called Storm: the ferryman drowned in the storm")
    assert verdict(asked(stage, "Is there evidence for my theory Storm?")) == "verdict:supported"
    kept = asked(stage, "Show my theory Storm")
    assert "supported." in kept.text
    assert [source["documentId"] for source in sources(kept)] == ["play.md"]

    ingest(stage, folder / "play.md", PLAY.replace("drowned", "never drowned"))
    assert "“The Lighthouse” changed since then." in asked(stage, "Show my theory Storm").text
    again = asked(stage, "Look at the evidence for my theory Storm again")
    assert "was judged contradicted, and the verdict is kept with it." in again.text
    assert "changed since" not in asked(stage, "Show my theory Storm").text

    play = DocumentKey(KnowledgeBaseKey("default", BASE), "play.md")
    bucket = stage.info["outputs"]["DocumentsBucket"]
    aws_client(stage.config, "s3").delete_object(Bucket=bucket, Key=object_key(play))
    shown = eventually(lambda: _without_a_document(asked(stage, "Show my theory Storm").text))
    assert "Lighthouse" not in shown


def _without_a_document(text: str) -> str:
    return text if "A document that was read for it was removed, or you may not read it any more." in text else ""
