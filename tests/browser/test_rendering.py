"""Answers as models write them, in Markdown: their structure is the library's, and they run and load nothing."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from cicada.conversation.protocol import Chunk, Complete, UnsupportedSentence, Usage
from cicada.grounding.sentences import sentences_of
from infra.page_files import ESBUILD, PAGE_FOLDER
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in
from tests.browser.plays import QUESTION

_HERE = Path(__file__).parent
ANSWERS: list[dict[str, str]] = json.loads((_HERE / "answers.json").read_text("utf-8"))
ATTACKS = [
    {"name": each["family"], "text": f"It says:\n\n{each['text']}\n\n- {each['text']}"}
    for each in json.loads((_HERE.parent / "injection" / "attacks.json").read_text("utf-8"))
]
HARMLESS = [each for each in ANSWERS if "hostile" not in each["name"]]
RENDER, OUTLINE = ((_HERE / name).read_text("utf-8") for name in ("rendering.js", "outline.js"))
CITATION = re.compile(r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
TAGS = re.compile(
    "a|blockquote|br|button|code|del|div|em|h4|h5|h6|hr|li|ol|p|pre|span|strong|table|tbody|td|th|thead|tr|ul"
)
ATTRIBUTES = re.compile("aria-label|class|data-host|data-n|dir|href|rel|role|start|tabindex|target|title|type")


@pytest.fixture(scope="module")
def modules() -> str:
    """The page's modules that show answers, in one, with what they export."""
    exported = 'export * from "./answer-text.js"; export * from "./markdown.js";'
    command = [str(ESBUILD), "--bundle", "--format=esm"]
    done = subprocess.run(command, cwd=PAGE_FOLDER, input=exported, capture_output=True, text=True, check=True)
    return str(done.stdout)


@pytest.fixture
def opened(page: Page, address: str, modules: str) -> Page:
    served = {"body": modules, "content_type": "text/javascript"}
    page.route("**/assets/*/rendering.js", lambda route: route.fulfill(**served))
    page.goto(address)
    expect(page.get_by_label("Name")).to_be_visible()
    return page


def test_an_answer_has_the_structure_that_the_library_gives_it(opened: Page, context: BrowserContext) -> None:
    shown: list[dict[str, Any]] = opened.evaluate(RENDER, HARMLESS)
    outlines = [context.new_page().evaluate(OUTLINE, [each[which] for each in shown]) for which in ("html", "library")]
    names = [each["name"] for each in HARMLESS]
    assert [each for each in zip(names, *outlines, strict=True) if each[1] != each[2]] == []


def test_every_citation_leads_to_its_source(opened: Page) -> None:
    for each, shown in zip(HARMLESS, opened.evaluate(RENDER, HARMLESS), strict=True):
        without_code = re.sub(r"<(code|a)\b.*?</\1>|\\\[", "", shown["library"], flags=re.DOTALL)
        cited = [number for found in CITATION.findall(without_code) for number in re.findall(r"\d+", found)]
        expected = 0 if each["name"] == "prose 18" else len(cited)
        assert shown["citations"] == expected, each["name"]


def test_a_sentence_is_underlined_whatever_marks_it_stands_in(opened: Page, context: BrowserContext) -> None:
    """Every second sentence of each answer, as the check of the sentences finds them."""
    marked: list[dict[str, Any]] = [{**each, "unsupported": _every_second(each["text"])} for each in HARMLESS]
    shown = opened.evaluate(RENDER, marked)
    outlines = [context.new_page().evaluate(OUTLINE, [each[which] for each in shown]) for which in ("html", "library")]
    assert [each for each in zip(marked, *outlines, strict=True) if each[1] != each[2]] == []
    for each, seen in zip(marked, shown, strict=True):
        said = "".join(each["text"][span["start"] : span["end"]] for span in each["unsupported"])
        # A cell without a column is not shown; of the others letters are lost or added by what they are in Markdown.
        if each["name"] != "table 6" and not re.search(r"\[[xX]\]|[<&\\`~]|\]\(|://|\d[.)]|\.org", said):
            assert _letters(seen["marks"]) == _letters(said), each["name"]


def test_an_answer_that_grows_becomes_the_same_and_leaves_complete_blocks_alone(opened: Page) -> None:
    for each, shown in zip(ANSWERS, opened.evaluate(RENDER, ANSWERS), strict=True):
        assert shown["streamed"]["html"] == shown["html"], each["name"]
        assert shown["streamed"]["disturbed"] == 0, each["name"]


def test_no_answer_runs_a_script_or_loads_anything(opened: Page) -> None:
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    answers = [*ANSWERS, *ATTACKS]
    for each, shown in zip(answers, opened.evaluate(RENDER, answers), strict=True):
        assert all(map(TAGS.fullmatch, shown["tags"])), each["name"]
        assert all(map(ATTRIBUTES.fullmatch, shown["attributes"])), each["name"]
        assert all(map(re.compile("https?://|mailto:").match, shown["addresses"])), each["name"]
    opened.mouse.move(300, 300)
    assert opened.evaluate("window.pwned") is None
    assert [url for url in asked if "/assets/" not in url] == []


def test_quotes_nested_too_deep_for_the_library_are_shown_as_they_are(opened: Page) -> None:
    module = "new URL('./rendering.js', document.querySelector('script[type=module]').src)"
    blocks = f"async (text) => (await import({module})).blocksOf(text).map(({{ raw }}) => raw)"
    deep = "> " * 20_000 + "deep"
    assert opened.evaluate(blocks, deep) == [deep]


def test_a_link_shows_the_host_that_its_text_hides(opened: Page) -> None:
    [shown] = opened.evaluate(RENDER, [{"text": "[bank.example](https://evil.example/login) and [x](javascript:y)"}])
    assert shown["addresses"] == ["https://evil.example/login"]
    assert 'rel="noopener noreferrer nofollow" data-host="evil.example"' in shown["html"]
    assert "[x](javascript:y)" in shown["html"]


def test_selected_text_stays_selected_while_its_paragraph_grows(page: Page, address: str, backend: FakeBackend) -> None:
    words = re.findall(r"\S+ ?", "One **bold** word [1], and more of the same paragraph, and then some more.")
    backend.answer = lambda _message: [*(Chunk(content=word) for word in words), DONE]
    backend.hold_before(9)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("and more of")
    answer(page).evaluate("answer => getSelection().selectAllChildren(answer)")
    backend.go_on()
    expect(page.locator(".how")).to_be_visible()
    assert page.evaluate("String(getSelection())").startswith("One bold word\u00a0[1], and more of")


DONE = Complete(usage=Usage(), timings={"total": 1}, path=(), confidence=None)


def test_the_sentences_that_the_server_names_are_underlined_and_said(
    page: Page, address: str, backend: FakeBackend
) -> None:
    text = "🏠 Yes.\n\n- The rent is **9** EUR.\n- So it is."
    end = Complete(
        usage=Usage(),
        timings={"total": 1},
        path=("generate",),
        confidence=None,
        unsupported=(UnsupportedSentence(start=10, end=32, reason="number"),),
    )
    backend.answer = lambda _message: [Chunk(content=text), end]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    marked = page.locator(".answer .unsupported")
    assert "".join(marked.all_text_contents()) == "The rent is 9 EUR. (Not supported by the passages) "
    expect(marked.first).to_have_attribute("title", "Not supported by the passages")


def _every_second(text: str) -> list[dict[str, int]]:
    return [{"start": each.start, "end": each.end} for each in list(sentences_of(text))[::2]]


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())
