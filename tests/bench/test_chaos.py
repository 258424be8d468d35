"""What a chaos run reports as a broken promise, and what it accepts."""

from __future__ import annotations

import io
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from local.stage.settings import StageError
from tests.chaos.asker import Asked, Waits
from tests.chaos.earlier_release import code_of
from tests.chaos.ledger import Frame, Ledger
from tests.chaos.plan import QUESTIONS, Plan
from tests.chaos.report import judge, render, report
from tests.chaos.target import Suffered

REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
EXACT = Asked(
    plan=Plan("alice", QUESTIONS[0]),
    request_id=REQUEST,
    status="complete",
    text="She is dead.",
    code=None,
    problems=(),
    suffered=Suffered(),
    cuts=1,
    duplicates=0,
    kills=2,
    resets=1,
    seconds=3,
    recovery_seconds=17.0,
    waits=Waits(0),
)


def event(seq: int, kind: str, **fields: object) -> Frame:
    return {"requestId": REQUEST, "seq": seq, "type": kind, **fields}


def whole_answer() -> list[Frame]:
    return [
        event(1, "accepted", sessionId="s"),
        event(2, "chunk", content="She is alive."),
        event(3, "reset", reason="Again."),
        event(4, "chunk", content="She is dead."),
        event(5, "complete", usage={}, timings={}, path=[], confidence=None),
    ]


def ledger_of(frames: list[Frame]) -> Ledger:
    ledger = Ledger(REQUEST)
    for frame in frames:
        ledger.note(frame)
    return ledger


def failed(code: str, suffered: Suffered) -> Asked:
    return replace(EXACT, status="failed", code=code, suffered=suffered)


def test_a_whole_answer_is_no_problem_however_often_its_events_come() -> None:
    ledger = ledger_of([*reversed(whole_answer()), *whole_answer(), {"requestId": REQUEST, "type": "error"}])
    assert ledger.problems() == []
    assert ledger.text == "She is dead."
    assert (len(ledger), ledger.chunks, ledger.resets) == (5, 2, 1)


def test_a_missing_event_is_a_problem() -> None:
    frames = whole_answer()
    del frames[2]
    assert ledger_of(frames).problems() == ["Events [3] never came."]


def test_a_second_content_of_an_event_is_a_problem() -> None:
    frames = [*whole_answer(), event(4, "chunk", content="She is well.")]
    assert ledger_of(frames).problems() == ["Event 4 came with two contents."]


def test_a_second_end_is_a_problem() -> None:
    frames = [*whole_answer(), event(6, "error", error="It failed.", code="internal", retryable=True)]
    assert ledger_of(frames).problems() == ["The final events are [5, 6] of 6."]


def test_no_end_is_a_problem() -> None:
    assert ledger_of(whole_answer()[:4]).problems() == ["The final events are [] of 4."]


def test_the_undisturbed_text_is_right_and_every_other_is_wrong() -> None:
    assert judge(EXACT, "She is dead.") == []
    assert judge(replace(EXACT, text="She is dead.She is dead."), "She is dead.") != []


def test_an_answer_that_never_ends_is_wrong() -> None:
    assert judge(replace(EXACT, status="processing"), "She is dead.") == ["The answer is processing."]


@pytest.mark.parametrize(
    ("code", "enough", "too_little"),
    [
        ("stream_broken", Suffered(late_faults=2), Suffered(kills=9, early_faults=9, late_faults=1)),
        ("dependency_throttled", Suffered(early_faults=3), Suffered(kills=9, early_faults=2, late_faults=9)),
        ("dependency_unavailable", Suffered(early_faults=3), Suffered(kills=9, early_faults=2, late_faults=9)),
        ("dependency_unavailable", Suffered(early_faults=2, silences=2), Suffered(early_faults=2, silences=1)),
        ("internal", Suffered(kills=3), Suffered(kills=2, early_faults=9, late_faults=9, throttled=2)),
        ("internal", Suffered(kills=1, throttled=6), Suffered(kills=1, throttled=5)),
    ],
)
def test_a_failure_is_right_only_after_as_many_blows_as_it_takes(
    code: str, enough: Suffered, too_little: Suffered
) -> None:
    assert judge(failed(code, enough), "She is dead.") == []
    assert judge(failed(code, too_little), "She is dead.") != []


def test_a_failure_that_no_blow_explains_is_wrong() -> None:
    blows = Suffered(kills=9, early_faults=9, late_faults=9)
    assert judge(failed("misconfigured", blows), "She is dead.") != []


def test_a_failure_with_a_broken_log_is_wrong_all_the_same() -> None:
    broken = replace(failed("stream_broken", Suffered(late_faults=2)), problems=("Events [3] never came.",))
    assert judge(broken, "She is dead.") == ["Events [3] never came."]


def test_the_report_counts_exact_due_and_wrong_answers_apart() -> None:
    answers = [EXACT, failed("stream_broken", Suffered(late_faults=2)), replace(EXACT, text="")]
    found = report(answers, {QUESTIONS[0]: "She is dead."}, {"drop": 2}, 4, seed=5, seconds=60)
    assert (found.runs, found.exact, found.exhausted, len(found.wrong)) == (3, 1, ("stream_broken",), 1)
    assert (found.cuts, found.kills, found.resets) == (3, 6, 3)
    assert not found.passed
    assert EXACT.request_id in render(found)
    assert report([EXACT], {QUESTIONS[0]: "She is dead."}, {}, 0, seed=5, seconds=60).passed


def test_the_slowest_answers_are_those_that_no_dead_processor_accounts_for() -> None:
    waited = [replace(EXACT, request_id=f"{each} s", waits=Waits(0, each)) for each in (3, 50, 7)]
    killed = replace(EXACT, waits=Waits(0, 90), suffered=Suffered(deaths=1))
    found = report([*waited, killed], {QUESTIONS[0]: "She is dead."}, {}, 0, seed=1, seconds=100)
    assert [each.request_id for each in found.waits] == ["50 s", "7 s", "3 s"]
    assert "50.0 s, 7.0 s, 3.0 s" in render(found)


def test_waits_for_another_processor_are_told_from_those_for_a_model() -> None:
    waits = Waits(news_at=100)
    interrupted = event(3, "reset", reason="The answer was interrupted and is being generated again.")
    broken = event(5, "reset", reason="The model's stream broke off; the answer is being generated again.")
    for each, now in ((event(2, "chunk"), 102), (interrupted, 140), (event(4, "chunk"), 141), (broken, 161)):
        waits.note(each, now)
    assert (waits.seconds, waits.replacement_seconds) == (20, 38)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One whose first commit has a processor that says 1, and whose second says 2."""
    for number in ("1", "2"):
        for file in ("functions/message_processor/handler.py", "layers/shared/python/cicada/words/said.txt"):
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(number)
        if number == "1":
            git(tmp_path, "init", "--quiet")
        git(tmp_path, "add", ".")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", number)
    return tmp_path


def git(repository: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(repository), *arguments], check=True)


def test_an_earlier_processor_is_the_handler_and_the_library_of_its_commit(repository: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(code_of("HEAD~1", repository))) as package:
        assert {name: package.read(name) for name in package.namelist()} == {
            "handler.py": b"1",
            "cicada/words/said.txt": b"1",
        }


def test_a_commit_that_is_not_there_is_refused_in_a_sentence(repository: Path) -> None:
    with pytest.raises(StageError, match="There is no processor of v9 in this repository: fatal: "):
        code_of("v9", repository)
