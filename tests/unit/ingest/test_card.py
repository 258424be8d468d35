"""The card of a document as the rules compile it."""

from __future__ import annotations

import pytest

from cicada.documents.catalogue import Card, CardSection
from cicada.documents.model import Passage
from cicada.ingest.cards.make import MAX_SECTION_BYTES, compile_card, outline_of
from cicada.ingest.cards.parts import MAX_HINTS
from cicada.ingest.cards.terms import BaseStatistics
from cicada.ingest.model import CardDraft
from cicada.ingest.script import ScriptParser
from tests.unit.ingest.documents import parsed
from tests.unit.ingest.scripts import play, shipped_episodes, source

RETURNS = """\
---
title: Returns Policy
---
# Returns Policy

This policy says how customers send goods back and when they get a refund. It covers all shops.

- An item of a list. It is no sentence of the overview.

## Restocking fees

A restocking fee of ten percent is kept for opened boxes. Restocking fees are never kept for faulty goods.

## How do I ask for a refund?

Write to the refund desk. The refund desk answers within two days.

## 3.1 Exceptions

Perishable goods stay with the customer.
"""


def passages_of(text: str, name: str = "returns.md") -> tuple[Passage, ...]:
    return parsed(name, text.encode()).passages


def card_of(text: str, statistics: BaseStatistics | None = None) -> Card:
    return compile_card(outline_of(passages_of(text)), statistics or BaseStatistics())


def test_the_overview_is_what_the_document_begins_with() -> None:
    overview = card_of(RETURNS).overview
    assert overview.startswith("This policy says how customers send goods back and when they get a refund. It covers")
    assert "An item" not in overview
    assert len(overview) <= 300


def test_repeated_phrases_and_the_title_are_tags_and_lead_to_their_sections() -> None:
    card = card_of(RETURNS)
    assert card.topic_tags[0] == "returns policy"
    assert "restocking fees" in card.topic_tags
    [place] = card.topic_paths["restocking fees"]
    assert card.sections[place].heading == "Restocking fees"
    assert not {"the", "two", "within"} & {word for tag in card.topic_tags for word in tag.split()}


def test_a_term_of_the_whole_base_is_no_tag_and_a_rare_one_is() -> None:
    terms = outline_of(passages_of(RETURNS)).found
    common = {term: 990 for term in terms if "perishable" not in term}
    tags = card_of(RETURNS, BaseStatistics(1000, common | {"perishable": 1})).topic_tags
    assert tags[0] == "perishable"
    assert card_of(RETURNS).topic_tags[0] != "perishable"


@pytest.mark.parametrize(("one", "many"), [("invoice", "invoices"), ("salary", "salaries")])
def test_singular_and_plural_are_one_term(one: str, many: str) -> None:
    card = card_of(f"# Audit\n\nA {one} is booked. The {many} are kept. No {one} is lost; each {one} is read.")
    assert [tag for tag in card.topic_tags if tag.startswith(one[:-1])] == [one]


def test_the_document_s_own_questions_come_before_those_that_its_headings_suggest() -> None:
    assert card_of(RETURNS).question_hints == (
        "How do I ask for a refund?",
        "What about restocking fees?",
        "What about exceptions?",
    )
    asked = card_of("# FAQ\n\n## Opening\n\nQ: When do you open?\n\nAt nine.\n\nWhy? Because. And so on?\n")
    assert asked.question_hints[0] == "When do you open?"
    assert not any("And so on" in hint for hint in asked.question_hints)


def test_headings_of_other_languages_suggest_no_question() -> None:
    card = card_of(
        "# Reisekosten\n\n## Zweck\n\nDiese Richtlinie regelt die Erstattung der Reisekosten für die Mitarbeiter.\n\n"
        "## Wie lange dauert es?\n\nDie Erstattung der Reisekosten dauert eine Woche."
    )
    assert card.language == "de"
    assert card.question_hints == ("Wie lange dauert es?",)
    assert "reisekosten" in card.topic_tags
    assert not {"die", "der", "diese"} & set(card.topic_tags)


JAPANESE = "この手順書は品質管理の責任を定める。サンプルは部門が採る。サンプルを返す。"
CHINESE = "客户可以提交订单编号查询进度。系统显示订单编号以及信息。邮件包含订单编号内容。"
KOREAN = "고객은 반품을 신청할 수 있다. 반품은 주문 번호가 필요하다. 주문은 한 번이다."


