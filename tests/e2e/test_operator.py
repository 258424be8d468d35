"""The commands for operators on the deployed stage, by its file and as a stack like those on AWS."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.knowledge_bases.calibrations import SHIPPED, read_calibrations
from cli.__main__ import main
from local.stage.aws import aws_client
from local.stage.settings import ROOT
from tests.chaos.target import Target

PASSWORD = "Own-password-of-carol-1"
STACK = "Cicada-local"
SAMPLES = ROOT / "samples" / "calibration.jsonl"
Run = Callable[..., Any]


@pytest.fixture
def run(
    stage: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    """Runs a command with --json, and returns its exit code and what it printed."""
    monkeypatch.setenv("CICADA_STAGE_FILE", str(stage.config.info_file))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))

    def called(*arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main([*arguments, "--json"])
        said = capsys.readouterr()
        return code, json.loads(said.out or "null")

    return called


def as_on_aws(stage: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach the emulator as the AWS command line reaches AWS: by name of the stack, with what the environment says."""
    monkeypatch.delenv("CICADA_STAGE_FILE")
    monkeypatch.setenv("CICADA_STACK", STACK)
    monkeypatch.setenv("AWS_ENDPOINT_URL", stage.config.aws_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")


def test_a_new_user_asks_by_the_stacks_name_and_no_longer_when_disabled(
    stage: Target, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_on_aws(stage, monkeypatch)
    code, made = run("user", "add", "carol", "--group", "hr", "--create-group", "--password-stdin")
    assert (code, made["groups"], made["state"]) == (0, ["hr"], "active")
    monkeypatch.setenv("CICADA_PASSWORD", PASSWORD)
    question = "Who tells Macbeth that the queen is dead?"
    code, answer = run("ask", "--user", "carol", question)
    assert (code, answer["status"]) == (0, "complete")
    assert "Seyton" in answer["text"]
    monkeypatch.delenv("CICADA_PASSWORD")
    # The refresh token of the first sign-in.
    assert run("ask", question)[0] == 0
    run("ask", "Create a profile of Banquo: a general")
    code, erased = run("sessions", "delete-all", "--yes")
    assert (code, erased["questions"], erased["entries"], erased["left"]) == (0, 3, 1, False)
    assert run("sessions", "list")[1]["sessions"] == []
    assert run("user", "disable", "carol")[1]["state"] == "disabled"
    assert main(["token", "carol"]) == 2


def test_the_status_finds_every_part_of_the_stage(run: Run) -> None:
    _, found = run("status")
    by_subject = {each["subject"]: each for each in found["findings"]}
    assert not [each for each in found["findings"] if each["state"] == "unknown"]
    assert by_subject["stack"]["state"] == by_subject["index"]["state"] == "ok"
    models = [each["text"] for each in found["findings"] if each["subject"] == "models"]
    assert "cicada.minilm-l6-v2 embeds in 384 dimensions." in models
    assert "amazon.nova-lite-v1:0 answers." in models
    assert {"requests queue", "requests given up", "documents queue", "documents given up"} <= by_subject.keys()


def test_a_stage_is_calibrated_by_what_its_own_search_finds(stage: Target, run: Run, tmp_path: Path) -> None:
    outputs = stage.info["outputs"]
    record = DynamoBaseTable(aws_client(stage.config, "dynamodb"), outputs["ReadersTable"])
    plays = [line for line in SAMPLES.read_text("utf-8").splitlines() if '"scripts"' in line]
    (tmp_path / "plays.jsonl").write_text("\n".join(plays), "utf-8")
    try:
        code, made = run("calibrate", str(tmp_path / "plays.jsonl"))
        [found] = made["calibrations"]
        assert (code, found["embedder"], found["reranker"]) == (0, SHIPPED.embedder, "local")
        assert found["auroc"] > 0.6
        [kept] = read_calibrations(record.read_calibrations())
        assert set(kept.standards) >= {"relevance", "margin", "lexical", "coverage"}
        _, status = run("status")
        said = [each["text"] for each in status["findings"] if each["subject"] == "calibration"]
        assert said == [
            f"calibrated for {SHIPPED.embedder} and the reranker local, on {kept.made}, by {kept.questions} questions."
        ]
        code, answer = run("ask", "--user", "alice", "Who tells Macbeth that the queen is dead?")
        assert (code, answer["status"]) == (0, "complete")
        assert 0.5 < answer["confidence"] <= 1
    finally:
        record.write_calibrations("")


def test_the_doctor_names_what_the_emulator_does_not_have(
    stage: Target, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_on_aws(stage, monkeypatch)
    _, found = run("doctor")
    states = {each["subject"]: each["state"] for each in found["findings"]}
    assert (states["login"], states["bootstrap"]) == ("ok", "ok")
    assert (states["search"], states["model quotas"]) == ("unknown", "unknown")


def test_a_base_is_pruned_to_what_the_folder_holds(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    for name in ("kept.md", "gone.md", "bad.pdf"):
        (folder / name).write_text(f"# {name}\n\nThe text of {name}.")
    base = ["--knowledge-base", "pruned"]
    assert run("ingest", str(folder), *base)[0] == 1
    code, found = run("documents", "list", "--state", "all", *base)
    assert code == 0
    assert {each["documentId"]: each["state"] for each in found["documents"]} == {
        "bad.pdf": "rejected",
        "gone.md": "searchable",
        "kept.md": "searchable",
    }
    for name in ("gone.md", "bad.pdf"):
        (folder / name).unlink()
    code, plan = run("ingest", str(folder), "--prune", "--dry-run", *base)
    assert (code, plan["remove"]) == (0, ["bad.pdf", "gone.md"])
    code, done = run("ingest", str(folder), "--prune", "--yes", *base)
    assert (code, len(done["removed"])) == (0, 2)
    code, shown = run("documents", "show", "kept.md", *base)
    assert (code, shown["state"], shown["lastReport"]["outcome"]) == (0, "searchable", "unchanged")
    assert main(["documents", "show", "gone.md", *base]) == 1
