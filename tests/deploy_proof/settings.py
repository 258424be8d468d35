"""The environment of an operator's shell."""

from __future__ import annotations

import os


def shell_environment() -> dict[str, str]:
    """The environment with the AWS command line's credentials and region, as the CDK and `cicada` read them."""
    return dict(os.environ)
