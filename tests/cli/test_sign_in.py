"""Signing in to a stack: with a password, a first password or a saved refresh token, and renewing in a conversation."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli import deployment_target
from cli.__main__ import main
from cli.user import challenges
from cli.user.sign_in import sign_in
from tests.cli.conftest import Shell, Typing, replace_operation
from tests.cli.pool import REGION, STACK, DeployedPool, deployed_pool
from tests.clients.disturbing_server import WORDS, Body, Delivery, DisturbingServer, refused, running

PASSWORD = "A-long-one-of-1815"
CHOSEN = "Another-one-of-1843"
PASSWORD_PROMPT = "Password of ada on the stack Cicada-dev: "
TEXT = "".join(WORDS)


@pytest.fixture
def server() -> Iterator[DisturbingServer]:
    """It lets every token in."""
    with running(DisturbingServer(refuse=lambda number, token: None)) as server:
        yield server


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: DisturbingServer) -> Iterator[DeployedPool]:
    """A stack whose user ada has a password of her own; CICADA_PASSWORD holds it."""
    with deployed_pool() as made:
        made.cognito.admin_create_user(UserPoolId=made.pool_id, Username="ada", MessageAction="SUPPRESS")
        made.cognito.admin_set_user_password(UserPoolId=made.pool_id, Username="ada", Password=PASSWORD, Permanent=True)
        monkeypatch.setenv("AWS_REGION", REGION)
        monkeypatch.setenv("CICADA_STACK", STACK)
        monkeypatch.setenv("CICADA_PASSWORD", PASSWORD)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: made.outputs(server.url))
        yield made


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "state" / "cicada" / "sign-ins.json"


def typing(monkeypatch: pytest.MonkeyPatch, *typed: str) -> list[str]:
    """A person at the terminal, who types passwords. Returns the prompts."""
    answers, prompts = iter(typed), []

    def asked(prompt: str) -> str:
        prompts.append(prompt)
        return next(answers)

    monkeypatch.delenv("CICADA_PASSWORD", raising=False)
    monkeypatch.setattr("sys.stdin", Typing())
    monkeypatch.setattr(challenges, "getpass", asked)
    return prompts


def test_one_password_is_enough(pool: DeployedPool, saved: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    assert shell("token", "ada") == 0
    first = shell.out()
    assert first.count(".") == 2
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert PASSWORD not in saved.read_text()
    assert first.strip() not in saved.read_text()
    monkeypatch.delenv("CICADA_PASSWORD")
    assert shell("token") == 0
    said = shell.read()
    assert said.out.count(".") == 2
    assert said.err == ""


def test_user_of_the_environment(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    assert shell("token") == 2
    assert shell.err() == (
        "cicada: Nobody has signed in to the stack Cicada-dev yet: name a --user, or set CICADA_USER.\n"
    )
    monkeypatch.setenv("CICADA_USER", "ada")
    assert shell("token") == 0


def test_question_to_a_stack(pool: DeployedPool, server: DisturbingServer, shell: Shell) -> None:
    assert shell("ask", "q", "--user", "ada") == 0
    assert shell.out().startswith(TEXT)
    [token] = server.tokens
    assert pool.cognito.get_user(AccessToken=token)["Username"] == "ada"


def test_conversation_outlives_its_token(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    expired = refused(None, "token_expired", "Your access token has expired.", retryable=True)

    def network(delivery: Delivery) -> list[Body]:
        """The first connection's token expires before its second question, the second's in the middle of an answer."""
        if delivery.command.get("message") == "second" and delivery.connection == 1:
            return [expired]
        if delivery.command.get("message") == "third" and delivery.connection == 2:
            return [*delivery.frames[:5], expired]
        return delivery.frames

    with running(DisturbingServer(network=network, refuse=lambda number, token: None)) as server:
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: pool.outputs(server.url))
        monkeypatch.setattr("sys.stdin", io.StringIO("first\nsecond\nthird\n"))
        assert shell("chat", "--user", "ada") == 0
    said = shell.read()
    assert said.out.count(TEXT) == 3
    assert said.err == ""
    assert [command["message"] for command in server.questions()] == ["first", "second", "third"]
    assert server.connections == 3


def test_first_password_is_replaced(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    pool.cognito.admin_create_user(
        UserPoolId=pool.pool_id, Username="bob", MessageAction="SUPPRESS", TemporaryPassword=PASSWORD
    )
    monkeypatch.setenv("CICADA_PASSWORD", PASSWORD)
    assert shell("token", "bob") == 1
    assert "bob has an initial password and must choose another one: run `cicada token bob" in shell.err()
    prompts = typing(monkeypatch, PASSWORD, CHOSEN, "not the same")
    assert shell("token", "bob") == 2
    assert shell.err() == "cicada: The two are not the same; nothing has changed.\n"
    assert prompts == [
        "Password of bob on the stack Cicada-dev: ",
        "Choose a password for bob: ",
        "The same again: ",
    ]
    typing(monkeypatch, PASSWORD, CHOSEN, CHOSEN)
    assert shell("token", "bob") == 0
    assert "AuthenticationResult" in pool.sign_in("bob", CHOSEN)


def test_ended_refresh_token_is_forgotten(
    pool: DeployedPool, saved: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({pool.client_id: {"users": {"ada": "ended"}, "last": "ada"}}))
    monkeypatch.delenv("CICADA_PASSWORD")
    assert shell("token", "ada") == 2
    assert shell.err() == (
        "cicada: There is no password for ada: set CICADA_PASSWORD, or sign in once on a terminal with"
        " `cicada token ada --stack Cicada-dev`.\n"
    )
    assert json.loads(saved.read_text())[pool.client_id]["users"] == {}
    typing(monkeypatch, PASSWORD)
    assert shell("token", "ada") == 0


def test_used_refresh_token(pool: DeployedPool, saved: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    """Each refresh ends the refresh token that it used: a copy of the file is good for one."""
    assert shell("token", "ada") == 0
    copied = saved.read_text()
    assert shell("token", "ada") == 0
    assert saved.read_text() != copied
    saved.write_text(copied)
    monkeypatch.delenv("CICADA_PASSWORD")
    assert shell("token", "ada") == 2
    assert "There is no password for ada" in shell.err()


def test_two_commands_of_a_user_use_the_newest_refresh_token(pool: DeployedPool, server: DisturbingServer) -> None:
    target = deployment_target.aws_target(pool.outputs(server.url), STACK)
    chat, token = sign_in(target, "ada"), sign_in(target, "ada")
    assert len({chat(), token(), chat(), token()}) == 4


@pytest.mark.parametrize("required", [False, True])
def test_code_of_an_authenticator_app(
    pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell, required: bool
) -> None:
    """`required`: the pool asks for an app that the user does not have yet. moto takes any code."""
    mode: Any = "ON" if required else "OPTIONAL"
    software = {"Enabled": True}
    pool.cognito.set_user_pool_mfa_config(
        UserPoolId=pool.pool_id, SoftwareTokenMfaConfiguration=software, MfaConfiguration=mode
    )
    if not required:
        add_app(pool)
    assert shell("token", "ada") == 1
    assert "run `cicada token ada --stack Cicada-dev` on a terminal" in shell.err()
    prompts = typing(monkeypatch, PASSWORD, "123456", "123456")
    assert shell("token", "ada") == 0
    said = shell.read()
    assert said.out.count(".") == 2
    if required:
        assert "Add this key to an authenticator app: " in said.err
        assert prompts == [PASSWORD_PROMPT, "Code that the app shows: "]
    else:
        assert prompts == [PASSWORD_PROMPT, "Code of the authenticator app for ada: "]


def add_app(pool: DeployedPool) -> None:
    tokens = pool.cognito.admin_initiate_auth(
        UserPoolId=pool.pool_id,
        ClientId=pool.client_id,
        AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": "ada", "PASSWORD": PASSWORD},
    )["AuthenticationResult"]
    pool.cognito.associate_software_token(AccessToken=tokens["AccessToken"])
    pool.cognito.verify_software_token(AccessToken=tokens["AccessToken"], UserCode="123456")


def test_a_file_that_is_none_of_ours_is_written_anew(pool: DeployedPool, saved: Path, shell: Shell) -> None:
    saved.parent.mkdir(parents=True)
    for content in ("", "[]", '{"x": 1}', json.dumps({pool.client_id: {"users": [1]}})):
        saved.write_text(content)
        assert shell("token", "ada") == 0
        assert list(json.loads(saved.read_text())[pool.client_id]["users"]) == ["ada"]


def test_wrong_password(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell, saved: Path) -> None:
    monkeypatch.setenv("CICADA_PASSWORD", "wrong")
    assert shell("ask", "q", "--user", "ada") == 1
    assert shell.err() == "cicada: ada is not let in: Incorrect username or password.\n"
    assert not saved.exists()


def test_signing_out(pool: DeployedPool, saved: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    revoked: list[dict[str, Any]] = []
    replace_operation(monkeypatch, "revoke_token", lambda _: lambda **parameters: revoked.append(parameters))
    shell("token", "ada")
    kept = json.loads(saved.read_text())[pool.client_id]["users"]["ada"]
    shell.read()
    assert shell("token", "--sign-out") == 0
    assert shell.out() == "Signed out.\n"
    assert revoked == [{"Token": kept, "ClientId": pool.client_id}]
    assert json.loads(saved.read_text())[pool.client_id]["users"] == {}
    assert shell("token", "ada", "--sign-out") == 0
    assert shell.out() == "Nobody of that name was signed in.\n"


def test_an_address_and_a_stack_are_too_much(shell: Shell) -> None:
    assert shell("ask", "q", "--url", "ws://127.0.0.1:1", "--stack", "Cicada-dev") == 2
    assert shell.err() == "cicada: Give --url or --stack: a stack says its address itself.\n"


def test_stack_option_counts_more_than_an_address_in_the_environment(
    pool: DeployedPool, server: DisturbingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CICADA_URL", "ws://127.0.0.1:1")
    assert main(["ask", "q", "--stack", STACK, "--user", "ada"]) == 0
    assert len(server.tokens) == 1
