"""Leave a service alone that fails again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class CircuitBreaker:
    """After `failures` in a row the service is left alone for `rest_seconds`; then one call tries it again.

    `clock` gives seconds. The state is this object's, so each container finds out for itself.
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
        """`lasting`: no further try is needed to know that the next one fails as well."""
        self._in_a_row += 1
        if lasting or self._in_a_row >= self.failures:
            self._until = self.clock() + self.rest_seconds
