"""The `cicada` command, run as a person or a script runs it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cicada.knowledge_bases.file import load_knowledge_bases
from cli.__main__ import main
from cli.command import cicada
from cli.settings import read_settings
from local.stage.settings import ROOT
from tests.cli.aws_stand_in import AwsStandIn, running_aws
from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import SOURCE, TOKEN, WORDS, Body, DisturbingServer, Drop, answer, refused, running
from tests.clients.listings import ABOUT, AGGREGATES, COLUMNS, DOCUMENTS, GROUPS, PLAN, listed, listed_by_subject

TEXT = "".join(WORDS)
SOURCE_LINE = "[1] Macbeth (Status: retired) · Act 5 · Scene 5 · messages 12–18 · MACBETH, SEYTON\n"
FUNCTIONS = {"message_processor": "cicada-local-message-processor"}


@pytest.fixture(autouse=True)
def _no_stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Shield the tests from the environment and from a running stage."""
    for name in ("CICADA_URL", "CICADA_TOKEN", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CICADA_STAGE_FILE", str(tmp_path / "stage.json"))


@pytest.fixture
def server() -> Iterator[DisturbingServer]:
    with running(DisturbingServer()) as server:
        yield server


@pytest.fixture
def aws() -> Iterator[AwsStandIn]:
    with running_aws(AwsStandIn({"ada": "Ada-1815!", "grace": "Grace-1906!"}, TOKEN)) as aws:
        yield aws


@pytest.fixture
def stage(aws: AwsStandIn, server: DisturbingServer, tmp_path: Path) -> dict[str, Any]:
    """A running local stage: its file, a WebSocket server and the AWS services behind it."""
    fields = {
        "websocketUrl": server.url,
        "pageUrl": "http://127.0.0.1:8080",
        "users": [{"name": name, "password": word} for name, word in aws.passwords.items()],
        "region": "us-east-1",
        "endpointUrl": aws.url,
        "userPoolId": "us-east-1_abc",
        "clientId": "client",
        "functions": FUNCTIONS,
        "outputs": {"ApiId": "api1"},
        "processes": {"emulator": {"pid": 1}},
    }
    (tmp_path / "stage.json").write_text(json.dumps(fields))
    return fields


def at(server: DisturbingServer) -> list[str]:
    return ["--url", server.url, "--token", TOKEN]


@pytest.mark.parametrize("name", cicada.commands)
def test_every_subcommand_has_help_with_an_example(name: str, shell: Shell) -> None:
    assert shell(name, "--help") == 0
    shown = shell.out()
    assert f"Usage: cicada {name}" in shown
    assert f"cicada {name}" in shown.partition("example: ")[2]


def test_help_loads_nothing_heavy() -> None:
    heavy = ["boto3", "pydantic", "cicada", "evals", "bench", "numpy", "rich", "websockets"]
    code = f"import sys, cli.command\nprint([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ingst", "."], "No such command 'ingst'. Did you mean 'ingest'? Try `cicada --help`."),
        (["user", "ad"], "No such command 'ad'. Did you mean 'add'? Try `cicada user --help`."),
        (["stage", "--jsn"], "No such option '--jsn'. Did you mean '--json'? Try `cicada stage --help`."),
        (["user"], "Missing command. Try `cicada user --help`."),
        (["stage", "\u200b"], "Got unexpected extra argument (\\u200b) Try `cicada stage --help`."),
    ],
)
def test_misspelt_command_or_option(arguments: list[str], said: str, shell: Shell) -> None:
    assert shell(*arguments) == 2
    assert shell.err() == f"cicada: {said}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_this_command(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_CICADA_COMPLETE={shell}_complete" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("cicada red", "redrive"), ("cicada user sig", "sign-out"), ("cicada documents list --state rej", "rejected")],
)
def test_completion(
    typed: str, offered: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_CICADA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    assert main([]) == 0
    assert capfd.readouterr().out == f"plain,{offered}\n"


def test_ask_prints_the_answer_and_then_its_sources(server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "Who says that the queen is dead?", *at(server)) == 0
    captured = shell.read()
    assert captured.out == f"{TEXT}\n{SOURCE_LINE}"
    assert captured.err == ""


def test_only_the_sources_that_the_answer_cites_are_shown(shell: Shell) -> None:
    script = answer(["The Queen ", "is dead [2][4", "], and more [1; 12]."])
    script[2] = {"type": "sources", "sources": [SOURCE | {"n": n} for n in range(1, 6)]}
    with running(DisturbingServer(script)) as server:
        assert shell("ask", "q", *at(server)) == 0
    shown = shell.lines()[1:]
    assert [line[:3] for line in shown] == ["[1]", "[2]", "[4]"]


def test_the_version_is_the_packages(shell: Shell) -> None:
    assert shell("--version") == 0
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert shell.out() == f"cicada {tomllib.load(file)['project']['version']}\n"


def test_ask_prints_one_json_object(server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "q", "--json", *at(server)) == 0
    printed = shell.json()
    assert printed == {
        "requestId": server.commands[0]["requestId"],
        "sessionId": "session-1",
        "knowledgeBase": None,
        "status": "complete",
        "text": TEXT,
        "sources": [SOURCE | {"spans": []}],
        "listing": None,
        "usage": {"inputTokens": 10, "outputTokens": 5},
        "timings": {"firstTokenMs": 20},
        "path": ["direct"],
        "confidence": 0.8,
        "plan": None,
        "checked": None,
        "unsupported": [],
        "failure": None,
    }


def test_a_listing_is_in_the_json_as_on_the_wire(shell: Shell) -> None:
    with running(DisturbingServer(listed())) as server:
        assert shell("ask", "q", "--json", *at(server)) == 0
    printed = shell.json()
    assert printed["listing"] == {
        "total": 57,
        "documents": DOCUMENTS,
        "offset": 20,
        "nextOffset": 23,
        "columns": COLUMNS,
        "aggregates": AGGREGATES,
        "groupedBy": ["Status"],
        "groups": GROUPS,
        "groupCount": 3,
    }
    assert printed["plan"] == PLAN


def test_a_listing_is_a_table_behind_the_sentence(shell: Shell) -> None:
    with running(DisturbingServer(listed())) as server:
        assert shell("ask", "q", "--explain", *at(server)) == 0
    captured = shell.read()
    assert captured.out.splitlines() == [
        "57 documents match.",
        "Number      Value",
        "Value, sum  1,234",
        "",
        "Status    Count  Value, sum",
        "approved  50     1,234",
        "–         7      –",
        "",
        "Title             Status    Expires",
        "Cleaning of vats  approved  2026-02-01",
        "doc-2                       2026-05-01",
        "試験の手順        draft",
    ]
    assert captured.err.splitlines() == [
        "The first 1 of 3",
        "21–23 of 57 · `cicada ask more --session session-1` shows the next page",
        "Knowledge base: store",
        "Metadata only · 91 % sure · Status: approved; Expires: from 2026-01-01 · 57 documents · 2 withheld · list",
    ]


def test_rows_of_tables_are_explained_as_rows(shell: Shell) -> None:
    *before, last = listed()
    with running(DisturbingServer([*before, last | {"path": ["list", "rows:57"]}])) as server:
        assert shell("ask", "q", "--explain", *at(server)) == 0
    assert " · 57 rows · 2 withheld · list → rows:57" in shell.read().err


def test_a_document_about_a_subject_is_shown_with_what_matched(shell: Shell) -> None:
    with running(DisturbingServer(listed_by_subject())) as server:
        assert shell("ask", "q", *at(server)) == 0
        assert shell.read().out.splitlines() == [
            "I found 1 document about “rinsing”.",
            "1. Cleaning of vats (approved, 2026-02-01)",
            "→ “rinse” in “2 Method”: Rinse the vat twice.",
        ]
        assert shell("ask", "q", "--json", *at(server)) == 0
    assert shell.json()["listing"]["documents"] == ABOUT


def test_ask_sends_its_options(server: DisturbingServer) -> None:
    options = ["--session", "s-1", "--knowledge-base", "plays", "--episode", "Act 1", "--episode", "Act 5"]
    server.on_command = lambda command: history(command, known="s-1")
    assert main(["ask", "q", *options, *at(server)]) == 0
    [sent] = server.questions()
    assert (sent["sessionId"], sent["knowledgeBase"], sent["scope"]) == (
        "s-1",
        "plays",
        {"episodes": ["Act 1", "Act 5"]},
    )


def history(command: Body, known: str) -> list[Body] | None:
    """The pages of a user with one conversation."""
    if command["action"] != "history":
        return None
    if "sessionId" not in command:
        session = {"sessionId": known, "title": "q", "lastAt": "2026-01-01T00:00:00.000+00:00"}
        return [{"type": "history", "sessions": [session]}]
    turn = {"requestId": "r", "createdAt": "2026-01-01T00:00:00.000+00:00", "status": "complete", "message": "q"}
    turns = [turn | {"answer": "a"}] if command["sessionId"] == known else []
    return [{"type": "history", "sessionId": command["sessionId"], "turns": turns}]


@pytest.mark.parametrize("command", [["ask", "q"], ["chat"]])
def test_unknown_conversation_is_refused(server: DisturbingServer, shell: Shell, command: list[str]) -> None:
    server.on_command = lambda command: history(command, known="s-1234")
    for wrong, meant in (("s-123", "; did you mean “s-1234”?"), ("x", ".")):
        assert shell(*command, "--session", wrong, *at(server)) == 2
        said = f"cicada: You have no conversation {wrong}, or it has expired{meant} `cicada sessions list`"
        assert shell.err().startswith(said)
    assert server.questions() == []


def test_ask_sends_filters_as_the_protocol_writes_them(server: DisturbingServer) -> None:
    filters = ["status=approved, draft", "status!=retired", "effective>=2026-01-01", "owner?", "!retired"]
    assert main(["ask", "q", *(f"--filter={each}" for each in filters), *at(server)]) == 0
    assert server.commands[0]["scope"] == {
        "filters": [
            {"field": "status", "op": "any", "values": ["approved", "draft"]},
            {"field": "status", "op": "none", "values": ["retired"]},
            {"field": "effective", "op": "gte", "value": "2026-01-01"},
            {"field": "owner", "op": "exists", "value": True},
            {"field": "retired", "op": "exists", "value": False},
        ]
    }


def test_a_filter_that_is_none_is_refused_before_anything_is_sent(server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "q", "--filter", "status", *at(server)) == 2
    assert "'status' is no filter; write it as status=approved" in shell.err()
    assert server.commands == []


def test_ask_reads_the_question_from_standard_input(server: DisturbingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a long\nquestion\n"))
    assert main(["ask", "-", *at(server)]) == 0
    assert server.commands[0]["message"] == "a long\nquestion"


def test_ask_survives_a_broken_connection_and_says_so_beside_the_answer(shell: Shell) -> None:
    server = DisturbingServer(
        network=lambda delivery: [*delivery.frames[:6], Drop()] if delivery.connection == 1 else delivery.frames
    )
    with running(server):
        assert shell("ask", "q", *at(server)) == 0
    captured = shell.read()
    assert captured.out == f"{TEXT}\n{SOURCE_LINE}"
    assert captured.err == "The connection was lost; the answer goes on where it stopped.\n"


def test_a_failed_answer_is_exit_code_1(shell: Shell) -> None:
    failure = {"type": "error", "error": "The model failed.", "code": "stream_broken", "retryable": True}
    with running(DisturbingServer(script=[*answer()[:4], failure])) as server:
        assert shell("ask", "q", *at(server)) == 1
        assert "The model failed." in shell.err()
        assert shell("ask", "q", "--json", *at(server)) == 1
    printed = shell.json()
    assert printed["status"] == "failed"
    assert printed["failure"] == {"error": "The model failed.", "code": "stream_broken", "retryable": True}


def test_a_refused_question_is_one_sentence(shell: Shell) -> None:
    sentence = "Too many\x1b[31m requests."
    limited = DisturbingServer(
        on_command=lambda command: [refused(command["requestId"], "rate_limited", sentence, retryAfterSeconds=3)]
    )
    with running(limited):
        assert shell("ask", "q", *at(limited)) == 1
    assert shell.err() == "cicada: Too many[31m requests.\n"


def test_a_refused_token_is_one_sentence_without_the_token(server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "q", "--url", server.url, "--token", "wrong-token") == 1
    said = shell.err()
    assert said.startswith("cicada: ws://127.0.0.1")
    assert "refused the access token (HTTP 403)" in said
    assert said.endswith("ask your operator whether your account is enabled and has exactly one tenant.\n")
    assert "wrong-token" not in said


def test_nobody_listening_is_one_sentence(shell: Shell) -> None:
    with running(DisturbingServer()) as server:
        pass
    assert shell("ask", "q", *at(server)) == 1
    assert shell.err() == f"cicada: Nothing answers at {server.url}.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "  ", "--url", "ws://127.0.0.1:1", "--token", "t"], "The question is empty."),
        (["ask", "q", "--url", "http://127.0.0.1", "--token", "t"], "must begin with ws://"),
        (["ask", "q", "--url", "ws://127.0.0.1:1"], "no access token"),
    ],
)
def test_a_wrong_use_is_one_sentence_and_exit_code_2(arguments: list[str], said: str, shell: Shell) -> None:
    assert shell(*arguments) == 2
    assert said in shell.err()


