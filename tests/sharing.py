"""Which tests run in the same worker, and in which order, so that costly fixtures start once."""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling

# Groups of tests that share a slow fixture, the longest first: a run lasts as long as its last group.
# The end-to-end tests that look at what both of their groups have shown come behind the other one, in one worker too.
_SHARING = {
    "tests/e2e/answers/": "a stage for answers",
    "tests/e2e/": "a stage for documents and people",
    "tests/contract/test_index_": "an OpenSearch server",
    "tests/contract/test_opensearch_": "an OpenSearch server",
    "tests/contract/test_passage_index": "an OpenSearch server",
    "tests/contract/test_card_": "an OpenSearch server",
    "tests/contract/test_document_catalogue": "an OpenSearch server",
    "tests/contract/test_permitted_answers": "an OpenSearch server",
    "tests/contract/test_separation": "an OpenSearch server",
    "tests/browser/": "a browser",
    "tests/infra/": "the synthesised templates",
    "tests/browser/test_deployed_page": "the synthesised templates",
}


def arrange(items: list[pytest.Item]) -> None:
    """Put the tests that share something first."""
    items.sort(key=lambda item: _rank(item.nodeid))


def group_of(nodeid: str) -> str:
    """What the test shares with others, or else its file."""
    starts = [start for start in _SHARING if nodeid.startswith(start)]
    return _SHARING[max(starts, key=len)] if starts else nodeid.split("::")[0]


def _rank(nodeid: str) -> int:
    group = group_of(nodeid)
    order = list(dict.fromkeys(_SHARING.values()))
    return order.index(group) if group in order else len(order)


class GroupScheduling(LoadScopeScheduling):
    """Hands a group of tests to one worker. pytest-xdist's own groups, made by a mark, have no effect in pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
