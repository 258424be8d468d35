"""The table of promises in docs/operations/promises.md is compared with the templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.infra.deployed import deployed
from tests.infra.promises import PROMISES

_TABLE = re.compile(r"^\| promise \| dev \| prod \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", re.M)


def promised() -> dict[str, tuple[str, str]]:
    """The values for dev and prod, by promise; some are about Bedrock agents, for a stage that has them."""
    [body] = _TABLE.findall(Path("docs/operations/promises.md").read_text("utf-8"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]
    return {name: (dev, prod) for name, dev, prod in rows}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_is_kept(promise: str) -> None:
    kept = tuple(PROMISES[promise](deployed(stage, "bedrock")) for stage in ("dev", "prod"))
    assert promised().get(promise) == kept


def test_every_promise_has_its_check() -> None:
    assert set(promised()) == set(PROMISES)