def test_the_environment_names_address_and_token(server: DisturbingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    at_server(server, monkeypatch)
    assert main(["ask", "q"]) == 0


def test_settings_come_from_the_environment_given() -> None:
    settings = read_settings({"NO_COLOR": "1", "TERM": "xterm", "CICADA_URL": "", "CICADA_STAGE_FILE": "/x/y"})
    assert (settings.colour, settings.plain, settings.url, settings.stage_file) == (False, False, None, Path("/x/y"))
    assert read_settings({"TERM": "dumb"}).plain
    assert read_settings({"CICADA_STAGE_DIR": "/x"}).stage_file == Path("/x/stage.json")


def test_the_local_stage_is_the_default(stage: dict[str, Any], server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "q") == 0
    assert server.tokens == [TOKEN]


def test_a_user_that_the_stage_does_not_have_is_named(stage: dict[str, Any], shell: Shell) -> None:
    assert shell("ask", "q", "--user", "eve") == 2
    assert shell.err() == (
        "cicada: eve is no sample user of the local stage, which are ada, grace: set CICADA_PASSWORD to sign in.\n"
    )


def test_without_a_stage_every_command_says_what_to_do(shell: Shell) -> None:
    for arguments in (["ask", "q"], ["chat"], ["stage"], ["token", "ada"], ["invoke", "message_processor"]):
        assert shell(*arguments) == 1
        where = read_settings().stage_file
        assert shell.err() == (f"cicada: The local stage is not running ({where} is missing): run `make run` first.\n")


def test_a_stage_that_no_longer_answers_is_said(stage: dict[str, Any], tmp_path: Path, shell: Shell) -> None:
    with running(DisturbingServer()) as gone:
        dead = gone.url.replace("ws://", "http://")
    (tmp_path / "stage.json").write_text(json.dumps(stage | {"endpointUrl": dead}))
    assert shell("stage") == 1
    assert shell.err() == f"cicada: The local stage does not answer at {dead}: run `make run` first.\n"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"users": 3}', "\xff"])
