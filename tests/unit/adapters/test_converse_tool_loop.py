from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.chat_model import ConverseModel, ModelChain
from cicada.adapters.bedrock.converse_tool_loop import ConverseToolLoop
from cicada.agents.model import AgentKind, AgentTurn, Change, Entry, EntryScope, EntryStore, ProfileKind, ToolSession
from cicada.agents.theories import profile_toolbox
from cicada.agents.tools import Toolbox, describe
from cicada.dialogue import Turn
from cicada.errors import CicadaError, ConfigurationError, StreamBrokenError, ThrottledError, UnavailableError
from cicada.generation import ModelUsage, Stop
from cicada.identity import Principal
from tests.fakes.bedrock_wire import (
    AT_ONCE,
    BUSY,
    DENIED,
    DROP,
    FLOOD,
    THROTTLED,
    Refused,
    ScriptedBedrock,
    Streamed,
    event,
    reply_end,
    scripted_bedrock,
    text_delta,
    tool_call,
    until_failure,
)
from tests.fakes.entry_store import InMemoryEntryStore
from tests.patience import PATIENCE_SECONDS
from tests.unit.agents.keeping import NOON, profile_tools

ANN = Principal("acme", "ann")
TURN = AgentTurn(AgentKind.PROFILES, ANN, "evening", "scripts", "What do I have on Banquo?")
MODEL = ConverseModel("amazon.nova-lite-v1:0", max_tokens=500, temperature=0.0)
START = event("messageStart", {"role": "assistant"})
GET = tool_call("get_profile", '{"kind": "character", "name": "Banquo"}')
ASKS = Streamed((START, *GET, *reply_end("tool_use")))
SAYS = Streamed((START, text_delta("A companion "), text_delta("of Macbeth."), *reply_end()))


class BrokenStore(InMemoryEntryStore):
    def live(self, scope: EntryScope) -> list[Entry]:
        raise UnavailableError("The database could not be reached; try again.")


def loop(bedrock: ScriptedBedrock, store: EntryStore | None = None) -> ConverseToolLoop:
    """The loop of a model, and tools that know Banquo."""
    if store is None:
        store = InMemoryEntryStore()
        banquo = Entry("id", ProfileKind.CHARACTER, "Banquo", "A companion of Macbeth.", 1, NOON)
        store.write(EntryScope(ANN, TURN.knowledge_base, AgentKind.PROFILES), Change(None, banquo, NOON))
    toolboxes = {AgentKind.PROFILES: profile_toolbox(profile_tools(store))}
    return ConverseToolLoop(bedrock.client("bedrock-runtime"), ModelChain([MODEL], AT_ONCE), toolboxes)


def spoken(bedrock: ScriptedBedrock) -> str:
    """What the loop says of its turn, if the model stops nowhere."""
    return "".join(piece for piece in loop(bedrock).reply(TURN) if isinstance(piece, str))


def results(bedrock: ScriptedBedrock) -> list[dict[str, Any]]:
    """What the model got back from its tools in the messages of the second request."""
    content = bedrock.requests[1].body["messages"][-1]["content"]
    return [block["toolResult"] for block in content if "toolResult" in block]


def result_text(bedrock: ScriptedBedrock) -> str:
    (result,) = results(bedrock)
    return str(result["content"][0]["text"])


def test_the_model_calls_a_tool_and_answers_from_its_result() -> None:
    with scripted_bedrock(ASKS, SAYS) as bedrock:
        assert list(loop(bedrock).reply(TURN)) == ["A companion ", "of Macbeth."]
    first, second = (request.body for request in bedrock.requests)
    assert first["system"] == [{"text": describe(AgentKind.PROFILES).instruction}]
    assert first["messages"] == [{"role": "user", "content": [{"text": "What do I have on Banquo?"}]}]
    call = {"toolUseId": "call-1", "name": "get_profile", "input": {"kind": "character", "name": "Banquo"}}
    assert second["messages"][1] == {"role": "assistant", "content": [{"toolUse": call}]}
    assert result_text(bedrock) == "The character profile “Banquo”, saved on 2026-11-01:\n| A companion of Macbeth."
    assert results(bedrock)[0]["status"] == "success"


