"""The reading pane: a document beside the conversation, opened at the place of a passage."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from cicada.conversation.protocol import OpenDocument, SourcesFound
from cicada.documents.catalogue import Card, CardSection, row_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, ScriptLocator
from cicada.retrieval.model import EmbeddedPassage
from tests.browser.contrast import CONTRASTS
from tests.browser.fake_backend import TENANT, FakeBackend
from tests.browser.pages import ask, sign_in
from tests.browser.plays import QUESTION, SOURCES, answered
from tests.browser.store import LIST, listed
from tests.fakes.passages import passage

MACBETH = DocumentKey(KnowledgeBaseKey(TENANT, "scripts"), "macbeth")
LONG = "To-morrow, and to-morrow, and to-morrow, creeps in this petty pace from day to day. " * 9
PASSAGES = 40
# On the third page; it begins with the line that ends the passage before it.
CITED = 20
ADDRESS = "#document=macbeth&in=scripts&passage=20%40v1"


def put(backend: FakeBackend, version: str = "v1") -> None:
    """Forty passages of two scenes; the cited one is Seyton's."""
    texts = [f"MACBETH: {LONG}Line {number}." for number in range(PASSAGES)]
    texts[CITED - 1] += "\nSEYTON: The queen, my lord, is dead."
    texts[CITED] = "SEYTON: The queen, my lord, is dead.\nMACBETH: She should have died hereafter.\n(Exit SEYTON)"
    made = []
    for number, text in enumerate(texts):
        scene = "5.5" if number >= CITED - 4 else "5.4"
        locator = ScriptLocator("macbeth", "Macbeth", scene, "Dunsinane", number, number + 1, ("MACBETH",))
        made.append(passage(MACBETH, number, text, version=version, title="Macbeth", locator=locator))
    row = row_of(made)
    assert row
    sections = (CardSection("5.4 Dunsinane", 0, CITED - 5), CardSection("5.5 Dunsinane", CITED - 4, PASSAGES - 1))
    card = Card("Macbeth", sections=sections)
    embedded = [EmbeddedPassage(each, (1.0,)) for each in made]
    backend.library.replace(MACBETH, embedded, replace(row, card=card), (1.0,))


@pytest.fixture
def library(backend: FakeBackend) -> FakeBackend:
    """A backend whose answers cite a document that can be opened."""
    sources = (replace(SOURCES[0], passage=f"{CITED}@v1"), *SOURCES[1:])
    events = [
        SourcesFound(sources=sources, knowledge_base="scripts") if isinstance(each, SourcesFound) else each
        for each in answered()
    ]
    backend.answer = lambda _message: events
    put(backend)
    return backend


def pane(page: Page) -> Locator:
    return page.locator("#reading")


def open_source(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    page.get_by_role("link", name="Open Macbeth at passage 1").click()
    expect(pane(page).locator("mark")).not_to_have_count(0)


def marked(page: Page) -> list[str]:
    return pane(page).locator("mark").all_inner_texts()


def test_a_source_opens_beside_the_conversation_at_its_passage(page: Page, address: str, library: FakeBackend) -> None:
    open_source(page, address)
    expect(page.get_by_role("heading", name="Macbeth", level=2, exact=True)).to_be_focused()
    assert marked(page) == [
        "The queen, my lord, is dead.",
        "She should have died hereafter.",
        "(Exit SEYTON)",
    ]
    expect(pane(page).locator("mark").first).to_be_in_viewport()
    expect(pane(page)).to_contain_text("Messages 20–21")
    # The line that two passages share stands there once.
    assert pane(page).inner_text().count("The queen, my lord, is dead.") == 1
    expect(page.get_by_label("Your question")).to_be_editable()


def test_further_pages_come_by_scrolling_and_earlier_ones_by_a_button(
    page: Page, address: str, library: FakeBackend
) -> None:
    open_source(page, address)
    scroll, status = page.locator(".pages"), pane(page).get_by_role("status")
    scroll.get_by_role("button", name="Earlier pages").focus()
    before = page.locator("mark").first.bounding_box()
    scroll.get_by_role("button", name="Earlier pages").press("Enter")
    expect(status).to_contain_text("Pages 2–")
    after = page.locator("mark").first.bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) < 2
    scroll.evaluate("element => element.scrollTo(0, element.scrollHeight)")
    expect(status).to_contain_text("–4 of 5")
    scroll.evaluate("element => element.scrollTo(0, element.scrollHeight)")
    expect(status).to_contain_text("Pages 2–5 of 5")
    expect(scroll.get_by_role("button", name="Further pages")).to_be_hidden()
    numbers = [
        int(each or "") for each in scroll.locator(".block").evaluate_all("all => all.map(e => e.dataset.number)")
    ]
    assert numbers == list(range(8, PASSAGES))
    expect(scroll.locator("h3")).to_have_text(["5.4 Dunsinane", "5.5 Dunsinane"])


def test_the_outline_leads_to_a_scene(page: Page, address: str, library: FakeBackend) -> None:
    open_source(page, address)
    pane(page).get_by_text("Outline").click()
    pane(page).get_by_role("button", name="5.4 Dunsinane").click()
    expect(page.locator(".document-text h3").first).to_have_text("5.4 Dunsinane")
    expect(page.locator('.block[data-number="0"]')).to_be_in_viewport()
    expect(pane(page).get_by_role("button", name="5.5 Dunsinane")).to_be_visible()


