from __future__ import annotations

import pytest

from cicada.document_routing.naming import PartName, part_name, split_part


@pytest.mark.parametrize(
    ("text", "numbers", "document"),
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
        ("第十二章", (12,), ""),
        ("第二十章", (20,), ""),
        ("3. Kapitel von Hamlet", (3,), "Hamlet"),
        ("la 2e partie de Hamlet", (2,), "Hamlet"),
        ("ハムレット 3 幕", (3,), "ハムレット"),
        ("3막 4장", (3, 4), ""),
    ],
)
def test_a_number_names_a_part_and_the_rest_the_document(text: str, numbers: tuple[int, ...], document: str) -> None:
    part, rest = split_part(text)
    assert (part_name(part), rest) == (PartName(numbers), document)


@pytest.mark.parametrize(
    ("text", "heading", "document"),
    [
        ("the section on scope of the leave policy", "scope", "leave policy"),
        ("the responsibilities section of SOP-QA-003", "responsibilities", "SOP-QA-003"),
        ("the chapter called Old Debts", "Old Debts", ""),
    ],
)
def test_a_part_may_be_named_by_its_heading(text: str, heading: str, document: str) -> None:
    part, rest = split_part(text)
    assert (part_name(part), rest) == (PartName(heading=heading), document)


@pytest.mark.parametrize(
    "text",
    [
        "contract 2024-001",
        "version 4.1 of the leave policy",
        "Henry V",
        "the plot of Hamlet",
        "episode 3",
        "v2.3",
        "the 3 parts of the travel policy",
        "the 14 participants",
        "10 booklets",
        "5 action items",
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
