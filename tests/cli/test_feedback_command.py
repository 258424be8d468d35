"""`cicada feedback`: what users think of answers, for people and as questions for the evaluation."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    NewRequest,
    Question,
    RequestKey,
    Status,
    StoredEvent,
)
from cicada.conversation.protocol import Accepted, Chunk, Source, SourceLocator, SourcesFound, event_body
from cicada.identity import Principal
from cli import deployment_target
from cli.__main__ import main
from cli.deployment_target import DeploymentTarget
from evals.answers_files import load_conversations
from tests.cli.conftest import Shell
from tests.contract.requests_table import TABLE, requests_table

ANN, BOB = Principal("acme", "ann"), Principal("acme", "bob")
NOW = time.time()


def source(n: int, document: str) -> Source:
    return Source(n=n, document_id=document, title="", locator=SourceLocator(), excerpt="", relevance=None)


SOURCES = SourcesFound(sources=(source(1, "lease.md"), source(2, "annex.md")))


def answered(
    log: DynamoRequestLog, number: int, message: str, text: str, path: tuple[str, ...], user: Principal = ANN
) -> RequestKey:
    """An answer in the user's one session, with two sources."""
    key = RequestKey(user, f"00000000-0000-4000-8000-00000000000{number}")
    question = Question(message, "s1", "store")
    log.create(NewRequest(key, question, "c", NOW + number, NOW + 900), event_body(Accepted(session_id="s1")))
    lease = log.take_lease(key, NOW, NOW + 15)
    assert lease is not None
    for seq, body in enumerate((event_body(SOURCES), event_body(Chunk(content=text))), 2):
        log.store(lease, StoredEvent(seq, body))
    log.advance(lease, 3, NOW + 15, Status.COMPLETE, AnswerRecord(path=path, scores=(0.9,)))
    return key


@pytest.fixture(autouse=True)
def rated(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoRequestLog]:
    """A stack in which Ann has rated three of her four answers."""
    with requests_table() as client:
        log = DynamoRequestLog(client, TABLE, time.time)
        first = answered(log, 1, "When does the lease end?", "In May [1].", ("generate",))
        answered(log, 2, "and the other?", "In June [2].", ("generate",))
        bad = answered(log, 3, "Who signed it?", "Nobody.", ("generate",))
        none = answered(log, 4, "Who won?", "Not found.", ("retrieve",))
        log.rate(first, AnswerFeedback("good", NOW + 10))
        log.rate(bad, AnswerFeedback("bad", NOW + 30, ("wrong",), "Ann\x1b[1m did."))
        log.rate(none, AnswerFeedback("good", NOW + 20))
        monkeypatch.setattr(DeploymentTarget, "client", lambda *_, **__: client)
        target = DeploymentTarget({"RequestsTable": TABLE}, {})
        monkeypatch.setattr(deployment_target, "open_target", lambda _: target)
        yield log


def test_ratings_are_listed_the_latest_first_without_questions(shell: Shell) -> None:
    assert main(["feedback", "list"]) == 0
    head, bad, none, good, total = shell.lines()
    assert head.split() == ["TIME", "TENANT", "USER", "RATING", "WHY", "REQUEST"]
    moment = datetime.fromtimestamp(int(NOW + 30), UTC).isoformat(timespec="seconds")
    assert bad.split() == [moment, "acme", "ann", "bad", "wrong:", "Ann[1m", "did.", bad.split()[-1]]
    assert (none.split()[3], good.split()[3], total) == ("good", "good", "3 answers rated.")
    assert main(["feedback", "list", "--rating", "bad", "--json"]) == 0
    [found] = shell.json()["feedback"]
    assert (found["rating"], found["reasons"], found["comment"]) == ("bad", ["wrong"], "Ann\x1b[1m did.")


def test_the_export_is_a_file_of_conversations(shell: Shell, tmp_path: Path) -> None:
    assert main(["feedback", "export"]) == 0
    (tmp_path / "rated.jsonl").write_text(shell.out(), "utf-8")
    bad, none, good = load_conversations(tmp_path / "rated.jsonl")
    assert [each.message for each in bad.turns] == ["When does the lease end?", "and the other?", "Who signed it?"]
    assert (bad.group, bad.turns[-1].expect) == ("bad", None)
    assert none.turns[-1].expect is not None and none.turns[-1].expect.answered is False
    [turn] = good.turns
    assert (good.knowledge_base, turn.message) == ("store", "When does the lease end?")
    assert turn.expect is not None and turn.expect.documents_any == ("lease.md",)
    assert json.loads((tmp_path / "rated.jsonl").read_text("utf-8").splitlines()[0])["id"].endswith("3")


def test_what_has_expired_and_is_not_deleted_yet_is_left_out(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW + 901)
    assert main(["feedback", "export"]) == 0
    assert shell.out() == ""


def test_a_good_answer_of_an_agent_that_searched_is_an_answer(shell: Shell, rated: DynamoRequestLog) -> None:
    key = answered(rated, 5, "Profile the tenant.", "She pays [2].", ("agent:profiles", "retrieve"), BOB)
    rated.rate(key, AnswerFeedback("good", NOW + 40))
    assert main(["feedback", "export", "--rating", "good"]) == 0
    assert json.loads(shell.lines()[0])["turns"][-1]["expect"] == {"documents_any": ["annex.md"]}
