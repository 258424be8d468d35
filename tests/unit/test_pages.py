"""The pages in Markdown: every link within the repository leads somewhere, to a heading too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from local.stage.settings import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def _anchors(page: Path) -> set[str]:
    """The headings as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", _without_code(page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(_without_code(page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def test_every_decision_is_dated_and_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text("utf-8")
    records = sorted(folder.glob("[0-9]*.md"))
    assert re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", index) == [each.name for each in records]
    for each in records:
        assert re.search(r"^\*Recorded \d{4}-\d\d-\d\d", each.read_text("utf-8"), re.M), each.name