@pytest.mark.parametrize("way", ["Escape", "button"])
def test_the_pane_closes_and_focus_comes_back(page: Page, address: str, library: FakeBackend, way: str) -> None:
    open_source(page, address)
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        page.get_by_role("button", name="Close the document").click()
    expect(pane(page)).to_be_hidden()
    expect(page.get_by_role("link", name="Open Macbeth at passage 1")).to_be_focused()
    assert "#" not in page.url
    page.go_back()
    expect(pane(page).locator("mark").first).to_be_visible()
    page.go_back()
    expect(pane(page)).to_be_hidden()


def test_a_reload_and_a_deep_link_open_the_document_again(page: Page, address: str, library: FakeBackend) -> None:
    sign_in(page, f"{address}{ADDRESS}")
    expect(pane(page).locator("mark").first).to_be_in_viewport()
    page.reload()
    expect(pane(page).locator("mark").first).to_be_in_viewport()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert "#" not in page.url
    assert "hereafter" not in page.content()


def test_a_lost_connection_is_bridged(page: Page, address: str, library: FakeBackend) -> None:
    open_source(page, address)
    library.cut_connections()
    page.get_by_role("button", name="Earlier pages").click()
    expect(pane(page).get_by_role("status")).to_contain_text("Pages 2–")


def test_what_was_withdrawn_meanwhile_goes_from_the_screen(page: Page, address: str, library: FakeBackend) -> None:
    open_source(page, address)
    library.access.readers["macbeth"] = ("user:nobody",)
    page.get_by_role("button", name="Earlier pages").click()
    expect(pane(page).get_by_role("alert")).to_have_text(
        "There is no such document: it was removed, or you may not read it."
    )
    expect(pane(page)).not_to_contain_text("queen")
    expect(pane(page)).not_to_contain_text("Macbeth")


def test_a_document_that_changed_is_opened_at_its_beginning(page: Page, address: str, library: FakeBackend) -> None:
    put(library, version="v2")
    sign_in(page, f"{address}{ADDRESS}")
    expect(pane(page)).to_contain_text("The passage is not in this document any more; this is its beginning.")
    put(library, version="v3")
    page.locator(".pages").evaluate("element => element.scrollTo(0, element.scrollHeight)")
    expect(pane(page)).to_contain_text("The document has changed, and was opened again.")


def test_a_failure_can_be_tried_again(page: Page, address: str, library: FakeBackend) -> None:
    library.library.delete(MACBETH)
    sign_in(page, f"{address}{ADDRESS}")
    expect(pane(page).get_by_role("alert")).to_contain_text("try again in a minute")
    put(library)
    pane(page).get_by_role("button", name="Try again").click()
    expect(pane(page).locator("mark").first).to_be_visible()


def test_a_listed_document_opens(page: Page, address: str, library: FakeBackend) -> None:
    events = [replace(each, knowledge_base="scripts") if each.type == "listing" else each for each in listed()]
    library.answer = lambda _message: events
    sign_in(page, address)
    ask(page, LIST)
    page.get_by_role("link", name=re.compile("^SOP-002")).click()
    expect(pane(page).get_by_role("alert")).to_contain_text("try again in a minute")
    [asked] = [each for each in library.commands if isinstance(each, OpenDocument)]
    assert (asked.knowledge_base, asked.document_id, asked.passage) == ("scripts", "sop-002", None)


def test_on_a_narrow_screen_the_pane_covers_the_conversation(page: Page, address: str, library: FakeBackend) -> None:
    open_source(page, address)
    for width in (899, 360, 320):
        page.set_viewport_size({"width": width, "height": 740})
        box = pane(page).bounding_box()
        assert box
        assert (box["x"], box["width"], box["height"]) == (0, width, 740)
        assert pane(page).evaluate("element => element.scrollWidth - element.clientWidth") == 0
        expect(page.locator(".stage")).to_have_attribute("inert", "")
    page.set_viewport_size({"width": 900, "height": 740})
    expect(page.locator(".stage")).not_to_have_attribute("inert", "")
    box = pane(page).bounding_box()
    assert box
    assert box["x"] > 400


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_open_document_has_enough_contrast(page: Page, address: str, library: FakeBackend, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_source(page, address)
    pane(page).get_by_text("Outline").click()
    assert page.locator("body").evaluate(CONTRASTS) == []


def test_text_of_a_document_is_never_markup(page: Page, address: str, library: FakeBackend) -> None:
    hostile = passage(MACBETH, 0, "<img src=x onerror=\"document.title='broken in'\">", version="v1", title="<b>x</b>")
    library.library.replace(MACBETH, [EmbeddedPassage(hostile, (1.0,))])
    sign_in(page, f"{address}#document=macbeth&in=scripts")
    expect(pane(page).locator(".block")).to_have_text(hostile.text)
    expect(page.get_by_role("heading", name="<b>x</b>")).to_be_visible()
    expect(page).to_have_title("Cicada")
