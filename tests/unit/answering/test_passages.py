from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from cicada.answering.parts import Cited, Finished, Progress, Text
from cicada.answering.prompt import passages_prompt
from cicada.conversation.model import Question
from cicada.documents.model import ROW, TABLE, AnyOf, Contains, KnowledgeBaseKey, Passage, PassageFilter
from cicada.errors import CicadaError, ConfigurationError, StreamBrokenError, ThrottledError, UnavailableError
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import ContentKind, KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import IndexHits, IndexQuery
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import permitted
from tests.fakes.chat_model import ScriptedModel, failing_model
from tests.fakes.rerankers import FixedReranker
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import ANN, PLAY, QUESTION, Situation, end_of, only, passage, text_of
from tests.unit.knowledge_bases.schemas import SCHEMA

CONTENTS: tuple[ContentKind, ...] = get_args(ContentKind)
READER = frozenset({"user:ann"})
FAILURES = [ThrottledError("Fewer calls."), UnavailableError("Out of reach."), ConfigurationError("No such index.")]


def test_the_sources_come_before_the_text() -> None:
    parts = list(Situation().by_passages(QUESTION))
    kinds = [type(part) for part in parts]
    assert kinds == [Progress, Cited, Text, Text, Text, Finished]
    assert parts[0] == Progress("searching")
    assert [ranked.passage.text for ranked in only(Cited, parts).passages] == ["The queen, my lord, is dead."]


def test_the_sources_show_what_the_schema_of_their_base_shows() -> None:
    here = Situation(bases=KnowledgeBases(named={"plays": KnowledgeBase("plays", schema=SCHEMA)}))
    assert only(Cited, here.by_passages(replace(QUESTION, knowledge_base="plays"))).schema == SCHEMA


def test_the_retired_version_is_cited_behind_the_one_in_force_unless_it_is_asked_for() -> None:
    rule = StandingRule("status", ("approved",), no_longer=("retired",))
    in_schema = replace(SCHEMA, in_force=rule)
    old, new = passage("Once a year.", 1), passage("Every month.", 2)
    old = replace(old, metadata={"status": "retired"})
    new = replace(new, document=replace(PLAY, document_id="new.json"), metadata={"status": "approved"})
    here = Situation(
        FixedIndex(old, new),
        reranker=FixedReranker(relevance={old.passage_id: 0.9, new.passage_id: 0.5}),
        bases=KnowledgeBases(named={"scripts": KnowledgeBase("scripts", schema=in_schema)}),
    )
    for message, order in (("How often?", [new, old]), ("How often did the old one say?", [old, new])):
        cited = only(Cited, here.by_passages(replace(QUESTION, message=message)))
        assert [each.passage for each in cited.passages] == order
        assert "State: retired (no longer in force)\nText:\n| Once a year." in here.model.prompts[-1].user


def test_the_model_is_given_exactly_the_passages_that_are_cited() -> None:
    here = Situation(FixedIndex(passage("The queen, my lord, is dead.", 1), passage("A brief candle.", 2)))
    cited = only(Cited, here.by_passages(QUESTION))
    prompt = here.model.prompts[0].user
    for number, ranked in enumerate(cited.passages, start=1):
        assert f"[{number}]\nEpisode:\n| Macbeth" in prompt
        assert ranked.passage.text in prompt


def test_the_model_is_asked_the_question_by_the_rules_of_what_the_base_holds() -> None:
    named: dict[str, KnowledgeBase] = {name: KnowledgeBase(name, content=name) for name in CONTENTS}
    systems = set()
    for name in CONTENTS:
        here = Situation(bases=KnowledgeBases(named=named))
        list(here.by_passages(replace(QUESTION, knowledge_base=name)))
        [prompt] = here.model.prompts
        systems.add(prompt.system)
        assert prompt.system == passages_prompt("", permitted(()), name).system
        assert prompt.user.endswith(f"Question: {QUESTION.message}")
    assert len(systems) == len(CONTENTS)


