"""Converse and ConverseStream through unmodified boto3."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EventStreamError

from cicada.adapters.bedrock.chat_model import BedrockChatModel, ConverseModel, ModelChain
from cicada.answering.parts import Prompt
from cicada.generation import ModelUsage, Stop
from local.bedrock.app import build
from local.bedrock.embedder import Embedder
from local.bedrock.guardrail import BLOCKED
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import PROMPT, Client, Serve, converse_request

QUEEN = PROMPT + "Who tells Macbeth that the queen is dead?\n"
SAVE = {
    "toolSpec": {
        "name": "save_profile",
        "description": "Saves a profile.",
        "inputSchema": {
            "json": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": ["character", "location"]},
                    "name": {"type": "string"},
                    "description": {"type": "string"},
                },
                "required": ["kind", "name", "description"],
            }
        },
    }
}


def streamed(reply: Any) -> list[tuple[str, Any]]:
    return [item for event in reply["stream"] for item in event.items()]


def text_of(events: list[tuple[str, Any]]) -> str:
    return "".join(value["delta"].get("text", "") for kind, value in events if kind == "contentBlockDelta")


@pytest.fixture
def quoting(serve: Serve, client: Client, minilm: Embedder) -> Any:
    """bedrock-runtime against a stand-in that finds lines by their meaning."""
    return client("bedrock-runtime", serve(build(Settings(tokens_per_second=0), minilm)))


def said(reply: Any) -> str:
    text: str = reply["output"]["message"]["content"][0]["text"]
    return text


def test_the_answer_quotes_the_line_with_its_speaker_place_and_number(quoting: Any) -> None:
    reply = quoting.converse(**converse_request(QUEEN))
    assert said(reply).splitlines()[0] == 'Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]'
    assert reply["stopReason"] == "end_turn"


def test_the_stream_brings_the_same_text_word_by_word(quoting: Any) -> None:
    whole = said(quoting.converse(**converse_request(QUEEN)))
    events = streamed(quoting.converse_stream(**converse_request(QUEEN)))
    assert text_of(events) == whole
    assert sum(kind == "contentBlockDelta" for kind, _ in events) == len(whole.split())


def test_a_text_that_the_stand_in_cuts_at_the_token_limit_is_seen_as_cut(runtime: Any) -> None:
    for limit, stopped in ((2, Stop.CUT), (2000, None)):
        model = BedrockChatModel(runtime, ModelChain([ConverseModel("amazon.nova-lite-v1:0", limit, 0)]))
        *pieces, usage = model.stream(Prompt("", QUEEN))
        assert isinstance(usage, ModelUsage) and usage.stopped is stopped
        assert len(pieces) == limit or not stopped


def test_the_stream_has_bedrocks_events_in_bedrocks_order(runtime: Any) -> None:
    events = streamed(runtime.converse_stream(**converse_request("Hello!")))
    kinds = [kind for kind, _ in events if kind != "contentBlockDelta"]
    assert kinds == ["messageStart", "contentBlockStop", "messageStop", "metadata"]
    usage = events[-1][1]["usage"]
    assert usage["outputTokens"] > 10
    assert usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"]
    assert "latencyMs" in events[-1][1]["metrics"]


def test_talk_without_passages_is_told_what_can_be_asked(runtime: Any) -> None:
    for text in ("Good morning!", "Tell me a joke about aeroplanes, will you?"):
        assert "I am a local stand-in" in said(runtime.converse(**converse_request(text)))


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": [{"text": "Hello"}]}],
        [{"role": "user", "content": [{"text": " "}]}],
        [{"role": "user", "content": [{"text": "one"}]}, {"role": "user", "content": [{"text": "two"}]}],
        [{"role": "user", "content": [{"text": "one"}]}, {"role": "assistant", "content": [{"text": "two"}]}],
        [{"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "b"}]}}]}],
    ],
    ids=["none", "assistant first", "blank", "user twice", "assistant last", "result without tools"],
)
def test_what_bedrock_refuses_is_refused(runtime: Any, messages: list[Any]) -> None:
    for call in (runtime.converse, runtime.converse_stream):
        with pytest.raises(ClientError) as caught:
            call(modelId="amazon.nova-lite-v1:0", messages=messages)
        assert caught.value.response["Error"]["Code"] == "ValidationException"
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert not isinstance(caught.value, EventStreamError)


def test_a_tool_is_chosen_called_and_its_result_told(runtime: Any) -> None:
    request = converse_request("create profile Paulina, widow of Antigonus", toolConfig={"tools": [SAVE]})
    reply = runtime.converse(**request)
    use = reply["output"]["message"]["content"][0]["toolUse"]
    assert reply["stopReason"] == "tool_use"
    assert use["name"] == "save_profile"
    assert use["input"] == {"kind": "character", "name": "Paulina", "description": "widow of Antigonus"}
    result = {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": "Saved Paulina."}]}}
    request["messages"] += [reply["output"]["message"], {"role": "user", "content": [result]}]
    assert runtime.converse(**request)["output"]["message"]["content"] == [{"text": "Saved Paulina."}]


def test_a_missing_argument_is_asked_for_and_the_next_message_completes_the_call(runtime: Any) -> None:
    request = converse_request("Create a profile for Paulina", toolConfig={"tools": [SAVE]})
    reply = runtime.converse(**request)
    asked = "Nothing was saved yet. The text of the profile “Paulina” is missing. What is it?"
    assert said(reply) == asked
    request["messages"] += [
        reply["output"]["message"],
        {"role": "user", "content": [{"text": "She is the widow of Antigonus"}]},
    ]
    use = runtime.converse(**request)["output"]["message"]["content"][0]["toolUse"]
    assert use["input"]["name"] == "Paulina"
    assert use["input"]["description"].endswith("the widow of Antigonus")


def test_a_tool_call_is_streamed_as_a_block_with_its_input_in_pieces(runtime: Any) -> None:
    request = converse_request("create profile Paulina, widow of Antigonus", toolConfig={"tools": [SAVE]})
    events = streamed(runtime.converse_stream(**request))
    starts = [value for kind, value in events if kind == "contentBlockStart"]
    pieces = [value["delta"]["toolUse"]["input"] for kind, value in events if kind == "contentBlockDelta"]
    assert starts[0]["start"]["toolUse"]["name"] == "save_profile"
    assert len(pieces) > 1
    assert json.loads("".join(pieces))["name"] == "Paulina"
    assert dict(events)["messageStop"] == {"stopReason": "tool_use"}


def test_a_forced_tool_is_called_with_input_that_its_schema_allows(runtime: Any) -> None:
    schema = {
        "type": "object",
        "properties": {
            "route": {"type": "string", "enum": ["script", "profile"]},
            "query": {"type": "string", "maxLength": 20},
            "filters": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "minimum": 1}},
                "required": ["limit"],
            },
            "terms": {"type": "array", "items": {"type": "string"}},
            "note": {"type": "string"},
        },
        "required": ["route", "query", "filters", "terms"],
    }
    tool = {"toolSpec": {"name": "plan", "inputSchema": {"json": schema}}}
    config = {"tools": [tool], "toolChoice": {"tool": {"name": "plan"}}}
    reply = runtime.converse(**converse_request("Show me my profile of Macbeth, please", toolConfig=config))
    assert reply["output"]["message"]["content"][0]["toolUse"]["input"] == {
        "route": "profile",
        "query": "Show me my profile o",
        "filters": {"limit": 1},
        "terms": [],
    }


@pytest.mark.parametrize("word", ["macbeth", "seyton"], ids=["of the question", "of the answer"])
def test_a_guardrail_blocks_the_word_that_it_is_named_by(quoting: Any, word: str) -> None:
    def events(identifier: str) -> list[tuple[str, Any]]:
        guarded = {"guardrailConfig": {"guardrailIdentifier": identifier, "guardrailVersion": "1"}}
        return streamed(quoting.converse_stream(**converse_request(QUEEN, **guarded)))

    blocked = events(word)
    assert text_of(blocked).endswith(BLOCKED)
    assert ("messageStop", {"stopReason": "guardrail_intervened"}) in blocked
    assert ("messageStop", {"stopReason": "end_turn"}) in events("nightshade")
