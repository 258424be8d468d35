"""Which tests run in the same worker, and in which order: what is costly to start is started once.

Used by pytest-xdist's `--dist loadgroup`, which hands the groups out in the order of their first tests.
"""

from __future__ import annotations

import pytest

# Fixtures that take long to set up, the longest group first: a run is as long as the group that ends last.
_SHARED = {
    "stage": "a deployed stage",
    "opensearch_url": "an OpenSearch server",
    "chromium": "a browser",
}
_LAST = len(_SHARED)


def arrange(items: list[pytest.Item]) -> None:
    """Put tests that share something first and into one group; the others form a group a file."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=_order)


def group_of(item: pytest.Item) -> str:
    """The shared fixture's name, or the folder of the templates, or the test's file."""
    shared = _shared_fixture(item)
    if shared:
        return shared
    folder = item.path.parent
    return str(folder) if folder.name == "infra" else str(item.path)


def _order(item: pytest.Item) -> int:
    shared = _shared_fixture(item)
    return list(_SHARED).index(shared) if shared else _LAST


def _shared_fixture(item: pytest.Item) -> str | None:
    if not isinstance(item, pytest.Function):
        return None
    needed = {*item.fixturenames, *_by_parameter(item)}
    return next((name for name in _SHARED if name in needed), None)


def _by_parameter(item: pytest.Function) -> set[str]:
    """The contract suite names the engine in a parameter, and asks for the server only then."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    engine = parameters.get("under_test") or parameters.get("index")
    return {"opensearch_url"} if engine == "opensearch" else set()
