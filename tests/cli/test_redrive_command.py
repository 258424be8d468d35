"""`cicada redrive`, run as an operator runs it, on queues and a table as the CDK app declares them."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from botocore.config import Config

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.sqs import SqsRequestQueue
from cicada.conversation.model import NewRequest, Question, RequestKey, Status, StoredEvent
from cicada.identity import Principal
from cli import deployment_target
from cli.__main__ import main
from cli.operator import redrive
from cli.settings import read_settings
from tests.cli.conftest import Shell
from tests.contract.request_queues import Queues, request_queues
from tests.contract.requests_table import TABLE, requests_table

SECRET = "Who is the murderer?"
ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"


@dataclass(frozen=True)
class Deployed:
    """What an operator looks after."""

    log: DynamoRequestLog
    queues: Queues

    @property
    def names(self) -> dict[str, str]:
        return {
            "RequestsTable": TABLE,
            "RequestsQueueUrl": self.queues.requests_url,
            "DeadLetterQueueUrl": self.queues.dead_letters_url,
        }

    @property
    def options(self) -> list[str]:
        flags = ("--table", "--queue-url", "--dead-letter-queue-url")
        return [text for pair in zip(flags, self.names.values(), strict=True) for text in pair]

    def fail(self, request_id: str = ID, status: Status = Status.FAILED) -> RequestKey:
        """A request that has failed, or is being answered, and is set aside."""
        key = RequestKey(Principal("acme", "ann"), request_id)
        now = time.time()
        self.log.create(NewRequest(key, Question(SECRET, "s1", "scripts"), "c1", now, now + 3600), "{}")
        lease = self.log.take_lease(key, now, now + 15)
        assert lease
        self.log.store(lease, StoredEvent(2, '{"type":"error"}'))
        self.log.advance(lease, 2, now + 15, status)
        SqsRequestQueue(self.queues.client, self.queues.requests_url, self.queues.dead_letters_url).dead_letter(
            key, "stream_broken"
        )
        return key

    def give_up(self, body: str) -> None:
        self.queues.client.send_message(
            QueueUrl=self.queues.dead_letters_url,
            MessageBody=body,
            MessageGroupId="s1",
            MessageDeduplicationId=uuid.uuid4().hex,
        )


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployed]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("CICADA_STAGE_FILE", str(tmp_path / "stage.json"))
    with ExitStack() as stack:
        database = stack.enter_context(requests_table())
        yield Deployed(DynamoRequestLog(database, TABLE, time.time), stack.enter_context(request_queues()))


def test_the_list_shows_ids_reasons_and_ages_and_nothing_of_the_messages(deployed: Deployed, shell: Shell) -> None:
    deployed.fail()
    deployed.give_up(json.dumps({"tenant": "acme", "user": "ann", "requestId": "other-id", "message": SECRET}))
    for _ in range(2):
        assert shell("redrive", "--list", *deployed.options) == 0
        shown = shell.out()
        first, second, last = sorted(shown.splitlines(), key=lambda line: ("shown" in line, "other" in line))
        assert first.split()[:2] == [ID, "stream_broken"]
        assert second.split()[:5] == ["other-id", "given", "up", "by", "the"]
        assert first.endswith(" s")
        assert last == "2 dead letters shown, about 2 in the queue."
        assert SECRET not in shown
    assert deployed.queues.bodies(deployed.queues.requests_url) == []


def test_a_failed_request_is_queued_again(deployed: Deployed, shell: Shell) -> None:
    key = deployed.fail()
    assert shell("redrive", *deployed.options) == 0
    assert shell.lines() == [f"{ID}  queued again", "1 dead letter, 1 queued again."]
    head = deployed.log.head(key)
    assert head
    assert (head.status, head.forgiven_attempts) == (Status.QUEUED, 1)
    [body] = deployed.queues.bodies(deployed.queues.requests_url)
    assert body["requestId"] == ID
    assert shell("redrive", *deployed.options) == 0
    assert shell.out() == "0 dead letters, 0 queued again.\n"


def test_what_is_left_is_exit_code_1(deployed: Deployed, shell: Shell) -> None:
    deployed.fail(status=Status.PROCESSING)
    deployed.give_up("\x1b[31mno request")
    assert shell("redrive", *deployed.options) == 1
    shown = shell.out()
    assert f"{ID}  being answered; left where it is" in shown
    assert "(no request)" in shown
    assert "names no request; left where it is" in shown
    assert "\x1b" not in shown


def test_a_stack_on_aws_names_everything_itself(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def outputs(stack: str) -> dict[str, str]:
        asked.append(stack)
        return deployed.names

    monkeypatch.setattr(deployment_target, "stack_outputs", outputs)
    deployed.fail()
    assert main(["redrive", "--stack", "Cicada-dev"]) == 0
    assert asked == ["Cicada-dev"]
    assert len(deployed.queues.bodies(deployed.queues.requests_url)) == 1


def test_the_local_stage_is_the_default(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, local_stage: Callable[..., None]
) -> None:
    local_stage(**deployed.names)
    # The emulator's part is played by moto, which answers for AWS's own addresses only.
    monkeypatch.setattr(
        deployment_target, "client_options", lambda stage: {"region_name": stage.region, "config": Config()}
    )
    deployed.fail()
    assert main(["redrive"]) == 0
    assert len(deployed.queues.bodies(deployed.queues.requests_url)) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence", "code"),
    [
        (["--table", "requests"], "Give all of --table, --queue-url and --dead-letter-queue-url, or --stack.", 2),
        ([], "The local stage is not running ({stage_file} is missing): run `make run` first.", 1),
    ],
)
def test_a_wrong_use_is_one_sentence(
    deployed: Deployed,
    tmp_path: Path,
    shell: Shell,
    arguments: list[str],
    sentence: str,
    code: int,
) -> None:
    assert shell("redrive", *arguments) == code
    assert shell.err() == f"cicada: {sentence.format(stage_file=tmp_path / 'stage.json')}\n"


def test_a_missing_queue_is_one_sentence(deployed: Deployed, shell: Shell) -> None:
    options = [*deployed.options[:-1], f"{deployed.queues.dead_letters_url}-missing.fifo"]
    assert shell("redrive", "--list", *options) == 1
    assert "check the queue's name" in shell.err()


@pytest.mark.parametrize(
    ("seconds", "age"), [(-3, "0 s"), (59.9, "59 s"), (60, "1 min"), (7300, "2 h"), (200_000, "2 d")]
)
def test_an_age_is_given_in_the_largest_unit(seconds: float, age: str) -> None:
    assert redrive._age(seconds) == age


@pytest.mark.parametrize("command", [["redrive"], ["rebuild"]])
def test_stack_without_a_region(command: list[str], monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    assert shell(*command, "--stack", "Cicada-dev") == 2
    said = shell.err()
    assert said == "cicada: It is not clear in which region the stack is: set AWS_REGION.\n"


def test_the_region_is_found_as_the_aws_command_line_finds_it() -> None:
    both = {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-1"}
    assert read_settings(both).region == "eu-west-1"
    assert read_settings({"AWS_DEFAULT_REGION": "us-east-1"}).region == "us-east-1"
    assert read_settings({}).region is None
