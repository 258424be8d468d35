from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    MESSAGE_LIMIT_BYTES,
    Cancel,
    History,
    Ping,
    Resume,
    Scope,
    SendMessage,
    SignOutEverywhere,
    failed,
    frame,
    parse_command,
    request_id_of,
)
from cicada.errors import InvalidFrameError

ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
SEND: dict[str, Any] = {"action": "sendMessage", "requestId": ID, "message": "Who?"}
RESUME: dict[str, Any] = {"action": "resume", "requestId": ID, "afterSeq": 3}
CANCEL: dict[str, Any] = {"action": "cancel", "requestId": ID}
HISTORY: dict[str, Any] = {"action": "history"}
ACTIONS = (
    'The field "action" must be one of sendMessage, resume, cancel, history, changeSession, deleteSession, '
    "shareSession, unshareSession, openShared, eraseMine, feedback, openDocument, listKnowledgeBases, listDocuments, "
    "listMore, uploadDocument, describeDocument, removeDocument, listUsers, addUser, disableUser, enableUser, "
    "setGroups, readUse, readFeedback, readFailures, ping, signOutEverywhere."
)
SECRET = "s3cret"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)


def sentence(fields: object) -> str:
    return refusal(json.dumps(fields))


def refusal(text: str) -> str:
    with pytest.raises(InvalidFrameError) as caught:
        parse_command(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        (SEND, SendMessage(request_id=ID, message="Who?")),
        (
            SEND
            | {
                "sessionId": "s:1.a-b_c",
                "knowledgeBase": "plays",
                "scope": {"episodes": ["macbeth"], "metadata": {"act": ["1", "2"]}},
            },
            SendMessage(
                request_id=ID,
                message="Who?",
                session_id="s:1.a-b_c",
                knowledge_base="plays",
                scope=Scope(episodes=["macbeth"], metadata={"act": ["1", "2"]}),
            ),
        ),
        (SEND | {"scope": {}}, SendMessage(request_id=ID, message="Who?", scope=Scope())),
        (RESUME, Resume(request_id=ID, after_seq=3)),
        (RESUME | {"afterSeq": 0}, Resume(request_id=ID, after_seq=0)),
        (CANCEL, Cancel(request_id=ID)),
        (HISTORY, History(limit=20)),
        (
            HISTORY | {"sessionId": "s1", "before": "2027-01-15T08:00:00.000+00:00", "limit": 50},
            History(session_id="s1", before="2027-01-15T08:00:00.000+00:00", limit=50),
        ),
        ({"action": "ping"}, Ping()),
        ({"action": "signOutEverywhere"}, SignOutEverywhere()),
    ],
)
def test_every_command_is_read(fields: dict[str, Any], command: object) -> None:
    assert parse_command(json.dumps(fields)) == command


@pytest.mark.parametrize("optional", ["sessionId", "knowledgeBase", "scope"])
def test_an_optional_field_that_is_null_is_a_field_that_is_absent(optional: str) -> None:
    assert parse_command(json.dumps(SEND | {optional: None})) == parse_command(json.dumps(SEND))


@pytest.mark.parametrize("command", [SEND, RESUME, CANCEL, HISTORY, {"action": "ping"}])
def test_unknown_fields_are_ignored(command: dict[str, Any]) -> None:
    more = command | {"later": {"x": 1}, "connectionId": "stolen", "user": "eve"}
    assert parse_command(json.dumps(more)) == parse_command(json.dumps(command))


