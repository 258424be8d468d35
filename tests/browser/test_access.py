"""The chat page by keyboard, by ear, in forced colours and in both directions, and what axe finds in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cicada.conversation.protocol import Chunk
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in
from tests.browser.plays import ANSWER, DONE, QUESTION, SOURCES, answered
from tests.browser.store import LIST, asked_back, listed
from tests.patience import PATIENCE_MILLISECONDS

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
TABLE = """| Lease | Rent | Ends |
|---|--:|---|
| -2+cmd | 12,950 | 2028-06-30 |
| =cmd [1] | 950 | |
| a, b | 1,200 | 2026-01-31 |"""
MARKDOWN = f"""## Leases

Two of them match. [1] See [the handbook](https://example.org/h) and `x`.

{TABLE}

- [x] done [2]
- [ ] open
  - deeper

> quoted

```sh
make run
```

### More

---

~~struck~~ ينتهي العقد. [1]"""
ARABIC = "متى ينتهي عقد الإيجار؟"


@pytest.fixture(params=["light", "dark"])
def schemed(request: pytest.FixtureRequest, chromium: Browser, address: str) -> Iterator[Page]:
    context = chromium.new_context(color_scheme="dark" if request.param == "dark" else "light", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context.new_page()
    context.close()


@pytest.fixture
def clipboard(context: BrowserContext) -> BrowserContext:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context


def test_axe_finds_nothing(schemed: Page, address: str, backend: FakeBackend) -> None:
    page = schemed
    backend.answer = lambda message: listed() if message == LIST else answered(MARKDOWN)
    page.goto(address)
    expect(page.get_by_label("Name")).to_be_visible()
    found = violations(page)
    sign_in(page, None)
    found += violations(page)
    for number, message in enumerate((QUESTION, LIST, ARABIC), 1):
        ask(page, message)
        expect(page.locator(".how")).to_have_count(number)
    found += violations(page)
    page.get_by_role("button", name="All keys").click()
    found += violations(page)
    page.get_by_role("button", name="Close").click()
    page.locator("#account").click()
    page.get_by_role("button", name="Delete everything of mine").click()
    found += violations(page)
    page.get_by_role("button", name="Close").click()
    page.locator("#bases").click()
    found += violations(page)
    page.evaluate("localStorage.setItem('cicada.language', 'ar')")
    page.reload()
    expect(page.locator("html[lang=ar][dir=rtl] .how")).to_be_visible()
    found += violations(page)
    assert found == []


def test_axe_finds_nothing_where_the_page_asks_back_or_says_what_is_wrong(
    schemed: Page, address: str, backend: FakeBackend
) -> None:
    page = schemed
    backend.answer = lambda _message: asked_back()
    sign_in(page, f"{address}?knowledgeBase=my shop")
    expect(page.get_by_role("alert")).to_be_visible()
    found = violations(page)
    page.goto(address)
    ask(page, QUESTION)
    expect(page.locator(".choices")).to_be_visible()
    found += violations(page)
    backend.hold_before(3)
    ask(page, QUESTION)
    expect(page.locator(".status").last).to_have_text("Searching…")
    ask(page, ARABIC)
    expect(page.locator("#waiting")).to_be_visible()
    ask(page, QUESTION)
    expect(page.locator("#connection")).to_contain_text("Not sent: one question waits already.")
    found += violations(page)
    page.get_by_role("button", name="Take back").click()
    page.keyboard.press("Escape")
    expect(page.locator(".note").last).to_have_text("Stopped.")
    found += violations(page)
    assert found == []


def violations(page: Page) -> list[str]:
    """The rules that are broken, best practices included, with where."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [f"{each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


def test_questions_are_headings_and_what_belongs_to_them_has_their_name(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversation")
    expect(page.get_by_role("heading", level=2, name=QUESTION)).to_be_visible()
    expect(page.get_by_role("article", name=QUESTION)).to_be_visible()
    expect(page.get_by_role("region", name=f"Passages: {QUESTION}")).to_be_visible()


def test_the_newest_answer_is_at_most_five_tabs_away(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    # As after loading, where nothing has the focus yet.
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); }")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the newest answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(answer(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".citation").first).to_be_focused()


def test_an_answer_is_said_in_sentences_as_they_are_complete(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: [
        Chunk(content="First **point**. [1] Second"),
        Chunk(content=" point.\n\n- third"),
        Chunk(content=" point\n- fourth"),
        DONE,
    ]
    sign_in(page, address)
    backend.hold_before(3)
    ask(page, QUESTION)
    expect(page.locator(".spoken")).to_have_text("First point.")
    backend.hold_before(4)
    expect(page.locator(".spoken")).to_have_text("Second point.")
    backend.hold_before(5)
    expect(page.locator(".spoken")).to_have_text("third point")
    backend.go_on()
    expect(page.locator(".spoken")).to_have_text("fourth")


def test_a_conversation_that_is_opened_again_is_not_said(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    page.reload()
    expect(page.locator(".how")).to_be_visible()
    expect(page.locator(".spoken")).to_have_count(0)


def test_the_question_field_stands_out(schemed: Page, address: str) -> None:
    page = schemed
    sign_in(page, address)
    page.keyboard.press("Escape")
    field = page.locator(".field")
    edge, inside = (
        field.evaluate(f"e => getComputedStyle(e).{each}") for each in ("borderTopColor", "backgroundColor")
    )
    outside = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    assert min(contrast(edge, inside), contrast(edge, outside)) >= 3
    page.keyboard.press("/")
    ring = field.evaluate("e => [getComputedStyle(e).outlineColor, getComputedStyle(e).outlineWidth]")
    assert ring[1] == "2px"
    assert contrast(ring[0], outside) >= 3


def contrast(first: str, second: str) -> float:
    """WCAG 2.2, 1.4.11, of two colours as `rgb(r, g, b)`."""
    low, high = sorted(map(luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    channels = [int(each) / 255 for each in color.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_forced_colours_leave_no_picture_and_no_bar_out(chromium: Browser, address: str) -> None:
    context = chromium.new_context(forced_colors="active", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    images = [
        page.locator(place).first.evaluate("e => getComputedStyle(e).backgroundImage")
        for place in (".rail", ".relevance")
    ]
    context.close()
    assert images[0] == "none"
    assert images[1].startswith("linear-gradient")


def test_keys_are_listed_and_work_outside_of_fields(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    page.keyboard.type("a?")
    expect(page.get_by_label("Your question")).to_have_value("a?")
    page.get_by_label("Your question").fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(answer(page)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator(".turn")).to_be_focused()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Go to the newest answer")
    keys.get_by_label("Single keys, outside of fields").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator(".turn")).to_have_count(1)


def test_right_to_left_text_is_set_from_the_right(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: answered("ينتهي في 31 مارس. [1]\n\nIn English.")
    sign_in(page, address)
    ask(page, ARABIC)
    expect(page.locator(".how")).to_be_visible()
    blocks = page.locator(".question p, .answer > p")
    assert blocks.evaluate_all("all => all.map(e => getComputedStyle(e).direction)") == ["rtl", "rtl", "ltr"]


def test_a_table_is_sorted_and_copied(
    page: Page, address: str, backend: FakeBackend, clipboard: BrowserContext
) -> None:
    backend.answer = lambda _message: answered(TABLE)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    rent = page.get_by_role("columnheader", name="Rent")
    rent.get_by_role("button", name="Sort by Rent").click()
    expect(page.locator(".answer td:nth-child(2)")).to_have_text(["950", "1,200", "12,950"])
    rent.get_by_role("button").click()
    expect(rent).to_have_attribute("aria-sort", "descending")
    expect(page.locator(".answer td:nth-child(2)")).to_have_text(["12,950", "1,200", "950"])
    page.get_by_role("button", name="Sort by Ends").click()
    expect(page.locator(".answer td:nth-child(3)")).to_have_text(["2026-01-31", "2028-06-30", ""])
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n")
    assert copied == 'Lease,Rent,Ends\n"a, b","1,200",2026-01-31\n\'-2+cmd,"12,950",2028-06-30\n\'=cmd [1],950,'


def test_an_answer_is_copied_with_the_sources_that_it_cites(
    page: Page, address: str, clipboard: BrowserContext
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text, sources = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n").split("\n\nSources\n")
    assert text == ANSWER
    assert sources.split("\n")[0] == "[1] Macbeth, 5.5 Dunsinane. Within the castle., Messages 624–630"
    assert [line[:3] for line in sources.split("\n")] == ["[1]", "[2]", "[5]"]
    assert len(SOURCES) == 5


def test_a_long_question_is_folded(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, "Who is there? " * 200)
    question = page.locator(".question p")
    heights = []
    for name in ("Read on", "Less", "Read on"):
        button = page.locator(".question").get_by_role("button", name=name)
        expect(button).to_be_visible()
        heights.append(question.evaluate("e => e.clientHeight"))
        button.click()
    assert [later > earlier for earlier, later in pairwise(heights)] == [True, False]
    ask(page, QUESTION)
    expect(page.locator(".question .fold").last).to_be_hidden()
