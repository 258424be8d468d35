from __future__ import annotations

from cicada.document_routing.naming import PartName, passages_of_part, places
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Locator, Passage, ScriptLocator, SectionLocator

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "scripts"), "macbeth.json")


def passages(*locators: Locator) -> list[Passage]:
    return [
        Passage(f"{number:03}", DOCUMENT, "1", "Macbeth", f"text {number}", "", locator)
        for number, locator in enumerate(locators)
    ]


def chapter(number: str, title: str = "") -> ScriptLocator:
    return ScriptLocator("macbeth", "Macbeth", number, title, 1, 2, ())


def found(locators: list[Locator], *numbers: int, heading: str = "") -> list[int]:
    part = passages_of_part(passages(*locators), PartName(numbers, heading))
    return [int(each.passage_id) for each in part]


def test_a_chapter_of_a_script_is_found_by_its_number() -> None:
    script: list[Locator] = [chapter("3.1"), chapter("3.4"), chapter("3.4"), chapter("3.5"), chapter("13.4")]
    assert found(script, 3, 4) == [1, 2]
    assert found(script, 3) == [0, 1, 2, 3]
    assert found(script, 4) == []
    assert found([chapter("ch-07"), chapter("ch-08")], 7) == [0]


def test_a_section_is_found_by_the_number_of_its_heading() -> None:
    prose: list[Locator] = [
        SectionLocator(("Leave", "1. Scope")),
        SectionLocator(("Leave", "3 Days")),
        SectionLocator(("Leave", "3 Days", "3.4 Carrying over")),
        SectionLocator(("Leave", "Chapter 4: Illness")),
        SectionLocator(("Leave", "Chapter 4: Illness", "2 Notes")),
        SectionLocator(("Leave", "13. Changes")),
    ]
    assert found(prose, 3) == [1, 2]
    assert found(prose, 3, 4) == [2]
    assert found(prose, 4) == [3, 4]
    assert found(prose, 4, 2) == [4]
    assert found(prose, 2) == []


def test_without_numbers_the_sections_are_counted_below_the_title() -> None:
    prose: list[Locator] = [
        SectionLocator(("Leave",)),
        SectionLocator(("Leave", "Days")),
        SectionLocator(("Leave", "Days", "Part time")),
        SectionLocator(("Leave", "Illness")),
    ]
    assert found(prose, 1) == [1, 2]
    assert found(prose, 2) == [3]
    assert found(prose, 1, 1) == [2]
    assert found(prose, 3) == []
    assert found([chapter("one"), chapter("two")], 2) == [1]
    assert found([SectionLocator(())], 1) == []


def test_a_heading_is_found_by_its_words() -> None:
    prose: list[Locator] = [
        SectionLocator(("Leave", "Factory shutdown")),
        SectionLocator(("Leave", "Days of the shutdown", "Pay")),
        SectionLocator(("Leave", "Pay")),
    ]
    assert found(prose, heading="shutdown") == [0, 1]
    assert found(prose, heading="the factory SHUTDOWN") == []
    assert found(prose, heading="factory Shutdown") == [0]
    assert found([chapter("5.5", "Dunsinane. Within the castle.")], heading="Dunsinane") == [0]
    assert found(prose) == []


def test_the_places_of_a_document_are_its_smallest_parts_in_order() -> None:
    all_of_it = passages(chapter("1"), chapter("1"), chapter("2"), chapter("1"))
    assert [[each.passage_id for each in run] for run in places(all_of_it)] == [["000", "001"], ["002"], ["003"]]


def test_a_document_that_was_emptied_meanwhile_has_no_parts() -> None:
    """Its row may have been read just before it was deleted."""
    assert found([], 3) == []
    assert found([], heading="Scope") == []
    assert places([]) == []
