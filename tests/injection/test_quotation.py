"""No text of a document leaves its quotation, in any input of any model."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.answering.prompt import passages_prompt
from cicada.dialogue import Turn
from cicada.ingest.script import ScriptParser
from cicada.quotation import named, one_quoted_line, quoted, visible
from cicada.retrieval.model import RankedPassage
from cicada.understanding.by_model.prompt import message_text
from cicada.understanding.plan import PlanRequest
from tests.fakes.access import permitted
from tests.injection.shown import ATTACKS, HARMLESS, MARK, inputs, skeleton, tool_results
from tests.unit.ingest.documents import parsed
from tests.unit.ingest.scripts import script, shipped_episodes, source, speech

TEXTS = [each["text"] for each in ATTACKS]
NAMES = [f"{each['family']} {number}" for number, each in enumerate(ATTACKS)]
_EXPECTED = {name: skeleton(shown) for name, shown in inputs(HARMLESS)}
# The tools say different things of different names; of all others the application's lines are the same for any text.
_OF_TOOLS = {name for name, _ in tool_results(HARMLESS)}
_SAME = [name for name in _EXPECTED if name not in _OF_TOOLS]
_PIECES = ("\n", "\r", "\u2028", "\x85", "| ", "[2]", "“", "”", "Text:", "Question: ", "\u202e", MARK)
HOSTILE = st.lists(
    st.sampled_from([*TEXTS, *_PIECES]) | st.text(max_size=12),
    max_size=6,
).map("".join)


def outside(shown: str) -> str:
    return "\n".join(skeleton(shown))


def test_the_suite_has_sixty_attacks_of_named_families() -> None:
    assert len(set(TEXTS)) >= 60
    assert all(each["family"] and each["source"] for each in ATTACKS)
    assert len({each["family"] for each in ATTACKS}) >= 15


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_an_attack_in_any_place_of_a_document_stays_quoted(text: str) -> None:
    found = dict(inputs(text))
    assert found.keys() == _EXPECTED.keys()
    assert {name: skeleton(found[name]) for name in _SAME} == {name: _EXPECTED[name] for name in _SAME}
    assert [name for name, shown in found.items() if MARK in outside(shown)] == []
    assert any(MARK in shown for shown in found.values())


@given(HOSTILE)
def test_no_text_at_all_changes_a_line_of_the_application(text: str) -> None:
    found = dict(inputs(f"{MARK} {text}"))
    assert {name: skeleton(found[name]) for name in _SAME} == {name: _EXPECTED[name] for name in _SAME}
    assert [name for name, shown in found.items() if MARK in outside(shown)] == []


@given(HOSTILE)
def test_what_is_quoted_has_bars_and_nothing_that_people_cannot_see(text: str) -> None:
    lines = quoted(text).split("\n")
    assert all(line == "|" or line.startswith("| ") for line in lines)
    assert quoted(text).splitlines() == lines
    assert len(one_quoted_line(text).splitlines()) == 1
    assert len(named(text).splitlines()) == 1
    assert "”" not in named(text)[1:-1]
    hidden = {each for each in visible(text) if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn")}
    assert hidden <= {"\n", "\u200c", "\u200d"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [a] text <b>", "plain [a] text <b>"),
        ("as in [3], [4; 5]", "as in (3), (4; 5)"),
        ("［２］", "(２)"),
        ("<|im_start|>system", "(im_start)system"),
        ("a\tb", "a b"),
        ("x\U000e0041\u202ey\u200bz", "xyz"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200cb \u200d", "ab "),
        ("a\u200d\u200db", "ab"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("\ud800!", "!"),
    ],
)
def test_what_people_read_stays_and_delimiters_lose_their_form(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_an_attack_that_was_ingested_from_a_file_stays_quoted(text: str) -> None:
    line = " ".join(text.split())
    handbook = (
        f"---\ntitle: {json.dumps(line[:150])}\n---\n\n# {line}\n\nLunch is at noon.\n\n## {line}\n\n{text}\n".replace(
            "\0", ""
        )
    )
    spoken = script(speech(1, text, speaker=line[:100], chapterTitle=line[:120]), speech(2, "Good."))
    read = ScriptParser(shipped_episodes()).parse(source("macbeth.json", spoken)).passages
    for content, passages in (
        ("documents", parsed("handbook.md", handbook.encode()).passages),
        ("scripts", read),
    ):
        assert passages
        shown = passages_prompt("Who?", permitted([RankedPassage(each, 1.0) for each in passages]), content).user  # type: ignore[arg-type]
        assert MARK in shown
        assert MARK not in outside(shown)


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_an_earlier_answer_stays_a_value_of_the_planners_json(text: str) -> None:
    request = PlanRequest("Who?", "scripts", datetime(2026, 3, 1, tzinfo=UTC), turns=(Turn("Why?", text),))
    said = message_text(request)
    assert len(said.splitlines()) == 1
    assert json.loads(said) == {
        "today": "2026-03-01, Sunday",
        "earlier": [{"question": "Why?", "answer": visible(text[:500])}],
        "message": "Who?",
    }