def test_the_model_is_told_the_answered_turns_before_the_message() -> None:
    earlier = (Turn("Who is Banquo?", "A friend."), Turn("Where?", ""))
    with scripted_bedrock(SAYS) as bedrock:
        list(loop(bedrock).reply(replace(TURN, earlier=earlier)))
    [message] = bedrock.requests[0].body["messages"]
    before, asked = (block["text"] for block in message["content"])
    assert before.endswith("\n\nUser:\n| Who is Banquo?\nYou:\n| A friend.\n\nUser:\n| Where?")
    assert (message["role"], asked) == ("user", TURN.message)


def test_the_model_sees_the_tools_of_the_one_description() -> None:
    with scripted_bedrock(SAYS) as bedrock:
        list(loop(bedrock).reply(TURN))
    tools = [tool["toolSpec"] for tool in bedrock.requests[0].body["toolConfig"]["tools"]]
    assert [tool["name"] for tool in tools] == list(describe(AgentKind.PROFILES).functions)
    schema = next(tool for tool in tools if tool["name"] == "save_profile")["inputSchema"]["json"]
    assert schema["type"] == "object"
    assert schema["required"] == ["kind", "name", "description"]
    assert schema["properties"]["kind"]["type"] == "string"


def test_a_model_cannot_name_another_user() -> None:
    arguments = '{"kind": "character", "name": "Banquo", "tenant": "acme", "user": "bob", "session": "x"}'
    with scripted_bedrock(
        Streamed((START, *tool_call("get_profile", arguments), *reply_end("tool_use"))), SAYS
    ) as bedrock:
        list(loop(bedrock).reply(TURN))
    assert result_text(bedrock).startswith("The character profile “Banquo”")


def test_the_tools_work_for_the_user_of_the_turn() -> None:
    turn = AgentTurn(AgentKind.PROFILES, Principal("acme", "bob"), "evening", "scripts", "What do I have on Banquo?")
    with scripted_bedrock(ASKS, SAYS) as bedrock:
        list(loop(bedrock).reply(turn))
    assert result_text(bedrock).startswith("There is no character profile “Banquo”.")


def test_the_tools_cite_for_the_answer_of_the_turn() -> None:
    sessions: list[ToolSession] = []

    def shown(session: ToolSession, **_: str) -> str:
        sessions.append(session)
        return "shown"

    with scripted_bedrock(ASKS, SAYS) as bedrock:
        toolboxes = {AgentKind.PROFILES: Toolbox(describe(AgentKind.PROFILES), {"get_profile": shown})}
        made = ConverseToolLoop(bedrock.client("bedrock-runtime"), ModelChain([MODEL], AT_ONCE), toolboxes)
        list(made.reply(TURN))
    assert [each.evidence for each in sessions] == [TURN.evidence]


def test_several_calls_at_once_are_answered_together_and_in_order() -> None:
    calls = (*tool_call("list_profiles", "", 0, "a"), *tool_call("get_profile", "[1]", 1, "b"))
    with scripted_bedrock(Streamed((START, *calls, *reply_end("tool_use"))), SAYS) as bedrock:
        list(loop(bedrock).reply(TURN))
    first, second = results(bedrock)
    assert (first["toolUseId"], first["status"]) == ("a", "success")
    assert (second["toolUseId"], second["status"]) == ("b", "error")
    assert second["content"][0]["text"] == "Not done: the arguments are not a JSON object."


def test_more_calls_at_once_than_eight_are_not_done() -> None:
    calls = [frame for n in range(10) for frame in tool_call("list_profiles", "{}", n, f"call-{n}")]
    with scripted_bedrock(Streamed((START, *calls, *reply_end("tool_use"))), SAYS) as bedrock:
        list(loop(bedrock).reply(TURN))
    assert [result["status"] for result in results(bedrock)] == ["success"] * 8 + ["error"] * 2


def test_a_call_that_was_cut_off_is_not_done() -> None:
    cut = Streamed((START, text_delta("Let me see."), *tool_call("delete_profile", "{}"), *reply_end("max_tokens")))
    with scripted_bedrock(cut) as bedrock:
        assert list(loop(bedrock).reply(TURN)) == ["Let me see.", ModelUsage(0, 0, Stop.CUT)]
    assert len(bedrock.requests) == 1


