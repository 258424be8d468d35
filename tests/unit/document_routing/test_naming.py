"""What names a part of a document."""

from __future__ import annotations

import pytest

from cicada.document_routing.naming import PartName, part_name, passages_of_part, places, split_part
from cicada.documents.model import (
    Locator,
    Passage,
    ScriptLocator,
    SectionLocator,
)
from tests.fakes.passages import passage


@pytest.mark.parametrize(
    ("text", "part", "document"),
    [
        ("3.4", (3, 4), ""),
        ("chapter 3", (3,), ""),
        ("Act V", (5,), ""),
        ("act 3, scene 4 of Macbeth", (3, 4), "Macbeth"),
        ("scene 4 of act three in Hamlet", (3, 4), "Hamlet"),
        ("the second chapter of the travel policy", (2,), "travel policy"),
        ("chapter XIV of the annals", (14,), "annals"),
        ("the 3rd act", (3,), ""),
        ("the fourth scene of the third act", (3, 4), ""),
        ("§ 7 des Vertrags", (7,), "Vertrags"),
        ("Kapitel 3 von Hamlet", (3,), "Hamlet"),
        ("l'acte 2 de Hamlet", (2,), "Hamlet"),
        ("マクベスの第3幕第4場", (3, 4), "マクベス"),
        ("第五章", (5,), ""),
        ("第十二章", (12,), ""),
        ("第二十章", (20,), ""),
        ("3. Kapitel von Hamlet", (3,), "Hamlet"),
        ("la 2e partie de Hamlet", (2,), "Hamlet"),
        ("ハムレット 3 幕", (3,), "ハムレット"),
        ("3막 4장", (3, 4), ""),
        ("the section on scope of the leave policy", "scope", "leave policy"),
        ("the responsibilities section of SOP-QA-003", "responsibilities", "SOP-QA-003"),
        ("the chapter called Old Debts", "Old Debts", ""),
    ],
)
def test_a_number_or_a_heading_names_a_part_and_the_rest_the_document(
    text: str, part: tuple[int, ...] | str, document: str
) -> None:
    found, rest = split_part(text)
    assert part_name(found) == (PartName(heading=part) if isinstance(part, str) else PartName(part))
    assert rest == document


@pytest.mark.parametrize(
    "text",
    [
        *("contract 2024-001", "version 4.1 of the leave policy", "Henry V", "the plot of Hamlet", "episode 3", "v2.3"),
        *("the 3 parts of the travel policy", "the 14 participants", "10 booklets", "5 action items"),
        "Programm der Partei",
    ],
)
def test_other_numbers_belong_to_the_document(text: str) -> None:
    assert split_part(text)[0] == ""
    assert part_name("") is None


def test_a_model_may_name_a_part_by_its_heading_alone() -> None:
    assert part_name("Old Debts") == PartName(heading="Old Debts")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("chapter ı", (1,)),
        ("chapter Vİ", (6,)),
        ("chapter ſix", (6,)),
        ("the ſecond chapter", (2,)),
        ("chapter ٣", (3,)),
        ("section IIIIIIII", (8,)),
    ],
)
def test_a_number_may_have_letters_that_only_match_without_case(text: str, numbers: tuple[int, ...]) -> None:
    assert part_name(text) == PartName(numbers)


def test_a_number_may_be_longer_than_any_document_has_parts() -> None:
    named = part_name("chapter " + "9" * 5000)
    assert named
    assert named.numbers[0] > 10**8


def chapter(number: str, title: str = "") -> ScriptLocator:
    return ScriptLocator("macbeth", "Macbeth", number, title, 1, 2, ())


def passages(*locators: Locator) -> list[Passage]:
    return [passage(number=number, locator=each) for number, each in enumerate(locators)]


def found(locators: list[Locator], *numbers: int, heading: str = "") -> list[int]:
    all_of_it = passages(*locators)
    return [all_of_it.index(each) for each in passages_of_part(all_of_it, PartName(numbers, heading))]


def test_a_chapter_of_a_script_is_found_by_its_number() -> None:
    script: list[Locator] = [chapter("3.1"), chapter("3.4"), chapter("3.4"), chapter("3.5"), chapter("13.4")]
    assert found(script, 3, 4) == [1, 2]
    assert found(script, 3) == [0, 1, 2, 3]
    assert found(script, 4) == []
    assert found([chapter("ch-07"), chapter("ch-08")], 7) == [0]


def test_a_section_is_found_by_the_number_of_its_heading() -> None:
    prose = sections(
        ("Leave", "1. Scope"),
        ("Leave", "3 Days"),
        ("Leave", "3 Days", "3.4 Carrying over"),
        ("Leave", "Chapter 4: Illness"),
        ("Leave", "Chapter 4: Illness", "2 Notes"),
        ("Leave", "13. Changes"),
    )
    for numbers, expected in (((3,), [1, 2]), ((3, 4), [2]), ((4,), [3, 4]), ((4, 2), [4]), ((2,), [])):
        assert found(prose, *numbers) == expected


def sections(*paths: tuple[str, ...]) -> list[Locator]:
    return [SectionLocator(path) for path in paths]


def test_without_numbers_the_sections_are_counted_below_the_title() -> None:
    prose = sections(("Leave",), ("Leave", "Days"), ("Leave", "Days", "Part time"), ("Leave", "Illness"))
    for numbers, expected in (((1,), [1, 2]), ((2,), [3]), ((1, 1), [2]), ((3,), [])):
        assert found(prose, *numbers) == expected
    assert found([chapter("one"), chapter("two")], 2) == [1]
    assert found([SectionLocator(())], 1) == []


def test_a_heading_is_found_by_its_words() -> None:
    prose = sections(("Leave", "Factory shutdown"), ("Leave", "Days of the shutdown", "Pay"), ("Leave", "Pay"))
    assert found(prose, heading="shutdown") == [0, 1]
    assert found(prose, heading="the factory SHUTDOWN") == []
    assert found(prose, heading="factory Shutdown") == [0]
    assert found([chapter("5.5", "Dunsinane. Within the castle.")], heading="Dunsinane") == [0]
    assert found(prose) == []


def test_the_places_of_a_document_are_its_smallest_parts_in_order() -> None:
    first, second, third, last = passages(chapter("1"), chapter("1"), chapter("2"), chapter("1"))
    assert [list(run) for run in places([first, second, third, last])] == [[first, second], [third], [last]]


def test_a_document_that_was_emptied_meanwhile_has_no_parts() -> None:
    """Its row may have been read just before it was deleted."""
    assert found([], 3) == []
    assert found([], heading="Scope") == []
    assert places([]) == []
