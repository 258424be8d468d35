"""What the environment says about these tests."""

from __future__ import annotations

import os


def running_opensearch() -> str:
    """The URL of an OpenSearch to use, or empty to start one."""
    return os.environ.get("CICADA_OPENSEARCH_URL", "")