@pytest.mark.parametrize("request_id", [ID, ID.upper(), "7E57d004-2b97-4e7a-B45F-5387367791cD"])
def test_the_case_of_a_request_id_is_kept(request_id: str) -> None:
    command = parse_command(json.dumps(CANCEL | {"requestId": request_id}))
    assert isinstance(command, Cancel)
    assert command.request_id == request_id
    assert request_id_of(json.dumps({"requestId": request_id})) == request_id


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (SEND | {"requestId": SECRET}, "requestId"),
        (SEND | {"requestId": f"{ID}\n"}, "requestId"),
        (SEND | {"requestId": f"{ID}{SECRET}"}, "requestId"),
        (SEND | {"requestId": None}, "requestId"),
        (SEND | {"requestId": 7}, "requestId"),
        (SEND | {"message": ""}, "message"),
        *((SEND | {"message": blank}, "message") for blank in (" ", "\n\t", "\u3000")),
        (SEND | {"message": SECRET * 1334}, "message"),
        (SEND | {"message": [SECRET]}, "message"),
        (SEND | {"message": None}, "message"),
        (SEND | {"sessionId": f"{SECRET} with spaces"}, "sessionId"),
        (SEND | {"sessionId": ""}, "sessionId"),
        (SEND | {"sessionId": "x" * 65}, "sessionId"),
        (SEND | {"sessionId": f"acme#{SECRET}"}, "sessionId"),
        (SEND | {"knowledgeBase": f"../{SECRET}"}, "knowledgeBase"),
        (SEND | {"scope": SECRET}, "scope"),
        (SEND | {"scope": {"episodes": SECRET}}, "scope.episodes"),
        (SEND | {"scope": {"episodes": [1]}}, "scope.episodes.0"),
        (SEND | {"scope": {"episodes": [SECRET] * 51}}, "scope.episodes"),
        (SEND | {"scope": {"episodes": [SECRET * 40]}}, "scope.episodes.0"),
        (SEND | {"scope": {"metadata": {f"{SECRET} {SECRET * 1000}": ["x"]}}}, "scope.metadata"),
        (SEND | {"scope": {"metadata": {SECRET: "x"}}}, "scope.metadata"),
        (SEND | {"scope": {"metadata": {SECRET: []}}}, "scope.metadata"),
        (SEND | {"scope": {"metadata": {SECRET: [None]}}}, "scope.metadata"),
        (SEND | {"scope": {"metadata": {f"{SECRET}{n}": ["x"] for n in range(11)}}}, "scope.metadata"),
        (RESUME | {"afterSeq": -1}, "afterSeq"),
        (RESUME | {"afterSeq": 100_000_000}, "afterSeq"),
        (RESUME | {"afterSeq": 10**400}, "afterSeq"),
        (RESUME | {"afterSeq": "3"}, "afterSeq"),
        (RESUME | {"afterSeq": 3.5}, "afterSeq"),
        (RESUME | {"afterSeq": True}, "afterSeq"),
        (RESUME | {"afterSeq": float("nan")}, "afterSeq"),
        (RESUME | {"afterSeq": None}, "afterSeq"),
        (CANCEL | {"requestId": SECRET}, "requestId"),
        (HISTORY | {"limit": 0}, "limit"),
        (HISTORY | {"limit": 51}, "limit"),
        (HISTORY | {"limit": SECRET}, "limit"),
        (HISTORY | {"before": SECRET * 20}, "before"),
        (HISTORY | {"sessionId": f"#{SECRET}"}, "sessionId"),
    ],
)
def test_a_refusal_names_the_field_and_quotes_no_value(fields: dict[str, Any], named: str) -> None:
    said = sentence(fields)
    assert said.startswith(f'The field "{named}" ')
    assert said.endswith(".")
    assert SECRET not in said
    assert len(said) < 200


@pytest.mark.parametrize(
    ("command", "field"),
    [(SEND, "requestId"), (SEND, "message"), (RESUME, "requestId"), (RESUME, "afterSeq"), (CANCEL, "requestId")],
)
def test_a_missing_field_is_named(command: dict[str, Any], field: str) -> None:
    rest = {name: value for name, value in command.items() if name != field}
    assert sentence(rest) == f'The field "{field}" is missing.'


def test_the_names_of_the_code_are_not_names_of_the_wire() -> None:
    assert sentence({"action": "cancel", "request_id": ID}) == 'The field "requestId" is missing.'


@pytest.mark.parametrize(
    "fields", [{}, {"action": "dance"}, {"action": None}, {"action": ["ping"]}, {"Action": "ping"}]
)
def test_an_unknown_action_is_told_the_known_ones(fields: dict[str, Any]) -> None:
    assert sentence(fields) == ACTIONS


