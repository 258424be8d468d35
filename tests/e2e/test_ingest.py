"""Documents of several kinds, from a folder to an answer, and a new index under it."""

from __future__ import annotations

import io
import json
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import jwt
import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada_embedded.passage_index import SqlitePassageIndex
from cli.__main__ import main
from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.store import last
from tests.e2e.wire import Events, Wire, ask, connected, receive_all
from tests.patience import PATIENCE_SECONDS


def cicada(stage: Target, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The command's exit code and what it printed."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as environment, redirect_stdout(printed):
        environment.setenv("CICADA_STAGE_FILE", str(stage.config.info_file))
        environment.setenv("XDG_STATE_HOME", str(stage.config.folder / "terminal"))
        environment.setattr("sys.stdin", io.StringIO())
        code = main([*arguments, "--json"])
    return code, json.loads(printed.getvalue())


def outcomes(printed: dict[str, Any]) -> dict[str, str]:
    return {Path(file["path"]).name: file["outcome"] for file in printed["files"]}


def answered(wire: Wire, question: str, knowledge_base: str) -> Events:
    ask(wire, question, knowledgeBase=knowledge_base)
    return receive_all(wire, Events())


def test_a_folder_becomes_answers_and_a_rebuilt_index_gives_the_same(stage: Target, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Returns\n\nA gadget can be returned within thirty days of its purchase.\n")
    (tmp_path / "note.txt").write_text("The xylophone hangs behind the arras.\n")
    (tmp_path / "hours.html").write_text("<h1>Opening hours</h1><p>The shop is open from nine to five.</p>")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    base = ("--knowledge-base", "shop")

    code, printed = cicada(stage, "ingest", str(tmp_path), *base)
    assert code == 1
    assert outcomes(printed) == {
        "broken.pdf": "rejected",
        "guide.md": "indexed",
        "hours.html": "indexed",
        "note.txt": "indexed",
    }
    (tmp_path / "broken.pdf").unlink()
    (tmp_path / "note.txt").write_text("The xylophone hangs in the kitchen.\n")
    code, printed = cicada(stage, "ingest", str(tmp_path), *base)
    assert (code, outcomes(printed)) == (
        0,
        {"guide.md": "unchanged", "hours.html": "unchanged", "note.txt": "indexed"},
    )
    with connected(stage.url, stage.token("alice")) as wire:
        before = answered(wire, "Where does the xylophone hang?", "shop")
        assert cicada(stage, "rebuild")[0] == 0
        after = answered(wire, "Where does the xylophone hang?", "shop")
    assert "in the kitchen" in before.text
    assert after.text == before.text


def test_an_index_that_lost_a_base_is_an_error_until_it_is_rebuilt(
    stage: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xylophone.txt").write_text("The glockenspiel hangs in the attic.\n")
    assert cicada(stage, "ingest", str(tmp_path), "--knowledge-base", "music")[0] == 0
    key = DocumentKey(KnowledgeBaseKey("default", "music"), "xylophone.txt")
    SqlitePassageIndex(str(stage.config.index_path), "cicada.minilm-l6-v2", 384).delete(key)
    with connected(stage.url, stage.token("alice")) as wire:
        # Nothing is found while the document is so new that its ingest may be under way.
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while (end := last(answered(wire, "Where does the glockenspiel hang?", "music")))["code"] != "index_incomplete":
            assert end["code"] == "unknown_knowledge_base"
            assert time.monotonic() < give_up_at
            time.sleep(1)
        assert "rebuild" in end["error"]
        code, found = cicada(stage, "status")
        assert code == 1
        assert any("1 documents in music" in each["text"] for each in found["findings"] if each["state"] == "problem")
        assert cicada(stage, "rebuild")[0] == 0
        assert "in the attic" in answered(wire, "Where does the glockenspiel hang?", "music").text
    monkeypatch.setenv("CICADA_STAGE_FILE", str(stage.config.info_file))
    assert main(["redrive"]) == 0


def test_a_question_to_a_base_of_documents_is_searched_whatever_it_is_about(stage: Target, tmp_path: Path) -> None:
    (tmp_path / "errors.txt").write_text("Error E-4102 means that the water tank is empty.\n")
    assert cicada(stage, "ingest", str(tmp_path), "--knowledge-base", "kettles")[0] == 0
    with connected(stage.url, stage.token("alice")) as wire:
        found = answered(wire, "What does error E-4102 mean?", "kettles")
        assert "water tank is empty" in found.text
        assert "sources" in found.types
        assert "sources" not in answered(wire, "Hello there!", "kettles").types


def test_a_document_for_a_group_is_found_by_its_members_alone(stage: Target, tmp_path: Path) -> None:
    pool = stage.info["outputs"]["UserPoolId"]
    directory = aws_client(stage.config, "cognito-idp")
    directory.create_group(UserPoolId=pool, GroupName="legal")
    directory.admin_add_user_to_group(UserPoolId=pool, GroupName="legal", Username="bob")
    (tmp_path / "case.md").write_text("# The case\n\nThe witness of the case is called Melchior.\n")
    (tmp_path / "case.md.metadata.json").write_text(
        json.dumps({"accessControlList": [{"name": "legal", "type": "GROUP", "access": "ALLOW"}]})
    )
    assert cicada(stage, "ingest", str(tmp_path), "--knowledge-base", "cases")[0] == 0
    question = "What is the witness of the case called?"
    with connected(stage.url, stage.token("bob")) as wire:
        assert "Melchior" in answered(wire, question, "cases").text
    with connected(stage.url, stage.token("alice")) as wire:
        assert "Melchior" not in answered(wire, question, "cases").text


def test_a_document_with_viewers_is_found_by_them_alone(stage: Target, tmp_path: Path) -> None:
    bob = jwt.decode(stage.token("bob"), options={"verify_signature": False})["sub"]
    (tmp_path / "secret.md").write_text("# The vault\n\nThe combination of the vault is seven, three, nine.\n")
    (tmp_path / "secret.md.metadata.json").write_text(
        json.dumps({"accessControlList": [{"name": bob, "type": "USER", "access": "ALLOW"}]})
    )
    assert cicada(stage, "ingest", str(tmp_path), "--knowledge-base", "vault")[0] == 0
    question = "What is the combination of the vault?"
    with connected(stage.url, stage.token("bob")) as wire:
        assert "seven, three, nine" in answered(wire, question, "vault").text
    with connected(stage.url, stage.token("alice")) as wire:
        refused = answered(wire, question, "vault")
    assert "seven" not in refused.text
    assert "sources" not in refused.types
