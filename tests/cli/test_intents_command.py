"""`cicada intents add`: what is refused, and what is added."""

from __future__ import annotations

from pathlib import Path

import pytest

from cicada.planning.intent import linear
from cicada.planning.intent.linear import load_model
from cicada.planning.model import Intent
from cli.__main__ import main
from intents import examples


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Forty of the examples and the packaged model, in files of their own."""
    few, model = tmp_path / "examples.jsonl", tmp_path / "model.bin"
    few.write_text("\n".join(examples.EXAMPLES.read_text("utf-8").splitlines()[:40]) + "\n", "utf-8")
    model.write_bytes(linear.PACKAGED.read_bytes())
    monkeypatch.setattr(examples, "EXAMPLES", few)
    monkeypatch.setattr(linear, "PACKAGED", model)
    return few, model


def test_a_message_becomes_an_example_and_the_model_knows_it(copies: tuple[Path, Path]) -> None:
    few, model = copies
    before = load_model(model)

    assert main(["intents", "add", "kadabra alakazam", "theory_request", "--author", "me"]) == 0

    added = examples.load_examples(few)[-1]
    assert (added.text, added.intent, added.author) == ("kadabra alakazam", Intent.THEORY_REQUEST, "me")
    after = load_model(model)
    assert after.digest != before.digest
    assert (after.temperature, after.threshold) == (before.temperature, before.threshold)


def test_a_message_that_is_an_example_already_is_refused(
    copies: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    there = examples.load_examples(copies[0])[0]

    assert main(["intents", "add", there.text, "general"]) == 1
    assert "have this text already" in capsys.readouterr().err


def test_an_empty_message_is_refused(copies: tuple[Path, Path]) -> None:
    before = copies[0].read_bytes()

    assert main(["intents", "add", " ", "general"]) == 2
    assert copies[0].read_bytes() == before
