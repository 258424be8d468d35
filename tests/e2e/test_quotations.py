"""Every quotation of an answer stands as a whole, and marked, in the card of the passage that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Page

from tests.chaos.target import Target
from tests.e2e.store import BASE, Store
from tests.e2e.test_page import ask, finished_text, opened, page  # noqa: F401 - two are fixtures

QUESTIONS = (
    ("scripts", "Who tells Macbeth that the queen is dead?"),
    ("scripts", "What does Lady Macbeth say about the blood on her hands?"),
    ("scripts", "How does Ophelia die?"),
    ("scripts", "What does Hamlet think of Yorick?"),
    (BASE, "How long are batch records kept?"),
    (BASE, "What is the classification table in SOP-QA-003?"),
)
# `Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]`, as the stand-in for a language model writes.
_QUOTATION = re.compile(r'"(.+)" — .*?\[(\d+)\]')
_LEFT_OUT = re.compile(r"\[…\]|\|\|")
# The stand-in leaves out what stands in brackets, or quotes it alone; where a line breaks is no part of a quotation.
_NOT_QUOTED = re.compile(r"\[[^\]]*\]|\s")
_NOT_WRITTEN = re.compile(r"[\[\]\s]")


def quotations(page: Page) -> Iterator[tuple[str, bool]]:  # noqa: F811
    """Each quotation of the last answer, and whether its card has it as a whole and marked."""
    for line in finished_text(page).splitlines():
        for quotation, number in _QUOTATION.findall(line):
            card = page.locator(f'.card[data-n="{number}"]').last
            marked = "".join(card.locator("mark").all_text_contents())
            text = card.locator("blockquote").text_content() or ""
            parts = [_NOT_QUOTED.sub("", each) for each in _LEFT_OUT.split(quotation)]
            forms = [(left_out.sub("", text), left_out.sub("", marked)) for left_out in (_NOT_QUOTED, _NOT_WRITTEN)]
            yield quotation, all(any(part in whole and part in mark for whole, mark in forms) for part in parts)


def test_each_quotation_stands_marked_in_its_card(page: Page, stage: Target, store: Store) -> None:  # noqa: F811
    found: list[tuple[str, bool]] = []
    for base, question in QUESTIONS:
        page.goto(f"{stage.info['pageUrl']}/?knowledgeBase={base}")
        ask(page, question)
        found += quotations(page)
    assert len(found) >= len(QUESTIONS)
    assert [quotation for quotation, is_marked in found if not is_marked] == []