def test_when_nothing_is_found_the_answer_says_so_and_no_model_is_asked() -> None:
    here = Situation(FixedIndex())
    parts = list(here.by_passages(QUESTION))
    assert "no passage" in text_of(parts)
    assert end_of(parts) == Finished(("retrieve", "nothing_found"), 0.0)
    assert not any(isinstance(part, Cited) for part in parts)
    assert here.model.prompts == []


def test_when_nothing_is_relevant_enough_the_nearest_is_shown_and_no_model_is_asked() -> None:
    here = Situation(reranker=FixedReranker("cohere", {passage("").passage_id: 0.029}))
    parts = list(here.by_passages(QUESTION))
    assert [each.relevance for each in only(Cited, parts).passages] == [0.029]
    assert "no passage" in text_of(parts)
    assert end_of(parts) == Finished(
        ("retrieve", "rerank:cohere", "below_threshold", "quality:0.00", "below_floor"), 0.0
    )
    assert here.model.prompts == []


def test_conditions_that_no_document_meets_are_left_out_and_said() -> None:
    drafts = (AnyOf("status", frozenset({"draft"})),)
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, QUESTION.message, knowledge_base="scripts", filters=drafts)
    parts = list(Situation(matching=0).passages.answer(plan, QUESTION, ANN))
    assert end_of(parts).path[:2] == ("filter:0", "retrieve")
    assert text_of(parts) == "No document meets these conditions: status: draft. Without them:\n\nSeyton [1]."
    named = replace(plan, filters=(Contains("type", "Noises Off"),))
    here = Situation(matching=0)
    list(here.passages.answer(named, QUESTION, ANN))
    assert here.index.queries[-1].text == f"{QUESTION.message} Noises Off"


class _OutsideOnly(FixedIndex):
    """Finds its passage only where no condition is stated."""

    def search(self, query: IndexQuery) -> IndexHits:
        found = super().search(query)
        return IndexHits((), ()) if query.filter.conditions else found


def test_where_documents_of_a_name_answer_nothing_all_are_searched_and_the_answer_says_so() -> None:
    here = Situation(index=_OutsideOnly(passage("The queen, my lord, is dead.")))
    names = (Contains("partner", "Kestrel Park"),)
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, QUESTION.message, knowledge_base="scripts", filters=names)
    parts = list(here.passages.answer(plan, QUESTION, ANN))
    said = "Nothing answers that where partner: with “Kestrel Park”. Without this condition:\n\nSeyton [1]."
    assert text_of(parts) == said
    assert "filter:left_out" in end_of(parts).path
    assert here.index.queries[-1].text == f"{QUESTION.message} Kestrel Park"
    drafts = (*names, AnyOf("status", frozenset({"draft"})))
    parts = list(here.passages.answer(replace(plan, filters=drafts), QUESTION, ANN))
    assert "filter:left_out" not in end_of(parts).path


def test_what_a_named_document_says_is_answered_from_however_far_it_is_from_the_question() -> None:
    here = Situation(reranker=FixedReranker("cohere", {passage("").passage_id: 0.029}))
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, QUESTION.message, knowledge_base="scripts", named=("Macbeth",))
    parts = list(here.passages.answer(plan, QUESTION, ANN, documents=frozenset({PLAY.document_id})))
    assert text_of(parts) == "Seyton [1]."
    assert (end_of(parts).path[-1], end_of(parts).confidence) == ("generate", 0.0)


def test_the_confidence_is_the_relevance_of_the_first_passage() -> None:
    here = Situation(reranker=FixedReranker("amazon", {passage("").passage_id: 0.4}))
    end = end_of(list(here.by_passages(QUESTION)))
    assert end == Finished(("retrieve", "rerank:amazon", "generate"), 0.4, 90, 4)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("part", ["index", "embedder", "reranker"])
