"""The list of the stand-in's callers."""

from __future__ import annotations

import json
import urllib.request

import pytest

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import Client, Serve, converse_request


def test_callers_are_listed_by_the_user_agents_and_paths_of_their_calls(
    serve: Serve, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "message_processor")
    url = serve(build(Settings(tokens_per_second=0), HashEmbedder()))
    client("bedrock-runtime", url).converse(**converse_request("Hello!"))
    with urllib.request.urlopen(f"{url}/_standin/calls", timeout=10) as reply:  # noqa: S310 - a loopback address
        [(agent, path)] = json.loads(reply.read())
    assert "app/message_processor" in agent.split()
    assert path == "/model/amazon.nova-lite-v1:0/converse"
