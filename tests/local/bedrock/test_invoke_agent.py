"""InvokeAgent through unmodified boto3, with a Lambda endpoint that records what it is sent."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, EventStreamError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import Client, Serve

PARAMETERS = {
    "kind": {"type": "string", "description": "character|location|episode|group", "required": True},
    "name": {"type": "string", "description": "Its name", "required": True},
    "description": {"type": "string", "description": "What to keep", "required": True},
}
AGENTS = {
    "agents": {
        "PROFILES": {
            "name": "profile",
            "instruction": "Keeps profiles.",
            "actionGroups": [
                {
                    "name": "profiles",
                    "lambda": "cicada-profiles",
                    "functions": [
                        {"name": "save_profile", "description": "Saves", "parameters": PARAMETERS},
                        {"name": "list_profiles", "description": "Lists", "parameters": {}},
                    ],
                }
            ],
        }
    }
}


class LambdaEndpoint:
    """Answers every invocation with the reply that is set."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.text = "Saved Paulina."
        self.fails = False
        self.app = Starlette(routes=[Route("/2015-03-31/functions/{name}/invocations", self._invoke, methods=["POST"])])

    async def _invoke(self, request: Request) -> Response:
        event = json.loads(await request.body())
        self.calls.append((request.path_params["name"], event))
        if self.fails:
            return JSONResponse({"errorMessage": "no table"}, headers={"X-Amz-Function-Error": "Unhandled"})
        body = {"functionResponse": {"responseBody": {"TEXT": {"body": self.text}}}}
        answered = {"actionGroup": event["actionGroup"], "function": event["function"], **body}
        return JSONResponse({"messageVersion": "1.0", "response": answered})


@pytest.fixture
def lambdas() -> LambdaEndpoint:
    return LambdaEndpoint()


@pytest.fixture
def agents_file(tmp_path: Path) -> Path:
    path = tmp_path / "agents.json"
    path.write_text(json.dumps(AGENTS), encoding="utf-8")
    return path


@pytest.fixture
def runtime(serve: Serve, client: Client, lambdas: LambdaEndpoint, agents_file: Path) -> Any:
    settings = Settings(tokens_per_second=0, agents_file=agents_file, aws_endpoint_url=serve(lambdas.app))
    return client("bedrock-agent-runtime", serve(build(settings, HashEmbedder())))


def invoke(runtime: Any, text: str, **more: Any) -> list[tuple[str, Any]]:
    request = {"agentId": "PROFILES", "agentAliasId": "LIVE", "sessionId": "session-1", "inputText": text, **more}
    with closing(runtime.invoke_agent(**request)["completion"]) as completion:
        return [item for event in completion for item in event.items()]


def text_of(events: list[tuple[str, Any]]) -> str:
    return "".join(value["bytes"].decode() for kind, value in events if kind == "chunk")


CREATE = "create profile Paulina, widow of Antigonus"


def test_the_lambda_receives_bedrocks_event_and_its_text_is_the_answer(runtime: Any, lambdas: LambdaEndpoint) -> None:
    state = {"sessionAttributes": {"userId": "u1"}, "promptSessionAttributes": {"episode": "winters-tale"}}
    events = invoke(runtime, CREATE, sessionState=state)
    assert text_of(events) == "Saved Paulina."
    assert [kind for kind, _ in events] == ["chunk"]
    assert lambdas.calls == [
        (
            "cicada-profiles",
            {
                "messageVersion": "1.0",
                "agent": {"name": "profile", "id": "PROFILES", "alias": "LIVE", "version": "1"},
                "inputText": CREATE,
                "sessionId": "session-1",
                "actionGroup": "profiles",
                "function": "save_profile",
                "parameters": [
                    {"name": "kind", "type": "string", "value": "character"},
                    {"name": "name", "type": "string", "value": "Paulina"},
                    {"name": "description", "type": "string", "value": "widow of Antigonus"},
                ],
                "sessionAttributes": {"userId": "u1"},
                "promptSessionAttributes": {"episode": "winters-tale"},
            },
        )
    ]


def test_session_attributes_last_for_the_session_and_prompt_attributes_for_one_request(
    runtime: Any, lambdas: LambdaEndpoint
) -> None:
    state = {"sessionAttributes": {"userId": "u1"}, "promptSessionAttributes": {"episode": "a"}}
    invoke(runtime, "list my profiles", sessionState=state)
    invoke(runtime, "list my profiles")
    invoke(runtime, "list my profiles", sessionId="session-2")
    assert [event["sessionAttributes"] for _, event in lambdas.calls] == [{"userId": "u1"}, {"userId": "u1"}, {}]
    assert [event["promptSessionAttributes"] for _, event in lambdas.calls] == [{"episode": "a"}, {}, {}]


def test_a_missing_argument_is_asked_for_and_given_by_the_next_message(runtime: Any, lambdas: LambdaEndpoint) -> None:
    assert "The text of the profile “Paulina” is missing." in text_of(invoke(runtime, "Create a profile for Paulina"))
    assert lambdas.calls == []
    invoke(runtime, "She is the widow of Antigonus")
    values = {parameter["name"]: parameter["value"] for parameter in lambdas.calls[0][1]["parameters"]}
    assert values["name"] == "Paulina"
    assert values["description"].endswith("the widow of Antigonus")


def test_a_lambda_that_fails_breaks_the_stream_as_a_failed_dependency(runtime: Any, lambdas: LambdaEndpoint) -> None:
    lambdas.fails = True
    with pytest.raises(EventStreamError) as caught:
        invoke(runtime, CREATE, enableTrace=True)
    assert caught.value.response["Error"]["Code"] == "dependencyFailedException"
    assert "no table" in caught.value.response["Error"]["Message"]


def test_an_unknown_agent_is_not_found_until_the_file_has_it(runtime: Any, agents_file: Path) -> None:
    with pytest.raises(ClientError) as caught:
        invoke(runtime, CREATE, agentId="THEORIES")
    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
    more = {"agents": {**AGENTS["agents"], "THEORIES": {**AGENTS["agents"]["PROFILES"], "name": "theory"}}}
    agents_file.write_text(json.dumps(more), encoding="utf-8")
    assert text_of(invoke(runtime, CREATE, agentId="THEORIES")) == "Saved Paulina."