def test_a_search_that_fails_is_never_an_answer_that_nothing_is_found(part: str, failure: CicadaError) -> None:
    here = Situation()
    getattr(here, part).failure = failure
    parts = here.by_passages(QUESTION)
    assert next(parts) == Progress("searching")
    with pytest.raises(type(failure)):
        next(parts)
    assert here.model.prompts == []


@pytest.mark.parametrize("failure", FAILURES)
def test_a_model_that_fails_is_a_failure(failure: CicadaError) -> None:
    with pytest.raises(type(failure)):
        list(Situation(model=failing_model(failure)).by_passages(QUESTION))


def test_a_stream_that_breaks_has_no_end() -> None:
    here = Situation(model=ScriptedModel(["Sey", StreamBrokenError("Broke off.")]))
    parts = []
    with pytest.raises(StreamBrokenError):
        for part in here.by_passages(QUESTION):
            parts.append(part)
    assert text_of(parts) == "Sey"
    assert not any(isinstance(part, Finished) for part in parts)


@pytest.mark.parametrize(
    ("question", "filter"),
    [
        (Question("Who?", "s1", "scripts"), PassageFilter(KnowledgeBaseKey("acme", "scripts"), reader=READER)),
        (
            Question(
                "Who?",
                "s1",
                "plays",
                ("macbeth", "hamlet"),
                (AnyOf("tenant", frozenset({"other"})), AnyOf("act", frozenset({"1", "2"}))),
            ),
            PassageFilter(
                KnowledgeBaseKey("acme", "plays"),
                conditions=(
                    AnyOf("tenant", frozenset({"other"})),
                    AnyOf("act", frozenset({"1", "2"})),
                    AnyOf("episode_id", frozenset({"macbeth", "hamlet"})),
                ),
                reader=READER,
            ),
        ),
    ],
)
def test_the_filter_has_the_users_tenant_and_name_and_then_the_scope(question: Question, filter: PassageFilter) -> None:
    here = Situation()
    list(here.by_passages(question))
    assert [query.filter for query in here.index.queries] == [filter]


DEPOSIT = "A deposit of 40 pounds is payable for each costume."


@pytest.mark.parametrize(
    ("message", "found", "is_answered"),
    [
        ("How much is the deposit for a costume?", passage(DEPOSIT), True),
        ("How much is the deposit for a costume?", passage("Costumes are cleaned by the store."), False),
        ("How much is the deposit for a costume?", replace(passage(DEPOSIT), metadata={ROW: 3.0}), False),
        ("Which costumes have a deposit?", passage(DEPOSIT), False),
        ("costumes", passage(DEPOSIT), False),
        ("Do I have a costume?", passage(DEPOSIT), True),
        ("Have they a costume?", passage(DEPOSIT), False),
    ],
)
def test_a_text_answers_instead_of_rows_with_the_words_that_these_leave_out(
    message: str, found: Passage, is_answered: bool
) -> None:
    category = SchemaField("Category", FieldType.KEYWORD, ("Costume", "Prop"), tables=frozenset({"inventory"}))
    bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=Schema({"Category": category}))})
    costumes = (AnyOf("Category", frozenset({"Costume"})),)
    plan = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, message, knowledge_base="store", filters=costumes)
    question = Question(message, "s", "store")
    passages = Situation(FixedIndex(found), bases=bases).passages
    assert passages.texts_answer(plan, question, ANN) == is_answered


@pytest.mark.parametrize(("message", "is_answered"), [("do they have a deposit?", True), ("with a deposit", False)])
def test_after_rows_a_text_answers_only_what_is_asked(message: str, is_answered: bool) -> None:
    category = SchemaField("Category", FieldType.KEYWORD, ("Costume", "Prop"), tables=frozenset({"inventory"}))
    bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=Schema({"Category": category}))})
    costumes = (AnyOf("Category", frozenset({"Costume"})),)
    rows = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, message, knowledge_base="store", filters=costumes)
    here = Situation(FixedIndex(passage(DEPOSIT)), bases=bases)
    plan = replace(rows, continues=True)
    assert here.passages.texts_answer(plan, Question(message, "s", "store"), ANN) == is_answered
    assert [each.text for each in here.index.queries] == [f"{message} (Costume)"] * is_answered


