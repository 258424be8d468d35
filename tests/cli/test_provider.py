"""Signing in with the identity provider of a stack, in a browser that comes back to this machine."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from moto.cognitoidp.models import cognitoidp_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from cli import deployment_target
from cli.__main__ import main
from cli.user import provider
from tests.browser.fake_authorization_server import PROVIDER, FakeAuthorizationServer
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import FakeUserPool
from tests.browser.serving import serving
from tests.cli.conftest import Shell, Typing
from tests.cli.pool import REGION, STACK, DeployedPool, deployed_pool

USER = "Okta_00u1"


class Issuing(FakeUserPool):
    """Gives out what it is told to."""

    issued: dict[str, Any]

    def tokens_for(self, user: str) -> dict[str, Any]:
        return self.issued


class Browser:
    """What a person does in the browser that the command opens. `said`: what each page said in the end."""

    def __init__(self) -> None:
        self.link = "/provider/done"
        self.first: Callable[[str], None] = lambda back: None
        self.opened: list[dict[str, str]] = []
        self.said: list[str] = []

    def open(self, address: str) -> bool:
        os.write(1, b"Opening in an existing session.")
        threading.Thread(target=self._use, args=(address,)).start()
        return True

    def _use(self, address: str) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.opened.append(query)
        self.first(query["redirect_uri"])
        page = self.get(address)
        [link] = [each for each in re.findall('href="([^"]+)"', page) if each.startswith(self.link)]
        self.said.append(self.get(urljoin(address, link)))

    def get(self, address: str) -> str:
        try:
            with urlopen(address) as response:  # noqa: S310 - of this machine
                return str(response.read().decode())
        except HTTPError as error:
            with error:
                return f"{error.code} {error.read().decode()}"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    found = Browser()
    monkeypatch.setattr("webbrowser.open", found.open)
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def server() -> FakeAuthorizationServer:
    return FakeAuthorizationServer(Issuing(), page=f"http://127.0.0.1:{free_port()}/")


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: FakeAuthorizationServer) -> Iterator[DeployedPool]:
    """A stack with an identity provider, with whom one user has signed in before."""
    backend = FakeBackend(lambda _: [])
    backend.authorization = server
    with deployed_pool() as made, serving(backend.app()) as address:
        made.cognito.admin_create_user(UserPoolId=made.pool_id, Username=USER, MessageAction="SUPPRESS")
        users = cognitoidp_backends[DEFAULT_ACCOUNT_ID][REGION].user_pools[made.pool_id]
        token, _ = users.create_refresh_token(made.client_id, USER)
        assert isinstance(server.pool, Issuing)
        server.pool.issued = {"AccessToken": "access-1", "RefreshToken": token, "ExpiresIn": 600}
        found = made.outputs("ws://127.0.0.1:1/") | {
            "UserPoolClientId": made.client_id,
            "IdentityProvider": PROVIDER,
            "SignInUrl": f"http://{address}",
            "TerminalSignInUrls": server.page,
        }
        monkeypatch.setenv("AWS_REGION", REGION)
        monkeypatch.setenv("CICADA_STACK", STACK)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: found)
        server.client_id = made.client_id
        yield made


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "cicada" / "sign-ins.json"


def test_sign_in_in_the_browser(
    pool: DeployedPool,
    browser: Browser,
    saved: Path,
    server: FakeAuthorizationServer,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["token", "--provider"]) == 0
    out, err = capfd.readouterr()
    # What a browser writes is not taken for the token.
    assert out == "access-1\n"
    assert err.startswith("Sign in with Okta in your browser.")
    assert browser.said == ["You can close this tab and go back to the terminal."]
    [opened], [exchanged] = browser.opened, server.exchanged
    assert (opened["scope"], opened["prompt"], opened["response_type"]) == ("openid email", "login", "code")
    assert len(exchanged["code_verifier"]) >= 43
    assert exchanged["code_verifier"] not in opened.values()
    assert json.loads(saved.read_text())[pool.client_id]["last"] == USER
    assert main(["token"]) == 0
    assert capfd.readouterr().out.count(".") == 2


def test_return_of_another_sign_in_is_refused(
    pool: DeployedPool, browser: Browser, server: FakeAuthorizationServer, shell: Shell
) -> None:
    said: list[str] = []

    def foreign(back: str) -> None:
        for query in ({"code": "stolen", "state": "theirs"}, {"code": "stolen"}, {"error": "no", "state": ""}, {}):
            said.append(browser.get(f"{back}?{urlencode(query)}"))

    browser.first = foreign
    assert shell("token", "--provider") == 0
    assert [each[:3] for each in said] == ["400", "400", "400", "404"]
    assert [each["code"] != "stolen" for each in server.exchanged] == [True]


def test_hostile_program_keeps_nobody_waiting(pool: DeployedPool, browser: Browser, shell: Shell) -> None:
    enough = threading.Event()

    def drip(sent: socket.socket) -> None:
        """The letters of a line that does not end, before each the silence would."""
        with sent, suppress(OSError):
            for _ in range(100):
                sent.sendall(b"x")
                if enough.wait(0.1):
                    return

    def hostile(back: str) -> None:
        port = urlsplit(back).port
        with socket.create_connection(("127.0.0.1", port)) as sent:
            sent.sendall(b"GET http://[x HTTP/1.1\r\n\r\n")
        slow = socket.create_connection(("127.0.0.1", port))
        slow.sendall(b"GET /?code=")
        dripping.append(threading.Thread(target=drip, args=(slow,)))
        dripping[0].start()

    dripping: list[threading.Thread] = []
    browser.first = hostile
    assert shell("token", "--provider") == 0
    still_sending = dripping[0].is_alive()
    enough.set()
    dripping[0].join()
    assert still_sending
    assert "Traceback" not in shell.err()


def test_cancel_at_the_provider(pool: DeployedPool, browser: Browser, saved: Path, shell: Shell) -> None:
    browser.link = "/provider/cancelled"
    assert shell("token", "--provider") == 1
    out, err = shell.read()
    assert out == ""
    assert "You were not signed in with Okta." in err
    assert "Call 555" not in err
    assert not saved.exists()


def test_worthless_code(pool: DeployedPool, browser: Browser, server: FakeAuthorizationServer, shell: Shell) -> None:
    server.forgets_codes = True
    assert shell("token", "--provider") == 1
    assert "Signing in took too long, or was refused: begin again." in shell.err()


def test_tokens_of_another_sign_in(
    pool: DeployedPool,
    browser: Browser,
    server: FakeAuthorizationServer,
    shell: Shell,
    saved: Path,
) -> None:
    server.nonce = "other"
    assert shell("token", "--provider") == 1
    assert "The tokens are of another sign-in" in shell.err()
    assert not saved.exists()


def test_nobody_is_waited_for_for_ever(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    monkeypatch.setattr(provider, "_WAIT_SECONDS", 0.05)
    assert shell("token", "--provider") == 1
    assert "Nobody came back from the browser; begin again." in shell.err()


def test_port_in_use_is_passed_over(
    pool: DeployedPool, browser: Browser, server: FakeAuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = deployment_target.stack_outputs(STACK)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"http://127.0.0.1:{other.getsockname()[1]}/"
        addresses = outputs | {"TerminalSignInUrls": f"{taken} {server.page}"}
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: addresses)
        assert main(["token", "--provider"]) == 0
        assert browser.opened[0]["redirect_uri"] == server.page
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: outputs | {"TerminalSignInUrls": taken})
        assert main(["token", "--provider"]) == 1


def test_only_this_machine_is_listened_on(server: FakeAuthorizationServer) -> None:
    from cli.user.loopback import listening

    with listening([server.page]) as back:
        assert back.host == "127.0.0.1"


def test_ended_session_leads_to_the_browser(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("CICADA_PASSWORD", "of-somebody-else")
    assert shell("token", USER) == 1
    said = shell.err()
    assert f"{USER} signs in in the browser: run `cicada token --provider --stack Cicada-dev`." in said


def test_hint_at_the_browser(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    hint = "To sign in with Okta, run `cicada token --provider --stack Cicada-dev`."
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert shell("chat") == 2
    assert shell.err().endswith(f"name a --user, or set CICADA_USER. {hint}\n")
    monkeypatch.setattr("sys.stdin", Typing("\n"))
    assert shell("chat") == 2
    assert shell.err().startswith(f"{hint}\n")


@pytest.mark.parametrize("more", [["ada"], ["--sign-out"]])
def test_who_signs_in_is_said_by_the_provider(pool: DeployedPool, more: list[str], shell: Shell) -> None:
    assert shell("token", "--provider", *more) == 2
    assert "--provider signs in whoever the provider says" in shell.err()


def test_a_stack_without_a_provider_says_so(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: pool.outputs("ws://127.0.0.1:1/"))
    assert shell("token", "--provider") == 2
    assert "the stack Cicada-dev has no identity provider" in shell.err()
