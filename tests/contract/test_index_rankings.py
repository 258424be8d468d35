"""The two engines check each other: on a play and on random documents, both rank nearly the same passages first."""

from __future__ import annotations

import hashlib
import json
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.languages.terms import query_terms
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexQuery
from cicada.retrieval.ports import PassageIndex
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.passage_indexes import OpenSearchUnderTest, eventually
from tests.fakes.passages import passage

PLAY = Path(__file__).parents[2] / "samples" / "macbeth.json"
MACBETH = DocumentKey(KnowledgeBaseKey("tenant", "plays"), "macbeth.json")
DIMENSION = 64
QUESTIONS = (
    "Who tells Macbeth that the queen is dead?",
    "What do the three witches promise Banquo?",
    "Is this a dagger which I see before me?",
    "Who was not born of a woman?",
    "Why does Lady Macbeth walk in her sleep?",
    "When will Birnam wood come to Dunsinane?",
    "Who murders Duncan and his guards?",
    "What does the porter say about drink?",
    "Where does Malcolm flee after the murder?",
    "Whose ghost sits in the king's place at the feast?",
    "What is thrown into the cauldron?",
    "What happened to Macduff's wife and children?",
    "How does the thane of Cawdor die?",
    "Who is hailed king of Scotland at the end?",
    "What does the letter from Macbeth say?",
    "What bloody man brings news of the battle?",
)


def passages() -> Iterator[EmbeddedPassage]:
    """The play in chunks of six messages, none across scenes."""
    numbers = count()
    messages = json.loads(PLAY.read_text("utf-8"))["messages"]
    for scene, group in groupby(messages, key=lambda message: message["chapterId"]):
        spoken = list(group)
        for chunk in (spoken[start : start + 6] for start in range(0, len(spoken), 6)):
            speakers = dict.fromkeys(message["speaker"] for message in chunk if message["speaker"])
            text = "\n".join(f"{message['speaker']}: {message['textENG']}" for message in chunk)
            context = f"Macbeth · {scene} {chunk[0]['chapterTitle']} · {', '.join(speakers)}"
            yield EmbeddedPassage(passage(MACBETH, next(numbers), text, title="Macbeth", context=context), embed(text))


def embed(text: str) -> list[float]:
    """The sum of a random vector for each word: like texts get near vectors, and no model is needed."""
    total = [0.0] * DIMENSION
    for term in query_terms(text):
        rng = random.Random(hashlib.sha256(term.encode()).digest())
        total = [value + rng.gauss(0, 1) for value in total]
    length = math.hypot(*total)
    return [value / length for value in total]


def overlap(one: tuple[Hit, ...], other: tuple[Hit, ...]) -> float:
    """Share of the first ten of one ranking that are among the first ten of the other."""
    first, second = ({hit.passage.passage_id for hit in retriever[:10]} for retriever in (one, other))
    return len(first & second) / max(len(first), len(second), 1)


def test_both_engines_rank_a_play_alike(engines: Engines) -> None:
    engines.fill({MACBETH: list(passages())})
    found = engines.overlaps([(question, embed(question)) for question in QUESTIONS])
    # Lucene rounds lengths and has fewer English stop words.
    assert found.lexical >= 0.85
    assert found.semantic >= 0.95


@pytest.mark.parametrize("seed", [1, 2])
def test_both_engines_rank_random_documents_alike(engines: Engines, seed: int) -> None:
    rng = random.Random(seed)
    words = [f"{first}{second}" for first in "bdfglmprt" for second in ("alon", "erid", "imus", "okan", "urel")]
    likelihood = [1 / (place + 2) for place in range(len(words))]

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(words, likelihood, k=rng.randint(low, high)))

    def towards() -> list[float]:
        return [rng.gauss(0, 1) for _ in range(DIMENSION)]

    documents = {}
    for document in (DocumentKey(MACBETH.base_key, f"d{number:02d}") for number in range(20)):
        title, count = text(1, 5), rng.randint(1, 12)
        kept = [passage(document, number, text(5, 80), title=title, context=title) for number in range(count)]
        documents[document] = [EmbeddedPassage(each, towards()) for each in kept]
    engines.fill(documents)
    found = engines.overlaps([(text(1, 6), towards()) for _ in range(30)])
    assert found.lexical >= 0.8
    assert found.semantic >= 0.95


@dataclass(frozen=True, slots=True)
class Overlap:
    """Means over the questions: shares of the first ten that both engines have, and how often the first is the same."""

    lexical: float
    semantic: float
    first: float


@dataclass(frozen=True, slots=True)
class Engines:
    embedded: SqlitePassageIndex
    server: PassageIndex
    record: Callable[[str, object], None]

    def fill(self, documents: dict[DocumentKey, list[EmbeddedPassage]]) -> None:
        everything = PassageFilter(MACBETH.base_key)
        for index in (self.embedded, self.server):
            for document, kept in documents.items():
                index.replace(document, kept)
        total = sum(map(len, documents.values()))
        assert eventually(lambda: self.server.count(everything) == self.embedded.count(everything) == total)
        self.record("passages", total)

    def overlaps(self, questions: list[tuple[str, list[float]]]) -> Overlap:
        """Also printed, for `pytest -s`."""
        lexical, semantic, first = [], [], []
        for text, towards in questions:
            query = IndexQuery(PassageFilter(MACBETH.base_key), text, towards, 10)
            one, other = self.embedded.search(query), self.server.search(query)
            lexical.append(overlap(one.lexical, other.lexical))
            semantic.append(overlap(one.semantic, other.semantic))
            first.append(one.lexical[0].passage.passage_id == other.lexical[0].passage.passage_id)
        found = Overlap(statistics.mean(lexical), statistics.mean(semantic), statistics.mean(first))
        for name in Overlap.__slots__:
            self.record(name, getattr(found, name))
        sys.stdout.write(f"{found}\n")
        return found


@pytest.fixture
def engines(
    tmp_path: Path, opensearch_under_test: OpenSearchUnderTest, record_property: Callable[[str, object], None]
) -> Iterator[Engines]:
    embedded = SqlitePassageIndex(tmp_path / "index.sqlite", "words", DIMENSION)
    yield Engines(embedded, opensearch_under_test.open("words", DIMENSION), record_property)
    embedded.close()
