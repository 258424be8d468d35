"""A circuit breaker: stops calling a service that keeps failing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class CircuitBreaker:
    """Opens for `rest_seconds` after `failures` in a row; then one call tries the service again.

    `clock` gives seconds. The state is kept in this object, so each container has its own.
    Source: M. Nygard, Release It!, 2007.
    """

    clock: Callable[[], float]
    failures: int = 3
    rest_seconds: float = 60.0
    _in_a_row: int = field(default=0, init=False)
    _until: float = field(default=0.0, init=False)

    @property
    def closed(self) -> bool:
        """Whether the service may be called now."""
        return self.clock() >= self._until

    def succeeded(self) -> None:
        self._in_a_row = 0

    def failed(self, *, lasting: bool = False) -> None:
        """`lasting`: opens at once, because the next call would fail too."""
        self._in_a_row += 1
        if lasting or self._in_a_row >= self.failures:
            self._until = self.clock() + self.rest_seconds
