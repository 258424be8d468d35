"""The page names a new conversation as the server does, so that its name stays when the list is loaded again."""

from __future__ import annotations

import json
import subprocess

import pytest

from cicada.conversation.titles import title_of
from local.stage.settings import ROOT
from tests.patience import PATIENCE_SECONDS

MODULE = ROOT / "clients" / "web" / "sessions-view.js"
PRINT = f"import {{ titleOf }} from {json.dumps(MODULE.as_uri())}; console.log(titleOf(process.argv[1]));"
LONG = "The lease of the hall at the port ends sooner than anybody here had thought it would, alas."


@pytest.mark.parametrize(
    "message",
    [
        "When does the lease end?",
        "  two \n lines ",
        LONG,
        f"{LONG} When does it end? Tell me.",
        f"Hello. {LONG[:-1]}?",
        "x" * 100,
        f"{'x' * 79} yes, and more of it",
        "日本語" * 30,
    ],
)
def test_the_page_names_a_conversation_as_the_server_does(message: str) -> None:
    command = ["node", "--input-type=module", "--eval", PRINT, "--", message]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    assert done.stdout == f"{title_of(message)}\n"