def test_what_a_row_does_not_tell_a_text_may_answer() -> None:
    message = "is a deposit payable for it?"
    row = (AnyOf(ROW, frozenset({3.0})), AnyOf(TABLE, frozenset({"inventory"})))
    asked = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, message, knowledge_base="store", filters=row)
    plan = replace(asked, continues=True, named=("inventory.csv",), carried=("Ball gown",))
    here = Situation(FixedIndex(passage(DEPOSIT)))
    assert plan.may_be_for_the_texts
    assert not replace(plan, fields=("Fee",)).may_be_for_the_texts
    assert here.passages.texts_answer(plan, Question(message, "s", "store"), ANN)
    assert [each.text for each in here.index.queries] == [f"{message} (Ball gown) {message}"]


@pytest.mark.parametrize(
    ("message", "text", "is_answered"),
    [
        ("why was it bought?", "The Ball gown was a gift of the choir.", True),
        ("why was it bought?", "The rapier was a gift of the choir.", False),
        ("what is the rule for its lining?", "The Ball gown has a lining of silk.", True),
        ("what is the rule for its lining?", "The Ball gown was a gift.", False),
        ("why was it bought?", "Number 1033 was a gift of the choir.", True),
    ],
)
def test_a_text_with_the_name_of_the_row_may_answer(message: str, text: str, is_answered: bool) -> None:
    row = (AnyOf(ROW, frozenset({3.0})), AnyOf(TABLE, frozenset({"inventory"})))
    asked = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, message, knowledge_base="store", filters=row)
    plan = replace(asked, continues=True, named=("inventory.csv",), carried=("Ball gown", "1033"))
    here = Situation(FixedIndex(passage(text)))
    assert here.passages.texts_answer(plan, Question(message, "s", "store"), ANN) == is_answered


@pytest.mark.parametrize(
    ("confidence", "unknown", "text", "is_answered"),
    [
        (0.4, (), "The costume store has a new roof by Denby.", True),
        (0.6, (), "The costume store has a new roof by Denby.", False),
        (0.4, (), "A costume is cleaned by us.", False),
        (0.6, ("roof",), "The roof is by Denby.", True),
        (0.6, ("roof",), "The floor is by Denby.", False),
    ],
)
def test_a_text_that_has_more_of_the_words_answers_instead_of_an_unsure_list(
    confidence: float, unknown: tuple[str, ...], text: str, *, is_answered: bool
) -> None:
    category = SchemaField("Category", FieldType.KEYWORD, ("Costume", "Prop"), tables=frozenset({"inventory"}))
    bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=Schema({"Category": category}))})
    message = "what about the roof job?" if unknown else "who got the roof job of the costume store, at which quote?"
    costumes = (AnyOf("Category", frozenset({"Costume"})),)
    asked = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, message, knowledge_base="store", filters=costumes)
    plan = replace(asked, confidence=confidence, unknown=unknown, continues=bool(unknown))
    here = Situation(FixedIndex(passage(text)), bases=bases)
    assert here.passages.texts_answer(plan, Question(message, "s", "store"), ANN) == is_answered


def test_what_the_last_answer_quoted_is_searched_for_the_message_alone() -> None:
    here = Situation(FixedIndex(passage(DEPOSIT)))
    plan = Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, "and late? (deposit)", "and late? (deposit)", "store")
    plan = replace(plan, carried=("deposit",), spoken_of=("rules.md",))
    parts = list(here.passages.answer(plan, Question("and late?", "s", "store"), ANN))
    queries = [(each.text, each.filter.document_ids) for each in here.index.queries]
    assert queries == [("and late? (deposit) and late?", None), ("and late?", frozenset({"rules.md"}))]
    assert any(step.startswith("spoken_of:") for step in end_of(parts).path)
