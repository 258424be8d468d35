"""What the terminal shows of the passages that an answer cites."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from cicada_client.events import Locator, Source
from cli.screen import Screen
from cli.user.rendering import render_excerpts

TEXT = "Macbeth: What was that cry?\nSeyton: The queen, my lord, is dead. I saw it.\nMacbeth: Out, brief candle! Go."
SOURCE = Source(1, "macbeth", "Macbeth", Locator(chapter="5.5"), TEXT, 0.9, {"Status": "retired"})


def spans(*texts: str) -> tuple[tuple[int, int], ...]:
    return tuple((TEXT.index(text), TEXT.index(text) + len(text)) for text in texts)


def shown(*sources: Source, colour: bool = True, whole: bool = False) -> str:
    out = io.StringIO()
    screen = Screen(out, out, terminal=True, colour=colour)
    if whole:
        render_excerpts(sources, screen)
    else:
        screen.sources(sources)
    return out.getvalue().replace("\x1b[1m", "<").replace("\x1b[2m", "{").replace("\x1b[0m", ">")


def test_the_sentences_that_an_answer_rests_on_stand_below_their_source() -> None:
    marked = replace(SOURCE, spans=spans("queen, my lord, is dead.", "Out, brief candle"))
    said = "… Seyton: The <queen, my lord, is dead.> … Macbeth: <Out, brief candle>! …"
    assert shown(marked) == f"{{[1] Macbeth (Status: retired) · 5.5>\n    {said}\n"


def test_a_span_over_several_sentences_is_shown_whole() -> None:
    marked = replace(SOURCE, spans=spans("dead. I saw it.\nMacbeth: Out"))
    assert "… Seyton: The queen, my lord, is <dead. ><I saw it. ><Macbeth: Out>, brief candle! …" in shown(marked)


def test_without_colour_nothing_is_bold() -> None:
    assert shown(replace(SOURCE, spans=spans("The queen")), colour=False).endswith(
        "… Seyton: The queen, my lord, is dead. …\n"
    )


def test_the_sources_of_a_document_stand_together_and_its_metadata_once() -> None:
    second = replace(SOURCE, n=3, locator=Locator(chapter="5.8"))
    lines = shown(SOURCE, replace(SOURCE, n=2, document_id="hamlet", title="Hamlet", fields=None), second)
    assert lines == "{[1] Macbeth (Status: retired) · 5.5>\n{[3] 5.8>\n{[2] Hamlet · 5.5>\n"


def test_all_of_a_passage_is_shown_with_its_marks() -> None:
    said = (
        "Macbeth: What was that cry? Seyton: The queen, my lord, is dead. <I saw it.> Macbeth: Out, brief candle! Go."
    )
    assert shown(replace(SOURCE, spans=spans("I saw it.")), whole=True).endswith(f">\n    {said}\n")


@pytest.mark.parametrize("excerpt", ["", " \n"])
def test_an_empty_passage_is_a_line_alone(excerpt: str) -> None:
    assert shown(replace(SOURCE, excerpt=excerpt), whole=True) == "{[1] Macbeth (Status: retired) · 5.5>\n"
