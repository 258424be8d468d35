"""A circuit breaker: stops calling a service that keeps failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from cicada.errors import ConfigurationError, DependencyError, OpenCircuitError, OutOfTimeError


class CircuitBreaker:
    """Opens for `rest_seconds` after `failures` in a row; then one call at a time tries the service (half open).

    `service`: its name for people. `clock` gives seconds. The state is kept in this object, so each container has its
    own. Source: M. Nygard, Release It!, 2007.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        service: str = "service",
        failures: int = 3,
        rest_seconds: float = 60.0,
        heeds_configuration: bool = True,
    ) -> None:
        self.clock = clock
        self.service = service
        self.failures = failures
        self.rest_seconds = rest_seconds
        self.heeds_configuration = heeds_configuration
        self._in_a_row = 0
        self._opened = False
        self._until = 0.0
        self._trying = False
        self._lock = Lock()

    @property
    def closed(self) -> bool:
        """Whether the service may be called now: it works, or its rest is over and no other call tries it."""
        return not self._opened or (self.clock() >= self._until and not self._trying)

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Around one call. Raises `OpenCircuitError` instead of running it while the circuit is open.

        A `DependencyError` is a failure; a `ConfigurationError` opens the circuit at once, because the next call would
        fail too (not with `heeds_configuration` False). The end of the answer's time and other exceptions say nothing
        about the service.
        """
        trying = self._admit()
        try:
            yield
        except (OpenCircuitError, OutOfTimeError):
            raise
        except DependencyError:
            self._failed(lasting=False)
            raise
        except ConfigurationError:
            if self.heeds_configuration:
                self._failed(lasting=True)
            raise
        else:
            self._succeeded()
        finally:
            if trying:
                self._trying = False

    def _admit(self) -> bool:
        """Whether this call tries a service that failed before."""
        with self._lock:
            if not self.closed:
                raise OpenCircuitError(f"The {self.service} keeps failing and is not asked now; try again in a minute.")
            self._trying = self._opened
            return self._trying

    def _succeeded(self) -> None:
        self._in_a_row = 0
        self._opened = False

    def _failed(self, *, lasting: bool) -> None:
        self._in_a_row += 1
        if lasting or self._in_a_row >= self.failures:
            self._opened = True
            self._until = self.clock() + self.rest_seconds
