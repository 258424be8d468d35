from __future__ import annotations

import pytest

from cicada.documents.catalogue import DocumentRow, Sort, sorted_rows
from cicada.documents.model import DocumentKey
from cicada.documents.versions import version_order
from tests.fakes.passages import PLAYS

IN_ORDER = ["0.9", "1.0", "2.0", "2.0a", "2.0.1", "2.9", "2.10", "9", "10.0", "2024"]


def row(version: str) -> DocumentRow:
    return DocumentRow(DocumentKey(PLAYS, f"of {version}"), "T", "v", 1, 0.0, metadata={"version": version})


def test_versions_have_the_order_of_their_numbers() -> None:
    keys = [version_order(each) or "" for each in IN_ORDER]
    assert keys == sorted(keys)
    rows = sorted_rows(map(row, reversed(IN_ORDER)), Sort("version", descending=True))
    assert [each.metadata["version"] for each in rows] == IN_ORDER[::-1]


def test_one_version_may_be_written_in_several_ways() -> None:
    assert len({version_order(each) for each in ("7", "7.0", "v7", "Version 7.0", "Rev. 7", " 7.0 ")}) == 1


@pytest.mark.parametrize("text", ["2026-01-31", "approved", "7.0 or so", "SOP-7", "", "1.2.3.4.5.6.7", 7.0, True])
def test_what_is_no_version_has_no_such_order(text: object) -> None:
    assert version_order(text) is None
