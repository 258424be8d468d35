"""What a stack finds for labelled questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.calibrations import Cosines
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.retrieval.model import EmbeddedPassage, Vector
from cicada.retrieval.ports import SearchBackend
from cicada.retrieval.probing import probed
from cicada.retrieval.quality import Features
from cicada.retrieval.rerank.local import RELEVANCE_MAP, LocalReranker
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage

BASE = KnowledgeBaseKey("acme", "docs")
ANSWER = "The Brenner Pass was closed."
RELEVANCE, MARGIN, COVERAGE = (Features._fields.index(name) for name in ("relevance", "margin", "coverage"))


class Compass:
    """The answer points where the question does, and everything else away from it."""

    model_id, dimension = "compass", 2

    def embed_query(self, text: str) -> Vector:
        return (1.0, 0.0)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [(0.8, 0.6) if text == ANSWER else (0.0, 1.0) for text in texts]


def index() -> InMemoryPassageIndex:
    """Forty documents; one of them, which only the board may read, holds the answer."""
    kept, embedder = InMemoryPassageIndex("compass", 2), Compass()
    for number in range(40):
        key, text = DocumentKey(BASE, f"d{number}.md"), "A road leads over it." if number else ANSWER
        [vector] = embedder.embed_passages([text])
        kept.replace(key, [EmbeddedPassage(passage(key, number, text, readers=("group:board",)), vector)])
    return kept


def probe(*questions: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    kept = index()

    def backend(cosines: Cosines | None) -> SearchBackend:
        relevance = RELEVANCE_MAP.with_cosines(cosines)
        local = LocalReranker(kept, relevance=lambda _: relevance)
        return SearchBackend(kept, Compass(), {"auto": local})

    event = {"probe": {"tenant": "acme", "knowledge_base": "docs", "questions": questions, **more}}
    found: list[dict[str, Any]] = probed(event, backend, KnowledgeBases())["found"]
    return found


QUESTION = {"question": "When was the Brenner Pass closed?"}


def test_the_signals_and_the_cosines_of_each_question_come_back_without_any_text() -> None:
    [found] = probe(QUESTION)
    assert found["reranker"] == "local"
    assert found["cosines"] == {"best": pytest.approx(0.8), "distant": pytest.approx(0.0)}
    assert found["signals"][MARGIN] == pytest.approx(0.8)
    assert found["signals"][COVERAGE] == 1.0
    assert "Brenner" not in str(found)


def test_a_question_is_asked_as_if_some_documents_were_not_there() -> None:
    there, gone = probe(QUESTION, QUESTION | {"without": ["d0.md"]})
    assert (there["signals"][COVERAGE], gone["signals"][COVERAGE]) == (1.0, 0.0)
    assert gone["cosines"]["best"] == pytest.approx(0.0)


def test_the_usual_cosines_move_the_relevance() -> None:
    [near], [far] = (probe(QUESTION, cosines={"best": best, "distant": 0.0}) for best in (0.5, 2.0))
    assert near["signals"][RELEVANCE] > far["signals"][RELEVANCE]


@pytest.mark.parametrize("event", [{"probe": {}}, {"probe": {"tenant": "t", "knowledge_base": "b", "questions": "q"}}])
def test_another_event_is_refused_with_what_it_lacks(event: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"no probe: (Object missing|Expected)"):
        probed(event, lambda _: pytest.fail("nothing is searched"), KnowledgeBases())
