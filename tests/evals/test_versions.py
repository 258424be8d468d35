"""Questions on documents in several versions, in three domains: what is cited first, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cicada.answering.in_force import OtherVersions
from cicada.answering.parts import Cited
from cicada.answering.passages import PassageAnswerer
from cicada.conversation.model import Question
from cicada.documents.model import AnyOf, Condition, DocumentKey, KnowledgeBaseKey, Range
from cicada.identity import Principal
from cicada.ingest.ingest import Ingester
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.file import parse_schema
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import PermissionGate
from cicada.retrieval.model import RankedPassage, Vector
from cicada.retrieval.ports import SearchBackend
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import strategies
from cicada.understanding.plan import Intent, Plan, Shape
from evals.answers_files import Conversation, load_conversations
from local.bedrock.minilm import MiniLM, model_folder
from tests.fakes.access import OpenAccess
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.fakes.passage_index import InMemoryPassageIndex

FOLDER = Path("evals/versions")
QUESTIONS = load_conversations(FOLDER / "other_domains.jsonl")
TODAY = "2026-11-26"
ANN = Principal("acme", "ann")
NOT_IN_FORCE = ("(no longer in force)", "(not yet in force)")


class Embedder:
    """The local stage's embedder as the library's."""

    model_id, dimension = "minilm", 384

    def __init__(self) -> None:
        self._model = MiniLM.load(model_folder())

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[float(each) for each in row] for row in self._model.embed(list(texts)).unit()]


def base_of(name: str) -> KnowledgeBase:
    schema = parse_schema((FOLDER / name / "schema.toml").read_text("utf-8"), name)
    return KnowledgeBase(name, content="documents", schema=schema)


@pytest.fixture(scope="module")
def answerer() -> Iterator[PassageAnswerer]:
    bases = KnowledgeBases(named={each: base_of(each) for each in {each.knowledge_base for each in QUESTIONS}})
    embedder, store = Embedder(), InMemoryDocumentStore()
    index = InMemoryPassageIndex(embedder.model_id, embedder.dimension)
    ingester = Ingester(store, InMemoryGroundTruth(), index, embedder, prose_parsers(), bases=bases)
    for name in bases.named:
        for file in (FOLDER / name / "documents").iterdir():
            document = DocumentKey(KnowledgeBaseKey(ANN.tenant, name), file.name)
            store.put(document, file.read_bytes())
            assert ingester.ingest(document).problems == ()
    backend = SearchBackend(index, embedder, {"auto": LocalReranker(index)})
    search = KnowledgeSearch(strategies(backend), bases)
    gate = PermissionGate(OpenAccess())
    yield PassageAnswerer(search, ScriptedModel(["Yes [1]."]), gate, versions=OtherVersions(index, gate))


def cited(answerer: PassageAnswerer, message: str, base: str, *filters: Condition) -> list[RankedPassage]:
    shape = Shape.HYBRID if filters else Shape.CONTENT_ONLY
    plan = Plan(Intent.SCRIPT_QUERY, shape, message, message, base, filters, today=TODAY)
    parts = answerer.answer(plan, Question(message, "s", base), ANN)
    return [each for part in parts if isinstance(part, Cited) for each in part.passages]


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda each: f"{each.id} {each.group}")
def test_the_version_that_is_asked_for_comes_first_and_others_are_called_what_they_are(
    answerer: PassageAnswerer, asked: Conversation
) -> None:
    found = cited(answerer, asked.turns[0].message, asked.knowledge_base)
    expect = asked.turns[0].expect
    assert expect is not None
    ids = [each.passage.document.document_id for each in found]
    assert expect.documents_first in (None, ids[0])
    assert {*(expect.documents_all or ())} <= {*ids}
    states = {each.passage.document.document_id: each.state for each in found}
    first = states[ids[0]]
    if asked.group.endswith("current"):
        assert first.endswith(" (in force)")
        assert all(states[name].endswith(NOT_IN_FORCE) for name in (expect.documents_all or ())[1:])
    elif asked.group.endswith("old"):
        assert first.endswith(NOT_IN_FORCE)
    elif asked.group.endswith("gone"):
        assert any(states[name].endswith(NOT_IN_FORCE) for name in expect.documents)


def test_a_version_that_a_condition_leaves_out_still_tells_what_is_no_longer_in_force(
    answerer: PassageAnswerer,
) -> None:
    early = Range("valid_from", most="2016-12-31")
    adopted = AnyOf("adopted", frozenset({"2020-06-01"}))
    for base, condition, state in (
        ("clinic", AnyOf("revision", frozenset({"9"})), "replaced (no longer in force)"),
        ("permits", early, "replaced (no longer in force)"),
        ("university", adopted, "valid, replaced (no longer in force)"),
    ):
        message = {"clinic": "disinfectant for hands", "permits": "noisy work hours", "university": "tuition fee"}[base]
        assert cited(answerer, message, base, condition)[0].state == state
