"""`cicada intents add`: what is refused, and what is added."""

from __future__ import annotations

from pathlib import Path

import pytest

from cicada.answering import asked_writes
from cicada.understanding.intent import model as intent_model
from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import Intent
from cli.__main__ import main
from tests.cli.conftest import Shell
from tools.intents import examples


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Forty of the examples, ten with changes, and the packaged models, in files of their own. No store is learnt."""
    few, model, writes = tmp_path / "examples.jsonl", tmp_path / "model.bin", tmp_path / "writes.bin"
    few.write_text("\n".join(examples.EXAMPLES.read_text("utf-8").splitlines()[:40]) + "\n", "utf-8")
    model.write_bytes(intent_model.PACKAGED.read_bytes())
    writes.write_bytes(asked_writes.PACKAGED.read_bytes())
    changes = tmp_path / "changes.jsonl"
    changes.write_text("\n".join(examples.CHANGES.read_text("utf-8").splitlines()[:10]) + "\n", "utf-8")
    monkeypatch.setattr(examples, "EXAMPLES", few)
    monkeypatch.setattr(examples, "CHANGES", changes)
    monkeypatch.setattr(examples, "STORES", tmp_path)
    monkeypatch.setattr(intent_model, "PACKAGED", model)
    monkeypatch.setattr(asked_writes, "PACKAGED", writes)
    return few, model


def test_a_message_becomes_an_example_and_the_model_knows_it(copies: tuple[Path, Path]) -> None:
    few, model = copies
    before = load_model(model)

    assert main(["intents", "add", "kadabra alakazam", "theory_request", "--author", "me", "--save"]) == 0

    added = examples.load_examples(few)[-1]
    assert (added.text, added.intent, added.author) == ("kadabra alakazam", Intent.THEORY_REQUEST, "me")
    after = load_model(model)
    assert after.digest != before.digest
    assert (after.temperature, after.threshold) == (before.temperature, before.threshold)


def test_what_a_message_asks_to_be_changed_is_learnt_too(copies: tuple[Path, Path]) -> None:
    few, model = copies
    before = asked_writes.load_writes_model(model.with_name("writes.bin"))

    message = ["intents", "add", "kadabra alakazam", "profile_request", "--changes", "delete", "restore", "--save"]
    assert main(message) == 0

    assert examples.load_examples(few)[-1].changes == ("delete", "restore")
    after = asked_writes.load_writes_model(model.with_name("writes.bin"))
    assert after.digest != before.digest
    assert after.thresholds == before.thresholds
    grown = zip(after.linear.scores("alakazam"), before.linear.scores("alakazam"), strict=True)
    assert [now > then for now, then in grown][2:] == [True, True]


def test_without_save_nothing_is_written(copies: tuple[Path, Path], shell: Shell) -> None:
    files = [*copies, copies[1].with_name("writes.bin")]
    before = [file.read_bytes() for file in files]
    assert shell("intents", "add", "kadabra alakazam", "theory_request") == 0
    assert [file.read_bytes() for file in files] == before
    said = shell.read()
    assert "Training on 41 examples" in said.err
    assert "with the example as theory_request (" in said.out
    assert "of the 40 examples are understood otherwise.\nNothing is changed: --save" in said.out


def test_a_message_that_is_an_example_already_is_refused(copies: tuple[Path, Path], shell: Shell) -> None:
    there = examples.load_examples(copies[0])[0]

    assert shell("intents", "add", there.text, "general") == 1
    assert "have this text already" in shell.err()


def test_an_empty_message_is_refused(copies: tuple[Path, Path]) -> None:
    before = copies[0].read_bytes()

    assert main(["intents", "add", " ", "general"]) == 2
    assert copies[0].read_bytes() == before