@pytest.mark.parametrize(
    ("text", "language", "term"),
    [(JAPANESE, "ja", "サンプル"), (CHINESE, "zh", "订单编号"), (KOREAN, "ko", "반품")],
)
def test_scripts_without_spaces_have_terms_too(text: str, language: str, term: str) -> None:
    card = card_of(f"# 政策\n\n{text}" if language != "ko" else f"# 반품 정책\n\n{text}")
    assert card.language == language
    assert term in {each for section in card.sections for each in section.keywords}
    assert all(len(tag) >= 2 for tag in card.topic_tags)


def test_a_name_in_another_script_does_not_change_the_language() -> None:
    text = "# Supplier\n\nThe supplier of the parts is 東京電力 and it is audited by us each year."
    assert card_of(text).language == "en"


def test_a_script_has_its_chapters_as_sections_and_its_speakers_and_places_as_overview() -> None:
    found = ScriptParser(shipped_episodes()).parse(source("macbeth.json", play("macbeth")))
    card = compile_card(outline_of(found.passages), BaseStatistics())
    assert card.overview.startswith("Macbeth, Lady Macbeth, Macduff, Malcolm")
    assert "A camp near Forres" in card.overview
    assert (card.sections[0].heading, card.sections[0].first) == ("1.1 A desert place.", 0)
    assert len(card.sections) == 28
    assert "witch" in card.sections[0].keywords
    assert card.question_hints == ()


def test_what_the_model_wrote_stands_in_the_card_and_the_rules_fill_what_it_left_out() -> None:
    outline = outline_of(passages_of(RETURNS))
    card = compile_card(outline, BaseStatistics(), CardDraft("About returns.", ("returns",)), "small-model")
    assert (card.overview, card.topic_tags, card.by) == ("About returns.", ("returns",), "small-model")
    assert card.question_hints[0] == "How do I ask for a refund?"
    assert compile_card(outline, BaseStatistics()).by == "rules"


def test_of_very_many_headings_neighbours_share_a_section() -> None:
    text = "# Book\n\n" + "\n\n".join(
        f"## Chapter {number} of the book\n\nText of part {number}." for number in range(900)
    )
    card = card_of(text)
    assert 20 < len(card.sections) <= 200
    assert [each.first for each in card.sections[1:]] == [each.last + 1 for each in card.sections[:-1]]
    assert (card.sections[0].first, card.sections[-1].last) == (0, 899)
    assert sum(len(each.heading) for each in card.sections) < MAX_SECTION_BYTES
    assert len(card.question_hints) <= MAX_HINTS


def test_deeper_headings_are_given_up_before_those_above_them() -> None:
    parts = [
        f"## Part {part}\n\n" + "\n\n".join(f"### Rule {part}.{rule}\n\nText of {rule}." for rule in range(60))
        for part in range(5)
    ]
    card = card_of("# Rules\n\n" + "\n\n".join(parts))
    assert [(each.heading, each.first, each.last) for each in card.sections] == [
        (f"Part {part}", 60 * part, 60 * part + 59) for part in range(5)
    ]


def test_a_document_without_headings_is_one_section_under_its_title() -> None:
    card = compile_card(outline_of(parsed("note.txt", b"A note on the water meter.").passages), BaseStatistics())
    assert card.sections == (CardSection("note", 0, 0, ("note", "water meter")),)


def test_a_section_is_named_by_the_headings_above_it() -> None:
    card = card_of("# Rules\n\nFirst.\n\n## Part A\n\nSecond.\n\n### Rule 1\n\nThird.\n\n### Rule 2\n\nFourth.")
    headings = ["Rules", "Part A", "Part A · Rule 1", "Part A · Rule 2"]
    assert [(each.heading, each.first, each.last) for each in card.sections] == [
        (heading, number, number) for number, heading in enumerate(headings)
    ]


def test_an_overview_ends_with_a_whole_sentence() -> None:
    sentence = "The meter is read by the caretaker of the house on the first Monday of each month, before nine."
    assert card_of(f"# Meter\n\n{' '.join([sentence] * 6)}").overview == " ".join([sentence] * 3)
