from __future__ import annotations

import pytest

from cicada.documents.model import Condition, meets
from tests.contract.conditions import CONDITIONS, FIELDS


@pytest.mark.parametrize(("conditions", "expected"), CONDITIONS)
def test_a_document_meets_what_holds_for_its_metadata(conditions: tuple[Condition, ...], expected: set[str]) -> None:
    assert {name for name, metadata in FIELDS.items() if meets(metadata, conditions)} == expected
