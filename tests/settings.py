"""What the environment may say to the tests, and what not."""

from __future__ import annotations

import os

_KEPT = "CICADA_OPENSEARCH_URL"


def running_opensearch() -> str:
    """The URL of an OpenSearch for the contract suite, or empty to start one."""
    return os.environ.get(_KEPT, "")


def unwanted_variables() -> list[str]:
    """Names of the variables that configure AWS's SDK or CICADA."""
    return [name for name in os.environ if name.startswith(("AWS_", "CICADA_")) and name != _KEPT]
