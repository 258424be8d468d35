from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.agents.evidence import Ground, Judgement, Standing, TurnEvidence, Verdict
from cicada.agents.model import ANSWER_LIMIT_BYTES
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.answering.prompt import evidence_text, passage_text
from cicada.documents.model import (
    DocumentKey,
    KnowledgeBaseKey,
    Passage,
    PassageFilter,
    ScriptLocator,
    passage_id_at,
)
from cicada.errors import UnavailableError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import PermissionGate
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.strategies.hybrid import HybridSearch
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.retrieval import FixedEmbedder, FixedIndex, search_of

ANN = Principal("acme", "ann")
CATALOGUE = InMemoryPassageIndex("fixed", 1)


def passage(number: int, text: str) -> Passage:
    document = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "macbeth")
    locator = ScriptLocator("macbeth", "Macbeth", "3.3", "A park", number, number + 1, ("BANQUO", "FLEANCE"))
    return Passage(f"p{number}", document, "1", "Macbeth", text, "", locator)


def agent_search(index: FixedIndex) -> PermittedAgentSearch:
    return PermittedAgentSearch(
        search_of(HybridSearch(index, FixedEmbedder())), PermissionGate(OpenAccess()), CATALOGUE
    )


def test_passages_have_their_places_and_no_numbers_that_would_cite_nothing() -> None:
    first, second = passage(1, "O, treachery! Fly, good Fleance!"), passage(3, "Who did strike out the light?")
    text = agent_search(FixedIndex(first, second)).search(ANN, "scripts", "Banquo is killed")
    assert text == f"{evidence_text(first)}\n\n{evidence_text(second)}"
    assert text.startswith(
        "Passage:\nEpisode:\n| Macbeth\nChapter:\n| 3.3 A park\nMessages: 1–2\nSpeakers:\n| BANQUO, FLEANCE\n"
        "Text:\n| O, treachery!"
    )
    assert "[" not in text


def test_what_is_in_force_comes_first_and_the_rest_says_that_it_is_not() -> None:
    rule = StandingRule("status", ("approved",), no_longer=("retired",))
    old, new = passage(1, "Once a year."), passage(3, "Every month.")
    new = replace(new, document=replace(new.document, document_id="new.md"), metadata={"status": "approved"})
    old = replace(old, metadata={"status": "retired"})
    search = agent_search(FixedIndex(old, new))
    status = SchemaField("status", FieldType.KEYWORD, ("approved", "retired"), shown=True)
    base = KnowledgeBase("scripts", schema=Schema({"status": status}, in_force=rule))
    search = replace(search, knowledge=replace(search.knowledge, bases=KnowledgeBases(named={"scripts": base})))
    text = search.search(ANN, "scripts", "how often")
    states = "approved (in force)", "retired (no longer in force)"
    assert text == f"{evidence_text(new, states[0])}\n\n{evidence_text(old, states[1])}"


def test_the_sessions_base_of_the_users_tenant_is_searched_for_what_the_users_groups_may_read() -> None:
    index = FixedIndex()
    agent_search(index).search(Principal("acme", "ann", frozenset({"legal"})), "novels", "Banquo is killed")
    (query,) = index.queries
    reader = frozenset({"user:ann", "group:legal"})
    assert query.filter == PassageFilter(KnowledgeBaseKey("acme", "novels"), reader=reader)
    assert query.text == "Banquo is killed"


def test_the_next_of_the_ranking_take_the_places_of_what_is_withheld() -> None:
    closed, first, second, third = (passage(number, f"Text {number}.") for number in range(1, 5))
    closed = replace(closed, document=replace(closed.document, document_id="closed"))
    gate = PermissionGate(OpenAccess({"closed": ("user:bob",)}))
    index = FixedIndex(closed, first, second, third)
    search = PermittedAgentSearch(search_of(HybridSearch(index, FixedEmbedder(), limit=2)), gate, CATALOGUE)
    evidence = TurnEvidence()
    text = search.search(ANN, "scripts", "text", evidence)
    assert text == f"{passage_text(1, first)}\n\n{passage_text(2, second)}"
    assert [each.passage for each in evidence.passages.values()] == [first, second]
    assert len(index.queries) == 1


def test_nothing_found_is_an_empty_text() -> None:
    assert agent_search(FixedIndex()).search(ANN, "scripts", "aliens") == ""


def test_a_search_that_fails_is_not_an_empty_text() -> None:
    index = FixedIndex()
    index.failure = UnavailableError("The index could not be reached; try again.")
    with pytest.raises(UnavailableError):
        agent_search(index).search(ANN, "scripts", "Banquo is killed")


def test_what_does_not_fit_an_action_groups_answer_is_counted_and_passages_stay_whole() -> None:
    passages = [passage(number, f"{number} " + "夜" * 1500) for number in range(1, 9)]
    evidence = TurnEvidence()
    text = agent_search(FixedIndex(*passages)).search(ANN, "scripts", "night", evidence)
    assert len(text.encode()) < ANSWER_LIMIT_BYTES + 100
    assert text.endswith(f"{'夜' * 1500}\n\n(4 more not shown here.)")
    assert [each.passage for each in evidence.passages.values()] == passages[:4]


def kept(**versions: str) -> tuple[InMemoryPassageIndex, list[Ground]]:
    """An index of documents in these versions, and a ground of each in its first."""
    index, grounds = InMemoryPassageIndex("fixed", 1), []
    for name, version in versions.items():
        key = DocumentKey(KnowledgeBaseKey("acme", "scripts"), name)
        text = replace(passage(0, f"{name}."), passage_id=passage_id_at(name, 0), document=key, version=version)
        index.replace(key, [EmbeddedPassage(text, [1.0])])
        grounds.append(Ground(name, "1", text.passage_id, "Macbeth, 3.3"))
    return index, grounds


def test_a_verdicts_documents_stand_or_have_changed_or_are_gone_for_this_user() -> None:
    index, grounds = kept(same="1", changed="2", closed="1")
    gate = PermissionGate(OpenAccess({"closed": ("user:bob",)}))
    search = PermittedAgentSearch(search_of(HybridSearch(FixedIndex(), FixedEmbedder())), gate, index)
    grounds.append(Ground("deleted", "1", "deleted#000000", ""))
    judgement = Judgement(Verdict.SUPPORTED, "…", tuple(grounds), 2.5, ("same", "seen"))
    standing = search.standing(ANN, "scripts", judgement)
    assert [each.passage.text for each in standing.passages] == ["same."]
    assert standing.changed == {"changed": "Macbeth"}
    assert standing.gone == {"closed", "deleted", "seen"}


def test_a_verdict_that_rests_on_nothing_needs_no_look() -> None:
    assert agent_search(FixedIndex()).standing(ANN, "scripts", Judgement(Verdict.OPEN, "…", (), 2.5)) == Standing()
