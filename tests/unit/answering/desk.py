"""A base whose tables are asked, with the real local index and the rules' planner."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import Finished, Listed
from cicada.conversation.model import Question
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.identity import Principal
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import Outcome
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions import PermissionGate, base_of
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import PlanRequest
from tests.fakes.base_record import InMemoryBaseRecord
from tests.fakes.clock import Clock
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, only, text_of
from tests.unit.ingest.passage_index import CountingEmbedder

DESK = KnowledgeBaseKey("acme", "desk")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLANNER = RulesPlanner(MessageClassifier(KnowledgeBases(), load_model()).classify, SchemaPlanner())


class Desk:
    """A base with the real local index, which answers from what was ingested into it."""

    def __init__(self) -> None:
        self.store, self.record, embedder = InMemoryDocumentStore(), InMemoryBaseRecord(), CountingEmbedder()
        self.index = InMemoryPassageIndex(embedder.model_id, embedder.dimension)
        self.bases = KnowledgeBases(completed=CompletedBases(self.record, Clock(), seconds=0))
        ports = (self.store, InMemoryGroundTruth(), self.index, embedder, prose_parsers())
        self.ingester = Ingester(*ports, bases=self.bases, fields=self.record)
        self.listings = ListingAnswerer(self.index, self.bases, PermissionGate(self.index))

    def put(self, name: str, content: str, sidecar: str = "") -> None:
        document = DocumentKey(DESK, name)
        self.store.put(document, content.encode())
        self.store.describe(document, sidecar.encode() or None)
        assert self.ingester.ingest(document).outcome is Outcome.INDEXED

    def said(self, message: str, principal: Principal = ANN, before: tuple[str, ...] = ()) -> tuple[str, Listed]:
        schema = base_of(self.bases, principal, "desk").schema
        request = PlanRequest(message, "desk", NOW, schema=schema, messages=before)
        plan = replace(PLANNER.plan(request), knowledge_base="desk")
        parts = list(self.listings.answer(plan, Question(message, "s", "desk"), principal))
        assert isinstance(parts[-1], Finished)
        return text_of(parts), only(Listed, parts)
