"""What the SDK asks of the environment when a client is made."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
