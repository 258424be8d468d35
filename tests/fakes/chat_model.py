"""A chat model with a script."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable

from cicada.answering.parts import Prompt
from cicada.errors import CicadaError
from cicada.generation import ModelUsage

Step = str | ModelUsage | Exception | Callable[[], object]


class ScriptedModel:
    """Each call goes through the next script, the last one again and again.

    A script's pieces are said, its errors raised, and what is callable is called. The prompts are kept; `closed` is set
    whenever a stream has ended or was closed.
    """

    def __init__(self, *scripts: Iterable[Step]) -> None:
        self._scripts = list(scripts)
        self.prompts: list[Prompt] = []
        self.closed = threading.Event()

    def stream(self, prompt: Prompt) -> Generator[str | ModelUsage]:
        self.prompts.append(prompt)
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        try:
            for step in script:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, str | ModelUsage):
                    yield step
                else:
                    step()
        finally:
            self.closed.set()


def failing_model(error: CicadaError) -> ScriptedModel:
    return ScriptedModel([error])
