"""The way from the groups in a token to the passages that its bearer may see, through all functions in between."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cicada.knowledge_bases import file
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from tests.fakes.bedrock_wire import ScriptedBedrock
from tests.fakes.user_pool import UserPool, access_token
from tests.functions.deployed_processor import EMBEDDED, MESSAGE, SAID, Deployed, delivered, keep
from tests.functions.message_path import NOW, MessagePath, console_event

ANN, BOB = "5f2b8c1e-0000-4000-8000-0000000000aa", "5f2b8c1e-0000-4000-8000-0000000000bb"
# Valid by the machine's clock and by the test's.
EARLIER, LATER = 1_600_000_000, 4_000_000_000


@dataclass
class House:
    """Users with tokens, and plays: one for everybody, one for lawyers, one for Ann."""

    path: MessagePath
    bedrock: ScriptedBedrock

    def connect(self, connection_id: str, user: str, *groups: str) -> str:
        """The authorizer's word on a fresh token, and, as API Gateway does it, `$connect` with what it says."""
        token = access_token(sub=user, exp=LATER, iat=EARLIER, **{"cognito:groups": list(groups)})  # type: ignore[arg-type]
        handshake = {"headers": {}, "queryStringParameters": {"token": token}}
        policy = self.path.invoke("authorizer", console_event("authorizer") | handshake)
        [statement] = policy["policyDocument"]["Statement"]
        if statement["Effect"] == "Allow":
            event = console_event("ws_connect")
            event["requestContext"] |= {"connectionId": connection_id, "authorizer": policy["context"]}
            assert self.path.invoke("ws_connect", event)["statusCode"] == 200
        return str(statement["Effect"])

    def ask(self, connection_id: str) -> str:
        """The id of a question that waits in the queue."""
        request_id = str(uuid.uuid4())
        sent = {"action": "sendMessage", "requestId": request_id, "message": MESSAGE}
        assert self.path.send("ws_message", sent, connection_id)["type"] == "accepted"
        return request_id

    def resume(self, connection_id: str, request_id: str) -> None:
        resume = {"action": "resume", "requestId": request_id, "afterSeq": 0}
        self.path.send("ws_resume", resume, connection_id)

    def waiting(self) -> list[str]:
        """The messages in the queue, taken out of it."""
        return [json.dumps(body) for body in self.path.queues.bodies(self.path.queues.requests_url)]

    def process(self, message: str) -> str:
        """The prompt that the model is given for a message of the queue."""
        assert self.path.invoke("message_processor", delivered(message)) == {"batchItemFailures": []}
        return str(self.bedrock.requests[-1].body["messages"][0]["content"][0]["text"])

    def read(self, connection_id: str) -> list[str]:
        """The titles of the plays that a question over this connection is answered from."""
        self.ask(connection_id)
        prompt = self.process(*self.waiting())
        return self.shown(connection_id, prompt)

    def shown(self, connection_id: str, prompt: str) -> list[str]:
        """The titles that a client is shown; the model has seen as many passages."""
        found = [each["sources"] for each in self.path.posted(connection_id) if each["type"] == "sources"][-1]
        assert prompt.count("Episode:\n") == len(found)
        return sorted(source["title"] for source in found)


@pytest.fixture
def house(
    path: MessagePath, pool: UserPool, deploy: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[House]:
    monkeypatch.setenv("CICADA_DEFAULT_TENANT", "default")
    for title, readers in {"For lawyers": ("group:legal",), "For Ann": (f"user:{ANN}", "group:nobody")}.items():
        keep(tmp_path / "index.sqlite", f"{title}.json", title, readers)
    with deploy(*[EMBEDDED, SAID] * 3) as bedrock:
        yield House(path, bedrock)


@pytest.mark.parametrize(
    ("user", "groups", "titles"),
    [
        (BOB, [], ["Macbeth"]),
        (BOB, ["sales", "Legal"], ["Macbeth"]),
        (BOB, ["sales", "legal"], ["For lawyers", "Macbeth"]),
        (ANN, [], ["For Ann", "Macbeth"]),
        (ANN, ["legal"], ["For Ann", "For lawyers", "Macbeth"]),
        (BOB, [f"user:{ANN}", f"{ANN}"], ["Macbeth"]),
    ],
)
def test_token_opens_documents_of_user_and_groups(
    house: House, user: str, groups: list[str], titles: list[str]
) -> None:
    assert house.connect("c1", user, *groups) == "Allow"
    assert house.read("c1") == titles


def test_a_tenants_group_leads_to_the_tenants_documents_alone(house: House) -> None:
    house.connect("c1", ANN, "tenant:acme", "legal")
    house.ask("c1")
    [message] = house.waiting()
    house.path.invoke("message_processor", delivered(message))
    assert len(house.bedrock.requests) == 1
    assert "sources" not in {each["type"] for each in house.path.posted("c1")}


def test_groups_count_from_the_token_of_the_next_connection(house: House) -> None:
    house.connect("c1", BOB, "legal")
    house.connect("c2", BOB)
    house.connect("c3", BOB, "legal")
    assert [house.read(each) for each in ("c2", "c1", "c3")] == [
        ["Macbeth"],
        ["For lawyers", "Macbeth"],
        ["For lawyers", "Macbeth"],
    ]


def test_a_question_that_is_resumed_is_answered_by_the_groups_with_which_it_was_asked(house: House) -> None:
    house.connect("c1", BOB, "legal")
    request_id = house.ask("c1")
    house.connect("c2", BOB)
    house.resume("c2", request_id)
    prompt = house.process(*house.waiting())
    assert house.shown("c2", prompt) == ["For lawyers", "Macbeth"]
    assert house.path.posted("c1") == []


def test_a_processor_that_is_called_by_a_resume_answers_by_the_groups_of_who_resumes(house: House) -> None:
    """Nobody took the question in time, and its user has been taken out of the group since."""
    house.connect("c1", BOB, "legal")
    request_id = house.ask("c1")
    house.waiting()
    house.path.clock.now += 60
    house.connect("c2", BOB)
    house.resume("c2", request_id)
    prompt = house.process(*house.waiting())
    assert house.shown("c2", prompt) == ["Macbeth"]


def test_an_answer_is_withheld_after_its_bases_group_is_lost(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    base = KnowledgeBase("scripts", groups=("legal",))
    monkeypatch.setattr(file, "load_knowledge_bases", lambda: KnowledgeBases(named={"scripts": base}))
    house.connect("c1", BOB, "legal")
    request_id = house.ask("c1")
    prompt = house.process(*house.waiting())
    assert house.shown("c1", prompt) == ["For lawyers", "Macbeth"]
    house.connect("c2", BOB)
    house.resume("c2", request_id)
    assert house.shown("c2", prompt) == ["Withheld", "Withheld"]


def test_a_connection_is_remembered_for_as_long_as_one_can_last(house: House) -> None:
    """Two hours, after which API Gateway closes it."""
    house.connect("c1", BOB)
    rows = house.path.database.scan(TableName="connections")["Items"]
    assert {row["expiresAt"]["N"] for row in rows} == {str(int(NOW) + 7200)}