@pytest.mark.parametrize("value", [[], 5, None, True, "ping", [SEND]])
def test_a_frame_must_be_an_object(value: object) -> None:
    assert sentence(value) == "The frame must be a JSON object."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ping",
        '{"action":"ping"',
        '{"action":"ping"} x',
        '\ufeff{"action":"ping"}',
        "[" * 100_000,
        '{"action":"ping","x":' + "[" * 50_000,
        '{"action":"ping","x":' + '{"y":' * 20_000 + "1" + "}" * 20_001,
        '{"action":"ping","x":' + "9" * 100_000 + "}",
        '{"action":"\\ud800"}',
        '{"action":"ping","x":"\ud800"}',
        "\x00",
        "'ping'",
        '{"message":"' + SECRET,
    ],
    ids=ascii,
)
def test_what_is_not_json_is_said_to_be_not_json(text: str) -> None:
    assert refusal(text) == "The frame is not valid JSON."
    assert request_id_of(text) is None


def test_of_a_repeated_field_the_last_one_counts() -> None:
    assert parse_command('{"action":"cancel","action":"ping"}') == Ping()
    other = ID.replace("7", "8")
    twice = f'{{"action":"cancel","requestId":"{ID}","requestId":"{other}"}}'
    assert parse_command(twice) == Cancel(request_id=other)
    assert request_id_of(twice) == other


@pytest.mark.parametrize("filler", ["x", "é", "😀"])
def test_a_frame_is_measured_in_bytes(filler: str) -> None:
    shell = json.dumps({"action": "ping", "filler": ""})
    room = (MESSAGE_LIMIT_BYTES - len(shell)) // len(filler.encode())
    fitting = shell.replace('""', json.dumps(filler * room, ensure_ascii=False))
    assert parse_command(fitting) == Ping()
    assert refusal(fitting + " " * 4) == "The frame is larger than 128 KB; send a shorter message."


def test_a_message_is_measured_in_characters() -> None:
    command = parse_command(json.dumps(SEND | {"message": "😀" * 8000}))
    assert isinstance(command, SendMessage)
    assert len(command.message) == 8000
    assert sentence(SEND | {"message": "x" * 8001}) == (
        'The field "message" is not valid: string should have at most 8000 characters.'
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps({"requestId": ID}), ID),
        (json.dumps(SEND | {"message": None}), ID),
        (json.dumps({"requestId": ID + "0"}), None),
        (json.dumps({"requestId": f"{ID}\n"}), None),
        (json.dumps({"requestId": SECRET}), None),
        (json.dumps({"requestId": [ID]}), None),
        (json.dumps([ID]), None),
        (json.dumps({}), None),
        ("", None),
    ],
)
def test_the_request_id_of_a_refused_frame_is_found(text: str, found: str | None) -> None:
    assert request_id_of(text) == found


def refused_or_read(text: str) -> None:
    """Nothing but `InvalidFrameError` comes out, and its reply fits in a frame."""
    request_id = request_id_of(text)
    assert request_id is None or re.fullmatch(r"[0-9a-fA-F-]{36}", request_id)
    try:
        parse_command(text)
    except InvalidFrameError as error:
        assert len(frame(failed(error), request_id=request_id).encode()) < FRAME_LIMIT_BYTES


@given(st.text(st.characters(exclude_categories=())))
@example("{" * 500)
@example('{"action":"ping","x":-}')
def test_no_text_raises_anything_but_a_refusal(text: str) -> None:
    refused_or_read(text)


@given(
    st.sampled_from([SEND, RESUME, CANCEL, HISTORY]),
    st.dictionaries(
        st.sampled_from(["action", "requestId", "message", "sessionId", "scope", "afterSeq", "limit", "before"]),
        JSON | st.fixed_dictionaries({"episodes": JSON, "metadata": JSON}),
        min_size=1,
    ),
)
def test_no_field_raises_anything_but_a_refusal(command: dict[str, Any], replaced: dict[str, Any]) -> None:
    refused_or_read(json.dumps(command | replaced))