def test_a_stage_file_that_is_none_is_said(content: str, tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "stage.json").write_bytes(content.encode("latin-1"))
    assert shell("stage") == 1
    assert "cannot be used: run `make run` first" in shell.err()


def test_stage_shows_what_runs_where(stage: dict[str, Any], tmp_path: Path, shell: Shell) -> None:
    # By the sub viewers are named.
    stage["users"][0]["sub"] = "a1b2"
    (tmp_path / "stage.json").write_text(json.dumps(stage))
    assert shell("stage", "--json") == 0
    assert shell.json() == stage
    assert shell("stage") == 0
    lines = shell.lines()
    assert lines[0] == f"WebSocket      {stage['websocketUrl']}"
    assert "Users          ada, password Ada-1815!, sub a1b2" in lines
    assert "               grace, password Grace-1906!" in lines
    assert "Functions      message_processor: cicada-local-message-processor" in lines


def test_token_prints_the_access_token_and_nothing_else(stage: dict[str, Any], shell: Shell) -> None:
    assert shell("token", "grace") == 0
    assert shell.out() == f"{TOKEN}\n"


def test_a_wrong_password_is_one_sentence_without_it(stage: dict[str, Any], aws: AwsStandIn, shell: Shell) -> None:
    aws.passwords["grace"] = "changed"
    assert shell("token", "grace") == 1
    said = shell.err()
    assert said == (
        "cicada: grace is not let in: Incorrect username or password. Restart the local stage with `make run`.\n"
    )


