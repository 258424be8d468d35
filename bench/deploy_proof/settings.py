"""The environment of an operator's shell."""

from __future__ import annotations

import os


def shell_environment() -> dict[str, str]:
    """With the credentials and the region of the AWS command line, as the CDK and `cicada` read them."""
    return dict(os.environ)
