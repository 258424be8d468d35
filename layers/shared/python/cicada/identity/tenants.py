"""Tenants as groups: a user's tenant is the group `tenant:<name>`.

Cognito's access tokens carry groups, not custom attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PREFIX = "tenant:"
_GROUP = re.compile(r"tenant:([A-Za-z0-9][A-Za-z0-9-]{0,62})")
_RULE = "A tenant's group is named tenant: and letters, digits or hyphens, 63 at most."


def tenant_group(tenant: str) -> str:
    """The name of the tenant's group. Raises `ValueError` for a name that no tenant can have."""
    group = f"{PREFIX}{tenant}"
    if not _GROUP.fullmatch(group):
        raise ValueError(_RULE)
    return group


def tenant_of(groups: Iterable[str]) -> str | None:
    """The tenant that the groups name, None if they name none; of several the first in order.

    Raises `ValueError` for an invalid name: its users must not end up in the default tenant.
    """
    meant = [group for group in groups if group.startswith(PREFIX)]
    names = [match[1] for group in meant if (match := _GROUP.fullmatch(group))]
    if len(names) < len(meant):
        raise ValueError(_RULE)
    return min(names, default=None)
