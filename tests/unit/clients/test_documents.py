from __future__ import annotations

import pytest

from cicada_client.document import parse_documents


def test_a_page_says_which_values_there_are_and_of_which_fields_a_range_may_be_asked() -> None:
    values, ranges = {"status": ["open", "closed"]}, {"effective": "date", "pages": "number"}
    page = parse_documents({"type": "documents", "total": 0, "documents": [], "values": values, "ranges": ranges})
    assert page.values == {"status": ("open", "closed")}
    assert page.ranges == ranges


@pytest.mark.parametrize("given", [{}, {"ranges": None}, {"ranges": ["pages"]}, {"ranges": {"pages": 1}}])
def test_a_page_without_ranges_has_none(given: dict[str, object]) -> None:
    assert parse_documents({"type": "documents", "total": 0, "documents": [], **given}).ranges == {}
