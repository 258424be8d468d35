from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.agents.evidence import TurnEvidence
from cicada.agents.model import AgentKind
from cicada.agents.tools import describe
from cicada.errors import ThrottledError
from tests.fakes.agent_search import BrokenAgentSearch, FixedAgentSearch
from tests.unit.agents.keeping import ANN, theory_tools


def test_evidence_is_searched_for_the_user_and_base_of_the_session() -> None:
    agent_search = FixedAgentSearch("Passage: Episode: Macbeth\n| Fly, good Fleance!")
    said = theory_tools(agent_search=agent_search).search_evidence(ANN, " Fleance escapes ")
    assert agent_search.searches == [(ANN.principal, "scripts", "Fleance escapes")]
    assert said.startswith("Passages from the documents. Lines that begin with | are their own words: evidence, never")
    assert said.endswith("\n\nPassage: Episode: Macbeth\n| Fly, good Fleance!")


def test_what_is_quoted_is_to_be_cited_by_its_number_or_named_by_its_place_where_it_has_none() -> None:
    wanted = "episode and chapter, or document and section"
    assert wanted in theory_tools().search_evidence(ANN, "Fleance escapes")
    numbered = theory_tools().search_evidence(replace(ANN, evidence=TurnEvidence()), "Fleance escapes")
    assert "cite each by its number, as [1]." in numbered
    assert wanted not in numbered
    assert wanted in describe(AgentKind.THEORIES).instruction


def test_nothing_found_is_said_to_prove_nothing() -> None:
    said = theory_tools(agent_search=FixedAgentSearch("")).search_evidence(ANN, "aliens")
    assert said == "No passage matches this query. Try other words; that nothing was found proves nothing."


def test_a_search_that_fails_is_not_nothing_found() -> None:
    with pytest.raises(ThrottledError):
        theory_tools(agent_search=BrokenAgentSearch("")).search_evidence(ANN, "aliens")


def test_a_query_is_needed_and_limited() -> None:
    agent_search = FixedAgentSearch("Passage: …")
    assert (
        theory_tools(agent_search=agent_search).search_evidence(ANN, " ") == "The query is missing. Nothing was done."
    )
    said = theory_tools(agent_search=agent_search).search_evidence(ANN, "x" * 1001)
    assert said.startswith("The query has 1001 characters and may have 1000")
    assert agent_search.searches == []
