"""Models in the order of fallback: whichever first begins to write answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Generic, TypeVar

from cicada.adapters.aws_errors import STANDARD, Retry, begun, continued
from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    DependencyError,
    OpenCircuitError,
    OutOfTimeError,
    SilentModelError,
    StreamBrokenError,
)
from cicada.generation import AFTER_SILENCE, step_of_model
from cicada.observability.telemetry import ignore, note_step

Model = TypeVar("Model")
T = TypeVar("T")
_AFTER_FAILURE, _SKIPPED = "after_failure", "skipped_open_circuit"


class ModelChain(Generic[Model]):
    """Asks each of `models` until one has begun to write. A single one is asked again, once, if it was silent.

    `retry`: of one model's calls that were refused or broke off before their first piece. The answer's path says which
    model was asked after which, as `model:2:after_silence`; every failure that another call follows goes to `report`.
    All models but the last have a circuit breaker. `clock` gives seconds.
    """

    def __init__(
        self,
        models: Sequence[Model],
        retry: Retry = STANDARD,
        report: Callable[[CicadaError], object] = ignore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._models = [(model, CircuitBreaker(clock, "chat model")) for model in models]
        self._retry = retry
        self._report = report

    def stream(self, start: Callable[[Model], Generator[T]]) -> Generator[T]:
        """The items of `start(model)`. Closing this closes the stream. Raises what `bedrock_errors` raises.

        Without a first item from any model, the failure of the last one is raised. A stream that breaks off later is a
        failure of its model too, so that one which does it again and again is left out for a while.
        """
        *others, (last, _) = self._models
        why = ""
        for number, (model, breaker) in enumerate(others, 1):
            try:
                with breaker.guarding():
                    yield from continued(partial(self._asked, model, number, why, start))
                    return
            except (OutOfTimeError, StreamBrokenError):
                raise
            except (DependencyError, ConfigurationError) as error:
                why = self._why(error)
        yield from continued(partial(self._asked_last, last, why, start))

    def _asked_last(self, model: Model, why: str, start: Callable[[Model], Generator[T]]) -> tuple[T, Generator[T]]:
        try:
            return self._asked(model, len(self._models), why, start)
        except SilentModelError as error:
            if len(self._models) > 1:
                raise
            return self._asked(model, 1, self._why(error), start)

    def _asked(
        self, model: Model, number: int, why: str, start: Callable[[Model], Generator[T]]
    ) -> tuple[T, Generator[T]]:
        if why:
            note_step(step_of_model(number, why))
        return self._retry.call(lambda: begun(lambda: start(model)))

    def _why(self, error: CicadaError) -> str:
        """Why another call is made, as the path says it."""
        if isinstance(error, OpenCircuitError):
            return _SKIPPED
        self._report(error)
        return AFTER_SILENCE if isinstance(error, SilentModelError) else _AFTER_FAILURE
