"""An answerer on fakes, and passages for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec.structs import replace

from cicada.answering.answer import Answerer
from cicada.answering.evidence import EvidenceLoop
from cicada.answering.in_force import OtherVersions
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import AnswerPart, Finished, Text
from cicada.answering.passages import PassageAnswerer
from cicada.answering.question_planner import QuestionPlanner
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.conversation.model import Question
from cicada.document_routing.naming import Dispatcher
from cicada.documents.catalogue import Card, row_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Locator, Passage, ScriptLocator
from cicada.errors import CicadaError
from cicada.generation import ModelUsage
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import PermissionGate
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from cicada.understanding.by_rules import RulesPlanner
from cicada.understanding.plan import Classification, Intent, Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.agent import ScriptedAgent
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.quality import FixedJudge, FixedRewriter
from tests.fakes.rerankers import FixedFormulator, FixedReranker
from tests.fakes.retrieval import FixedEmbedder, FixedIndex, OneDocument

P = TypeVar("P")
ANN = Principal("acme", "ann")
PLAY = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "macbeth.json")
QUESTION = Question("Who tells Macbeth that the queen is dead?", "s1", "scripts")
SEYTON = ScriptLocator("macbeth", "Macbeth", "5.5", "Dunsinane", 12, 15, ("Seyton", "Macbeth"))
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = ("Sey", "ton ", "[1].", ModelUsage(90, 4))


def passage(text: str, number: int = 1, locator: Locator = SEYTON, title: str = "Macbeth") -> Passage:
    return Passage(f"macbeth.json#{number:06d}", PLAY, "v1", title, text, "", locator)


@dataclass
class Situation:
    """What an answer depends on."""

    index: FixedIndex = field(default_factory=lambda: FixedIndex(passage("The queen, my lord, is dead.")))
    embedder: FixedEmbedder = field(default_factory=FixedEmbedder)
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(SAID))
    agent: ScriptedAgent = field(default_factory=lambda: ScriptedAgent("Saved ", "it."))
    reranker: FixedReranker = field(default_factory=FixedReranker)
    formulator: FixedFormulator = field(default_factory=FixedFormulator)
    bases: KnowledgeBases = field(default_factory=KnowledgeBases)
    judge: FixedJudge = field(default_factory=FixedJudge)
    rewriter: FixedRewriter = field(default_factory=FixedRewriter)
    access: OpenAccess = field(default_factory=OpenAccess)
    catalogue: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    matching: int = 1
    reported: list[CicadaError] = field(default_factory=list)
    classification: Classification = Classification(Intent.SCRIPT_QUERY, 0.9, "asks about the text")  # noqa: RUF009

    @property
    def search(self) -> KnowledgeSearch:
        return KnowledgeSearch(
            {DEFAULT: self._hybrid, FILTERED: self._filtered}, self.bases, self.formulator, self.reported.append
        )

    @property
    def passages(self) -> PassageAnswerer:
        loop = EvidenceLoop({"evidence": self.judge}, (self.rewriter,), self.reported.append)
        versions = OtherVersions(self.catalogue, self.gate)
        return PassageAnswerer(self.search, self.model, self.gate, loop, versions=versions)

    @property
    def gate(self) -> PermissionGate:
        return PermissionGate(self.access)

    @property
    def listings(self) -> ListingAnswerer:
        return ListingAnswerer(self.catalogue, self.bases, self.gate)

    @property
    def whole_documents(self) -> WholeDocumentAnswerer:
        return WholeDocumentAnswerer(Dispatcher(self.catalogue), self.bases, self.gate, self.model)

    def by_passages(self, question: Question = QUESTION) -> Generator[AnswerPart]:
        """The answer to a question that needs passages."""
        plan = Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, question.message, knowledge_base=question.knowledge_base)
        yield from self.passages.answer(plan, question, ANN)

    @property
    def answerer(self) -> Answerer:
        planner = RulesPlanner(lambda *_: self.classification)
        plan = QuestionPlanner(planner, self.bases, lambda: NOW).plan
        return Answerer(plan, self.passages, self.whole_documents, self.listings, self.agent, self.model)

    def routed(self, intent: Intent, confidence: float = 0.9) -> Situation:
        self.classification = Classification(intent, confidence, "because")
        return self

    def _filtered(self, base: KnowledgeBase) -> FilteredSearch:
        return FilteredSearch(self._hybrid(base), OneDocument(self.matching))

    def _hybrid(self, base: KnowledgeBase) -> HybridSearch:
        return HybridSearch(
            self.index, self.embedder, base.candidates, base.limit, base.fusion, self.reranker, base.score_threshold
        )

    def parts(self, question: Question = QUESTION) -> list[AnswerPart]:
        return list(self.answerer.answer(question, ANN))

    def planned(self, plan: Plan, question: Question = QUESTION, principal: Principal = ANN) -> list[AnswerPart]:
        """The answer to a question that is planned so."""
        return list(replace(self.answerer, plan=lambda *_: plan).answer(question, principal))


def make_searchable(index: InMemoryPassageIndex, *passages: Passage, **fields: Any) -> None:
    """Keep a document of these passages, with a card; `fields` of its row, beside what the passages have in common."""
    row = row_of(passages)
    assert row
    row = replace(row, **{"card": Card(row.title), **fields})
    index.replace(row.document, [EmbeddedPassage(each, (1.0,)) for each in passages], row, (1.0,))


def text_of(parts: Sequence[AnswerPart]) -> str:
    return "".join(part.content for part in parts if isinstance(part, Text))


def only(kind: type[P], parts: Iterable[object]) -> P:
    """The only part or event of this kind."""
    [found] = [each for each in parts if isinstance(each, kind)]
    return found


def end_of(parts: Sequence[AnswerPart]) -> Finished:
    end = only(Finished, parts)
    assert parts[-1] is end
    return end
