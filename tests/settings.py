"""What the environment may not say to the tests."""

from __future__ import annotations

import os

# Says which OpenSearch the contract suite uses.
_KEPT = "CICADA_OPENSEARCH_URL"


def unwanted_variables() -> list[str]:
    """Names of the variables that configure AWS's SDK or CICADA."""
    return [name for name in os.environ if name.startswith(("AWS_", "CICADA_")) and name != _KEPT]
