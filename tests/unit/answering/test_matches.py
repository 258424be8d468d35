"""Which documents a search has found about a subject, and what is said of each."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.answering import matches
from cicada.answering.matches import LEAST_RELEVANCE, documents_about, excerpt, match_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.quality import stems

PERMITS = KnowledgeBaseKey("acme", "permits")
WEAK = LEAST_RELEVANCE / 2


def ranked(name: str, text: str, relevance: float = WEAK, title: str = "A permit", part: str = "") -> RankedPassage:
    locator = SectionLocator((part,) if part else ())
    passage = Passage(f"{name}#{len(text)}", DocumentKey(PERMITS, name), "v1", title, text, "", locator)
    return RankedPassage(passage, relevance)


def about(subject: str, *found: RankedPassage) -> dict[str, str]:
    """The reasons by document."""
    shown = documents_about(subject, found)
    return {document.document_id: match_of(subject, each).reason for document, each in shown.items()}


def test_a_document_counts_with_all_words_in_one_passage_or_with_a_relevant_one() -> None:
    found = about(
        "night noise",
        ranked("near", "Sounds after dark.", LEAST_RELEVANCE),
        ranked("both", "Noise at night is limited."),
        ranked("one word", "Noise is limited."),
        ranked("apart", "Noise is limited."),
        ranked("apart", "Work at night."),
    )
    assert list(found) == ["near", "both"]


def test_nothing_is_near_in_meaning_to_a_name() -> None:
    found = about("Marsh Road", ranked("near", "The site.", 0.9), ranked("said", "Power for Marsh Road."))
    assert list(found) == ["said"]
    near = ranked("nah", "Der Standort.", 0.9)
    in_german = replace(near, passage=replace(near.passage, language="de"))
    assert list(about("Marschweg", in_german)) == ["nah"]  # Every noun has a capital there.


def test_a_document_is_shown_by_the_passage_that_has_all_words() -> None:
    first, second = ranked("a", "Noise is limited.", 0.9), ranked("a", "Noise at night is limited.", 0.5)
    [shown] = documents_about("night noise", (first, second)).values()
    match = match_of("night noise", shown)
    assert (match.excerpt, match.relevance) == ("Noise at night is limited.", 0.9)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ranked("a", "Noise at night.", part="4 Limits"), "“night”, “noise” in “4 Limits”"),
        (ranked("a", "Noise at night."), "“night”, “noise” in the text"),
        (ranked("a", "Limits.", title="Noise at night"), "“night”, “noise” in the title"),
        (ranked("a", "Sounds after dark.", 0.9, part="4 Limits"), "near in meaning in “4 Limits”"),
    ],
)
def test_the_reason_names_the_words_that_matched_and_where(found: RankedPassage, reason: str) -> None:
    assert about("night noise", found) == {"a": reason}


def test_an_excerpt_is_of_whole_sentences_around_the_words() -> None:
    text = "The crane is yellow. It stands in the yard.\nNoise at night is limited. Ask the officer. Then wait."
    assert excerpt(text, frozenset({"noise", "night"}), 45) == "Noise at night is limited. Ask the officer."


def test_each_sentence_is_stemmed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stemmed: list[str] = []

    def counted(text: str) -> frozenset[str]:
        stemmed.append(text)
        return stems(text)

    monkeypatch.setattr(matches, "stems", counted)
    assert excerpt("Wait. Noise is limited. Ask. Go home.", frozenset({"noise", "ask"}), 25) == "Noise is limited. Ask."
    assert stemmed == ["Wait.", "Noise is limited.", "Ask.", "Go home."]


def test_the_number_of_an_item_stays_with_its_sentence() -> None:
    assert excerpt("1. Rinse it. 2. Dry it.", frozenset({"dry"}), 12) == "2. Dry it."


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    assert excerpt("Noise at night is limited everywhere.", frozenset(), 20) == "Noise at night is …"
    assert excerpt("", frozenset()) == ""
