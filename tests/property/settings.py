"""What the environment says about these tests."""

from __future__ import annotations

import os


def visits_large_bounds() -> bool:
    """Whether the model is also visited within bounds that take minutes."""
    return os.environ.get("CICADA_MODEL") == "large"