@pytest.mark.parametrize("after_a_tool", [False, True])
@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("content_filtered", Stop.FILTERED),
        ("guardrail_intervened", Stop.REFUSED),
        ("malformed_tool_use", Stop.MALFORMED),
    ],
)
def test_why_the_model_stopped_is_the_last_item_even_without_any_text(
    reason: str, stop: Stop, after_a_tool: bool
) -> None:
    with scripted_bedrock(*([ASKS] if after_a_tool else []), Streamed((START, *reply_end(reason)))) as bedrock:
        assert list(loop(bedrock).reply(TURN)) == [ModelUsage(0, 0, stop)]


def test_what_is_said_before_a_tool_call_stands_in_a_paragraph_of_its_own() -> None:
    asks = Streamed((START, text_delta("Let me see."), *GET, *reply_end("tool_use")))
    with scripted_bedrock(asks, SAYS) as bedrock:
        assert spoken(bedrock) == "Let me see.\n\nA companion of Macbeth."
    assert bedrock.requests[1].body["messages"][1]["content"][0] == {"text": "Let me see."}


def test_what_the_model_thinks_aloud_is_not_shown() -> None:
    asks = Streamed((START, text_delta("<think"), text_delta("ing>I need get_profile.</thinking>"), *GET))
    asks = Streamed((*asks.frames, *reply_end("tool_use")))
    with scripted_bedrock(asks, SAYS) as bedrock:
        assert spoken(bedrock) == "A companion of Macbeth."


def test_six_rounds_are_the_most_and_the_model_is_told_before_the_last() -> None:
    with scripted_bedrock(ASKS) as bedrock:
        said = spoken(bedrock)
    assert len(bedrock.requests) == 6
    assert said == "I stopped here, because this took too many steps. Please ask for less at once."
    notes = ["No further tool call" in json.dumps(request.body["messages"][-1]) for request in bedrock.requests]
    assert notes == [False] * 5 + [True]


def test_each_round_is_tried_again_before_its_first_piece_without_calling_tools_twice() -> None:
    with scripted_bedrock(THROTTLED, ASKS, THROTTLED, Streamed((START, DROP)), SAYS) as bedrock:
        assert spoken(bedrock) == "A companion of Macbeth."
    assert len(bedrock.requests) == 5
    assert len(bedrock.requests[-1].body["messages"]) == 3


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (THROTTLED, ThrottledError),
        (BUSY, UnavailableError),
        (DENIED, ConfigurationError),
        (Streamed((START, DROP)), UnavailableError),
        (Streamed((START, text_delta("<thinking>hm"), DROP)), UnavailableError),
        (Streamed((START, *reply_end())), UnavailableError),
    ],
)
@pytest.mark.parametrize("after_a_tool", [False, True])
def test_a_failure_before_any_text_is_named(
    reply: Refused | Streamed, expected: type[CicadaError], after_a_tool: bool
) -> None:
    with scripted_bedrock(*([ASKS] if after_a_tool else []), reply) as bedrock:
        pieces, error = until_failure(loop(bedrock).reply(TURN))
    assert pieces == []
    assert type(error) is expected


@pytest.mark.parametrize("reply", [THROTTLED, Streamed((START, DROP)), Streamed((START, text_delta("A "), DROP))])
def test_a_failure_after_something_was_said_breaks_the_answer(reply: Refused | Streamed) -> None:
    asks = Streamed((START, text_delta("Let me see."), *GET, *reply_end("tool_use")))
    with scripted_bedrock(asks, reply) as bedrock:
        pieces, error = until_failure(loop(bedrock).reply(TURN))
    assert pieces[0] == "Let me see."
    assert type(error) is StreamBrokenError


def test_a_store_that_fails_is_not_taken_for_an_empty_one() -> None:
    with scripted_bedrock(ASKS, SAYS) as bedrock:
        pieces, error = until_failure(loop(bedrock, BrokenStore()).reply(TURN))
    assert pieces == []
    assert type(error) is UnavailableError
    assert len(bedrock.requests) == 1


def test_closing_the_iterator_closes_the_connection() -> None:
    with scripted_bedrock(Streamed((START, text_delta("on and on "), FLOOD))) as bedrock:
        pieces = loop(bedrock).reply(TURN)
        assert next(pieces) == "on and on "
        pieces.close()  # type: ignore[attr-defined]
        assert bedrock.reader_left.wait(PATIENCE_SECONDS)
