"""Tenants as groups: a user's tenant is the group `tenant:<name>`.

Cognito's access tokens carry groups, not custom attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cicada.text import skeleton

PREFIX = "tenant:"
_GROUP = re.compile(r"tenant:([A-Za-z0-9][A-Za-z0-9-]{0,62})")
_MEANT = re.compile(r"tenant(?![a-z0-9])")
_RULE = "A tenant's group is named tenant: and letters, digits or hyphens, 63 at most."


def tenant_group(tenant: str) -> str:
    """The name of the tenant's group. Raises `ValueError` for a name that no tenant can have."""
    group = f"{PREFIX}{tenant}"
    if not _GROUP.fullmatch(group):
        raise ValueError(_RULE)
    return group


def tenant_of(groups: Iterable[str], default: str = "") -> str:
    """The tenant of the one group that names one; with no such group `default`, the tenant of a stage that has one.

    Raises `ValueError`, whose text is a sentence, unless it is exactly one: a guess would show a user the documents of
    strangers. That holds for an invalid name too, as `Tenant:acme`: its users must not end up in the default tenant.
    """
    meant = sorted(group for group in groups if is_tenants(group))
    names = [match[1] for group in meant if (match := _GROUP.fullmatch(group))]
    if len(names) < len(meant):
        raise ValueError(_RULE)
    if len(names) > 1:
        raise ValueError(f"The account is in the groups of {len(names)} tenants, and must be in that of exactly one.")
    if not names and not default:
        raise ValueError("The account is in the group of no tenant, and must be in that of exactly one.")
    return names[0] if names else default


def is_tenants(group: str) -> bool:
    """Whether people read it as the name of a tenant's group, also with look-alikes, and without its colon."""
    return _MEANT.match(skeleton(group)) is not None
