"""How long tests wait for what must come."""

from __future__ import annotations

# A wait ends as soon as its condition holds: this only bounds a test that would hang. It is far more than a machine
# needs whose processors are shared with many others, and less than any test may take (`timeout` in pyproject.toml).
PATIENCE_SECONDS = 300.0
PATIENCE_MILLISECONDS = 1000 * PATIENCE_SECONDS
