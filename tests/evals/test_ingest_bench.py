from __future__ import annotations

import json

import pytest

from evals import ingest_bench
from evals.ingest_bench import Rates, Scripted, measured, sample_texts


def test_the_slower_way_through_the_batcher_decides() -> None:
    assert Rates("e", 10, own=100.0, batched=95.0, parallel=80.0).share == pytest.approx(0.8)


def test_every_way_embeds_every_text() -> None:
    rates = measured(Scripted(call_seconds=0.0), ["a", "bb", "ccc"] * 50, rounds=1)
    assert (rates.embedder, rates.texts) == ("scripted", 150)
    assert min(rates.own, rates.batched, rates.parallel) > 0


def test_the_texts_are_those_that_ingest_embeds() -> None:
    texts = sample_texts(3)
    assert len(texts) == 3
    assert all(text.startswith("Play · ") and "\n" in text for text in texts)


def test_the_report_has_both_embedders(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ingest_bench, "InProcess", lambda: Scripted(0.0))
    monkeypatch.setattr(ingest_bench, "TARGET", 0.0)
    assert ingest_bench.main(["--texts", "8", "--rounds", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["scripted"]) == {"texts", "own", "batched", "together", "share"}
    monkeypatch.setattr(ingest_bench, "TARGET", 1e9)
    assert ingest_bench.main(["--texts", "8", "--rounds", "1"]) == 1
    assert "share" in capsys.readouterr().out