def test_a_disabled_user_is_not_told_to_restart_the_stage(stage: dict[str, Any], aws: AwsStandIn, shell: Shell) -> None:
    aws.is_disabled = True
    assert shell("token", "grace") == 1
    assert shell.err() == "cicada: grace is not let in: User is disabled.\n"


def test_invoke_sends_a_file_standard_input_or_the_event_in_the_checkout(
    stage: dict[str, Any], aws: AwsStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    aws.results[FUNCTIONS["message_processor"]] = ({"text": "死んだ"}, False)
    (tmp_path / "event.json").write_text('{"message": "q"}')
    monkeypatch.setattr("sys.stdin", io.StringIO('{"message": "from a pipe"}'))
    for given in ([str(tmp_path / "event.json")], ["-"], []):
        assert shell("invoke", "message_processor", *given) == 0
        assert shell.json() == {"text": "死んだ"}
    shipped = json.loads((ROOT / "events" / "message_processor.json").read_text())
    sent = [{"message": "q"}, {"message": "from a pipe"}, shipped]
    assert aws.invoked == [(FUNCTIONS["message_processor"], each) for each in sent]


def test_invoked_function_that_raised(
    stage: dict[str, Any], aws: AwsStandIn, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    aws.results[FUNCTIONS["message_processor"]] = ({"errorMessage": "boom"}, True)
    monkeypatch.setattr("sys.stdin", io.StringIO("{}"))
    assert shell("invoke", "message_processor", "-") == 1
    captured = shell.read()
    assert json.loads(captured.out) == {"errorMessage": "boom"}
    assert captured.err == "cicada: The function message_processor failed.\n"


def test_invoked_function_that_is_not_deployed(
    stage: dict[str, Any], monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("{}"))
    assert shell("invoke", "message_processor", "-") == 1
    assert "Function not found" in shell.err()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no function nothing; there are message_processor."),
        (["message_processor", "no-such-file.json"], "no-such-file.json cannot be read"),
        (["message_processor", "-"], "Standard input is not JSON"),
    ],
)
def test_impossible_invocation(
    arguments: list[str],
    said: str,
    stage: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    shell: Shell,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("not json"))
    assert shell("invoke", *arguments) == 2
    assert said in shell.err()


