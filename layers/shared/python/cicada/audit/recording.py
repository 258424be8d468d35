"""Write audit records without failing what they are about."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from cicada.audit.model import AuditRecord
from cicada.audit.ports import AuditTrail
from cicada.errors import CicadaError, ConfigurationError, DependencyError


class AuditRecorder(Struct, frozen=True):
    """An answer is not lost because its record is. `lost` is called with each record that the trail did not take."""

    trail: AuditTrail
    lost: Callable[[AuditRecord, CicadaError], object]

    def record(self, *records: AuditRecord) -> None:
        try:
            self.trail.write(records)
        except (DependencyError, ConfigurationError) as error:
            for each in records:
                self.lost(each, error)
