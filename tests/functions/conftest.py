from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from tests.functions.message_path import MessagePath, message_path


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagePath]:
    """The message path with the console connected."""
    with message_path(monkeypatch) as path:
        path.connect()
        yield path


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What the functions log, as they format it: the log's handler has kept an earlier standard output."""
    [handler] = [each for each in logging.getLogger("cicada").handlers if isinstance(each, logging.StreamHandler)]
    text = io.StringIO()
    monkeypatch.setattr(handler, "stream", text)
    yield text
