"""The rehearsal of a restore fails where something is lacking or otherwise afterwards."""

from __future__ import annotations

from tests.rehearsal.stage import Memory, differences


def test_what_is_lacking_or_otherwise_is_named_and_what_is_new_is_not() -> None:
    before: Memory = {("answer", "Who?"): "Seyton", ("turn", "1"): "kept", ("document", "lease.md"): 3}
    after: Memory = {("answer", "Who?"): "nobody", ("turn", "1"): "kept", ("turn", "2"): "newer"}
    assert differences(before, after) == ["answer Who?", "document lease.md"]
    assert differences(before, before | after | before) == []
