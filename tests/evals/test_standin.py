"""The encoder of a measurement leaves no log behind, unless it failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cicada.errors import UnavailableError
from evals.retrieval import standin
from evals.retrieval.standin import Standin
from local.stage.processes import Running
from local.stage.settings import StageError


class FakeRunning(Running):
    def stop(self) -> int:
        return 0


@pytest.fixture(autouse=True)
def _started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that only writes its log."""

    def start(name: str, command: list[str], environment: dict[str, str], log: Path) -> Running:
        log.write_text("started", "utf-8")
        return FakeRunning(name, None, log)  # type: ignore[arg-type]

    monkeypatch.setattr(standin, "start", start)
    monkeypatch.setattr(standin, "wait_until", lambda ready, running: None)


def test_a_log_is_gone_when_the_encoder_has_stopped(tmp_path: Path) -> None:
    encoder = Standin(print, tmp_path)
    encoder.embedder()
    assert len([*tmp_path.iterdir()]) == 1
    encoder.stop()
    assert [*tmp_path.iterdir()] == []


def test_the_log_of_an_encoder_that_does_not_start_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(ready: object, running: Running) -> None:
        raise StageError(f"Its log, {running.log}, ends with: started")

    monkeypatch.setattr(standin, "wait_until", fail)
    encoder = Standin(print, tmp_path)
    with pytest.raises(UnavailableError) as refused:
        encoder.embedder()
    encoder.stop()
    [log] = tmp_path.iterdir()
    assert str(log) in str(refused.value)
