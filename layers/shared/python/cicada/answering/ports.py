"""Answering's ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from cicada.answering.model import ModelUsage, Prompt


class ChatModel(Protocol):
    """A model that writes text."""

    def stream(self, prompt: Prompt) -> Iterator[str | ModelUsage]:
        """Pieces of text as they are generated, then the usage. Closing the iterator stops the model.

        Raises `ThrottledError` or `UnavailableError` before the first piece, `StreamBrokenError` after it.
        """
        ...
