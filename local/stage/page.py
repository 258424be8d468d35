"""Serves the chat page."""

from __future__ import annotations

import json
import sys
from typing import Any

from local.stage.private_file import write_private
from local.stage.processes import Running, start
from local.stage.settings import StageConfig, process_environment

EXAMPLES = (
    "Who tells Macbeth that the queen is dead?",
    "What does Hamlet say about sleep and dreams?",
    "My theory: Macbeth is afraid of Banquo. Does the text support it?",
    "Create a character profile for Banquo: a general who suspects Macbeth",
)


def start_page(config: StageConfig, info: dict[str, Any]) -> Running:
    """Start the page's server; the page reads from `/config.json` where to connect and to sign in."""
    page_config = {
        "websocketUrl": info["websocketUrl"],
        # The emulator does not return the chosen subprotocol, which browsers require.
        "tokenIn": "query",
        "cognitoUrl": info["endpointUrl"],
        "clientId": info["clientId"],
        "userPoolId": info["userPoolId"],
        # The stack's default (infra/settings.py).
        "mfa": "optional",
        # So too the group of the first sample user (local/stage/users.py).
        "administrators": "administrators",
        "users": info["users"],
        "examples": EXAMPLES,
    }
    file = config.folder / "page.json"
    write_private(file, json.dumps(page_config))
    command = [sys.executable, "-m", "local.page", "--port", str(config.page_port), "--config", str(file)]
    log = config.folder / "logs" / "page.log"
    return start("chat page", command, process_environment(), log, f"{config.page_url}/config.json")
