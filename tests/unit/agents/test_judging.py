"""Verdicts on theories: what they must rest on, how they are kept, and what is said once a document has changed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.agents.evidence import Standing, TurnEvidence, Verdict
from cicada.agents.model import Entry, ToolSession
from cicada.agents.theories import TheoryTools
from cicada.retrieval.model import RankedPassage
from tests.fakes.agent_search import FixedAgentSearch
from tests.fakes.clock import Clock
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import ANN, SHELF, theory_tools
from tests.unit.answering.situation import passage

DEAD, ALIVE = (RankedPassage(passage(text, number), 0.9) for number, text in ((1, "She is dead."), (2, "She lives.")))
WHY = "Seyton says so."


@pytest.fixture
def search() -> FixedAgentSearch:
    return FixedAgentSearch("[1]\n…", (DEAD, ALIVE))


@pytest.fixture
def tools(store: InMemoryEntryStore, clock: Clock, search: FixedAgentSearch) -> TheoryTools:
    made = theory_tools(store, clock, search)
    made.save_theory(ANN, "Queen", "The queen is dead.")
    return made


@pytest.fixture
def turn(tools: TheoryTools) -> ToolSession:
    """A turn in which the theory was read, and searched for in two wordings."""
    session = next_turn()
    tools.get_theory(session, "Queen")
    tools.search_evidence(session, "the queen is dead")
    tools.search_evidence(session, "the queen lives")
    return session


def next_turn() -> ToolSession:
    return replace(ANN, evidence=TurnEvidence())


def evidence_of(session: ToolSession) -> TurnEvidence:
    assert session.evidence is not None
    return session.evidence


def only(store: InMemoryEntryStore) -> Entry:
    (entry,) = store.live(SHELF)
    return entry


def test_a_verdict_is_kept_with_its_theory_and_with_the_versions_of_what_it_rests_on(
    tools: TheoryTools, turn: ToolSession, store: InMemoryEntryStore
) -> None:
    said = tools.judge_theory(turn, "queen", "Supported", "1", "[2]", WHY)
    assert said.startswith("The theory “Queen” was judged supported, and the verdict is kept with it.\n")
    kept = only(store)
    assert kept.version == 1, "A verdict is no change of the theory."
    assert store.earlier(SHELF, 0) == []
    assert kept.judgement is not None
    assert (kept.judgement.verdict, kept.judgement.reason) == (Verdict.SUPPORTED, WHY)
    assert [(each.passage_id, each.version, each.place, each.against) for each in kept.judgement.grounds] == [
        (DEAD.passage.passage_id, "v1", "Macbeth, 5.5", False),
        (ALIVE.passage.passage_id, "v1", "Macbeth, 5.5", True),
    ]
    assert evidence_of(turn).path == ("retrieve", "retrieve", "verdict:supported")
    assert evidence_of(turn).confidence == 0.9


@pytest.mark.parametrize("second", ["", "The queen: is DEAD", "dead is the queen"])
def test_two_searches_of_different_wording_are_needed(
    tools: TheoryTools, store: InMemoryEntryStore, second: str
) -> None:
    session = next_turn()
    tools.get_theory(session, "Queen")
    for query in filter(None, ("the queen is dead", second)):
        tools.search_evidence(session, query)
    said = tools.judge_theory(session, "Queen", "open", reason=WHY)
    assert said.startswith("Refused: before a theory is judged, search at least twice in different words")
    assert only(store).judgement is None


@pytest.mark.parametrize(
    ("verdict", "supporting", "contradicting", "said"),
    [
        ("likely", "1", "", "The verdict must be one of: supported, contradicted, open."),
        ("supported", "", "2", "Refused: supported has to rest on a supporting passage; give its number."),
        ("contradicted", "1", "", "Refused: contradicted has to rest on a contradicting passage; give its number."),
        ("supported", "1, 7", "", "No search of this turn found a passage [7]."),
    ],
)
def test_a_verdict_rests_on_passages_of_this_turn(
    tools: TheoryTools,
    turn: ToolSession,
    store: InMemoryEntryStore,
    verdict: str,
    supporting: str,
    contradicting: str,
    said: str,
) -> None:
    assert tools.judge_theory(turn, "Queen", verdict, supporting, contradicting, WHY) == f"{said} Nothing was judged."
    assert evidence_of(turn).verdict is None


def test_what_is_not_near_enough_to_answer_from_leaves_a_theory_open(store: InMemoryEntryStore) -> None:
    tools = theory_tools(store, agent_search=FixedAgentSearch("[1]\n…", (DEAD,), suffices=False))
    session = next_turn()
    tools.search_evidence(session, "the queen is dead")
    tools.search_evidence(session, "the queen lives")
    assert tools.judge_theory(session, "", "supported", "1", "", WHY).startswith("Refused: no search found passages")
    said = tools.judge_theory(session, "", "open", "", "", WHY)
    assert said.startswith("The theory was judged open. It is not saved, so the verdict is not kept.")


def test_only_a_theory_that_was_read_in_this_turn_as_it_is_now_is_judged(
    tools: TheoryTools, turn: ToolSession, store: InMemoryEntryStore
) -> None:
    tools.append_to_theory(turn, "Queen", "Seyton killed her.")
    said = tools.judge_theory(turn, "Queen", "supported", "1", "", WHY)
    assert said.startswith("Refused: read the theory “Queen” with get_theory, then judge it as it is.")
    assert only(store).judgement is None


def test_without_the_searches_of_the_turn_nothing_is_kept(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    said = tools.judge_theory(ANN, "Queen", "supported", "1", "", WHY)
    assert said.startswith("Verdicts are not kept here. Give yours in the answer")
    assert only(store).judgement is None


def test_a_theory_is_shown_with_its_verdict_and_its_sources(tools: TheoryTools, turn: ToolSession) -> None:
    tools.judge_theory(turn, "Queen", "supported", "1", "2", WHY)
    session = next_turn()
    assert tools.get_theory(session, "Queen").endswith(
        "\n\nVerdict of 2026-11-01: supported.\n| Seyton says so.\nFor: “Macbeth, 5.5” [1]\nAgainst: “Macbeth, 5.5” [2]"
    )
    assert evidence_of(session).passages == {1: DEAD, 2: ALIVE}
    assert evidence_of(session).confidence is None, "Nothing was searched for."


def test_a_document_that_changed_is_named_and_a_new_look_offered(
    tools: TheoryTools, turn: ToolSession, search: FixedAgentSearch
) -> None:
    tools.judge_theory(turn, "Queen", "supported", "1", "", WHY)
    search.stands = Standing(changed={"macbeth.json": "Macbeth"})
    said = tools.get_theory(next_turn(), "Queen")
    assert "For: “Macbeth, 5.5”\n“Macbeth” changed since then. So the verdict may no longer hold: ask" in said


def test_what_was_found_is_remembered_though_nothing_of_it_is_cited(
    tools: TheoryTools, turn: ToolSession, store: InMemoryEntryStore
) -> None:
    tools.judge_theory(turn, "Queen", "open", "", "", "The memo says nothing of her.")
    judged = only(store).judgement
    assert judged is not None
    assert (judged.grounds, judged.seen) == ((), (DEAD.passage.document.document_id,))


def test_of_a_document_that_is_gone_nothing_is_shown(
    tools: TheoryTools, turn: ToolSession, search: FixedAgentSearch
) -> None:
    tools.judge_theory(turn, "Queen", "supported", "1", "", WHY)
    search.stands = Standing(gone=frozenset({"macbeth.json"}))
    said = tools.get_theory(next_turn(), "Queen")
    assert "Verdict of 2026-11-01: supported.\nA document that was read for it was removed" in said
    assert "Macbeth" not in said
    assert WHY not in said


def test_looking_again_makes_a_new_verdict_and_names_the_one_before(
    tools: TheoryTools, turn: ToolSession, store: InMemoryEntryStore
) -> None:
    tools.judge_theory(turn, "Queen", "supported", "1", "", WHY)
    said = tools.judge_theory(turn, "Queen", "contradicted", "", "2", "She lives.")
    assert "was judged contradicted, and the verdict is kept with it. On 2026-11-01 it was judged supported." in said
    judged = only(store).judgement
    assert judged is not None and judged.verdict is Verdict.CONTRADICTED


def test_another_text_has_no_verdict_and_the_earlier_one_brings_it_back(
    tools: TheoryTools, turn: ToolSession, store: InMemoryEntryStore
) -> None:
    tools.judge_theory(turn, "Queen", "supported", "1", "", WHY)
    said = tools.amend_theory(turn, "Queen", "The king is dead.")
    assert said.startswith("Amended the theory “Queen”. Its verdict (supported) was of the earlier text. Its earlier")
    assert only(store).judgement is None
    tools.restore_theory(turn, "Queen", "")
    assert only(store).judgement is not None
    tools.rename_theory(turn, "Queen", "Lady")
    assert only(store).judgement is not None, "The text is the same."
