"""The audit trail's port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cicada.audit.model import AuditRecord


class AuditTrail(Protocol):
    """Records that can be added and read, and not changed."""

    def write(self, records: Sequence[AuditRecord]) -> None:
        """Store the records. Raises `DependencyError` or `ConfigurationError` if any of them may not be stored."""
        ...
