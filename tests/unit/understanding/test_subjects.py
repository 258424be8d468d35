from __future__ import annotations

import pytest

from cicada.documents.model import Subject
from cicada.understanding.subjects import subjects_of


@pytest.mark.parametrize(
    ("message", "document", "section"),
    [
        ("Summarise Macbeth", "Macbeth", ""),
        ("Could you please give me a brief summary of the travel policy?", "travel policy", ""),
        ("summarize the plot of hamlet in 5 sentences", "plot of hamlet", ""),
        ("tl;dr of the remote work policy", "remote work policy", ""),
        ("Give us an overview of contract 2024-001, please", "contract 2024-001", ""),
        ("What is Hamlet about?", "Hamlet", ""),
        ("what's the code of conduct all about", "code of conduct", ""),
        ("What happens in 3.4?", "", "3.4"),
        ("What is chapter 3 about?", "", "chapter 3"),
        ("and what happens in act 5, scene 1 of Macbeth?", "Macbeth", "act 5 scene 1"),
        ("what does section 2 of the code of conduct say?", "code of conduct", "section 2"),
        ("Fasse Macbeth kurz zusammen", "Macbeth", ""),
        ("Was passiert in Akt 3 von Hamlet?", "Hamlet", "Akt 3"),
        ("De quoi parle Hamlet ?", "Hamlet", ""),
        ("Résume-moi le contrat 2024-001", "contrat 2024-001", ""),
        ("Resumen del contrato 2024-001, por favor", "contrato 2024-001", ""),
        ("Cosa succede nel capitolo 2?", "", "capitolo 2"),
        ("O que acontece em Hamlet?", "Hamlet", ""),
        ("マクベスを要約して", "マクベス", ""),
        ("第3章の概要を教えて", "", "第3章"),
        ("总结一下第三章", "", "第三章"),
        ("햄릿 요약해줘", "햄릿", ""),
    ],
)
def test_what_is_to_be_read_as_a_whole(message: str, document: str, section: str) -> None:
    assert subjects_of(message) == (Subject(document, section),)


@pytest.mark.parametrize(
    ("message", "subjects"),
    [
        ("Compare Hamlet and Macbeth", [("Hamlet", ""), ("Macbeth", "")]),
        ("what is the difference between the old and the new policy?", [("old", ""), ("new policy", "")]),
        (
            "How does contract 2024-001 differ from contract 2024-003?",
            [("contract 2024-001", ""), ("contract 2024-003", "")],
        ),
        ("compare act 1 and act 2 of Hamlet", [("Hamlet", "act 1"), ("Hamlet", "act 2")]),
        ("SOP-QA-001 vs. SOP-QA-002", [("SOP-QA-001", ""), ("SOP-QA-002", "")]),
        ("Vergleiche Hamlet mit Macbeth", [("Hamlet", ""), ("Macbeth", "")]),
        ("Qual é a diferença entre o Hamlet e o Macbeth?", [("Hamlet", ""), ("Macbeth", "")]),
        ("比较哈姆雷特和麦克白", [("哈姆雷特", ""), ("麦克白", "")]),
    ],
)
def test_a_comparison_has_two(message: str, subjects: list[tuple[str, str]]) -> None:
    assert [(each.document, each.section) for each in subjects_of(message)] == subjects


@pytest.mark.parametrize(
    "message",
    [
        "Who kills Macbeth?",
        "what does the travel policy say about hotels?",
        "How is equipment cleaned between batches?",
        "hello",
        "",
        "List the approved SOPs",
        "Summarise " + "and this " * 100,
    ],
)
def test_other_messages_have_none(message: str) -> None:
    assert subjects_of(message) == ()


@pytest.mark.parametrize(
    ("message", "document", "section"),
    [
        ("who is in hamlet 4.6?", "hamlet", "4.6"),
        ("Who is with Macbeth as act 5 scene 3 opens?", "", "act 5 scene 3"),
        ("who speaks first in scene 2 of act 1 of Othello?", "Othello", "scene 2 act 1"),
        ("In The Tempest, who has the last word in 3.3?", "Tempest", "3.3"),
        ("who are the characters in 4.1?", "", "4.1"),
        ("who is in the first scene of Hamlet", "Hamlet", "1.1"),
        ("how many scenes has act 3 of the play?", "", "act 3"),
        ("Where is act 4 scene 3 of The Merchant of Venice set?", "Merchant of Venice", "act 4 scene 3"),
    ],
)
def test_a_question_on_the_form_of_a_scene_reads_it_as_a_whole(message: str, document: str, section: str) -> None:
    assert subjects_of(message, of_scripts=True) == (Subject(document, section),)
    assert subjects_of(message) == ()


def test_a_question_on_what_is_said_in_a_scene_reads_it_if_it_is_short() -> None:
    for message in ("What does Banquo say of the birds in 1.6?", "why is she crying in act 1 scene 6"):
        (subject,) = subjects_of(message, of_scripts=True)
        assert subject.section in ("1.6", "act 1 scene 6")
        assert subject.if_short
    (subject,) = subjects_of("What do people say about ghosts in the first scene of Hamlet?", of_scripts=True)
    assert subject == Subject("Hamlet", "1.1", if_short=True)
    for message in ("Who approves what section 4 says?", "who is in scene 2 of Hamlet"):
        assert subjects_of(message, of_scripts=True) == ()


def test_it_is_the_document_that_was_named_last() -> None:
    earlier = ["Summarise Hamlet", "What is Macbeth about?", "Who dies?"]
    assert subjects_of("Summarise it in three sentences", earlier) == (Subject("Macbeth"),)
    assert subjects_of("What happens in 3.4?", earlier) == (Subject("Macbeth", "3.4"),)
    assert subjects_of("compare it with Hamlet", earlier) == (Subject("Macbeth"), Subject("Hamlet"))
    assert subjects_of("summarise this document", ["Who dies?"]) == (Subject(),)


@pytest.mark.parametrize("between", ["!" * 200, "," * 200, " ," * 100, " in words" * 25, " of" * 80, ". " * 100])
def test_a_row_of_marks_or_small_words_is_read_without_going_back(between: str) -> None:
    """Nothing is said of time here, but without that, these would take longer than anybody waits."""
    (subject,) = subjects_of(f"summarise Hamlet{between} x")
    assert (subject.document[:6], subject.document[-1:]) == ("Hamlet", "x")


@pytest.mark.parametrize("afterthought", ["in three very short bullet points", "in detail, please", "briefly, for us"])
def test_what_is_added_is_no_part_of_the_name(afterthought: str) -> None:
    assert subjects_of(f"Summarise Hamlet {afterthought}.") == (Subject("Hamlet"),)