def test_eval_router_prints_a_report(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "router.jsonl"
    file.write_text('{"text": "Hello there", "label": "general", "slice": "plain"}\n')
    assert shell("eval", "router", str(file), "--json") == 0
    report = shell.json()
    assert report["n"] == 1
    assert set(report) >= {"accuracy", "by_class", "by_slice", "confusion"}
    assert shell("eval", "router", str(file)) == 0
    assert "general" in shell.out()


def test_the_bases_are_listed_with_what_they_hold(shell: Shell) -> None:
    assert shell("bases", "--json") == 0
    found = shell.json()
    named = load_knowledge_bases().named
    assert [each["name"] for each in found["bases"]] == sorted(named)
    scripts = next(each for each in found["bases"] if each["name"] == "scripts")
    assert (scripts["description"], scripts["content"], scripts["groups"]) == (
        named["scripts"].description,
        "scripts",
        [],
    )
    assert shell("bases") == 0
    out = shell.out()
    assert all(f"{name}: {base.description}" in out for name, base in named.items())


_INTERRUPTED_AT = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from cli.__main__ import main
sys.exit(main(["status"]))
"""


@pytest.mark.parametrize("module", ["cli.command", "click", "cicada_client.errors", "cli.operator.status"])
def test_an_interrupt_while_the_command_starts_is_no_traceback(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED_AT, module], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_nothing_that_is_slow_is_imported_where_an_interrupt_is_not_caught() -> None:
    shown = "import sys, cli.__main__; print([name for name in sys.modules if name.startswith(('cli', 'rich'))])"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout == "['cli', 'cli.__main__']\n"
