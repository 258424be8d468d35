"""The two engines prove each other: on a play, both put nearly the same passages first."""

from __future__ import annotations

import hashlib
import json
import math
import random
import statistics
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

from cicada.adapters.sqlite_passage_index import SqlitePassageIndex
from cicada.documents.model import Collection, DocumentKey, Passage, ScriptLocator
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexQuery, PassageFilter
from cicada.retrieval.terms import query_terms
from tests.contract.passage_indexes import OpenSearchUnderTest, eventually

pytestmark = pytest.mark.timeout(600)

PLAY = Path(__file__).parents[2] / "samples" / "macbeth.json"
MACBETH = DocumentKey(Collection("tenant", "plays"), "macbeth.json")
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
    messages = json.loads(PLAY.read_text("utf-8"))["messages"]
    number = 0
    for scene, group in groupby(messages, key=lambda message: message["chapterId"]):
        spoken = list(group)
        for start in range(0, len(spoken), 6):
            chunk = spoken[start : start + 6]
            speakers = tuple(dict.fromkeys(message["speaker"] for message in chunk if message["speaker"]))
            text = "\n".join(f"{message['speaker']}: {message['textENG']}" for message in chunk)
            context = f"Macbeth · {scene} {chunk[0]['chapterTitle']} · {', '.join(speakers)}"
            locator = ScriptLocator("macbeth", "Macbeth", scene, "", start, start + 5, speakers)
            kept = Passage(f"macbeth.json#{number:06d}", MACBETH, "v1", "Macbeth", text, context, locator)
            yield EmbeddedPassage(kept, embed(text))
            number += 1


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
    first, second = ({hit.passage.passage_id for hit in lane[:10]} for lane in (one, other))
    return len(first & second) / max(len(first), len(second), 1)


def test_both_engines_rank_a_play_alike(
    tmp_path: Path, opensearch_under_test: OpenSearchUnderTest, record_property: Callable[[str, object], None]
) -> None:
    kept = list(passages())
    embedded = SqlitePassageIndex(tmp_path / "index.sqlite", "words", DIMENSION)
    server = opensearch_under_test.open("words", DIMENSION)
    embedded.replace(MACBETH, kept)
    server.replace(MACBETH, kept)
    everything = PassageFilter(MACBETH.collection)
    assert eventually(lambda: server.count(everything) == embedded.count(everything) == len(kept))
    lexical, semantic, first = [], [], []
    for question in QUESTIONS:
        query = IndexQuery(everything, question, embed(question), 10)
        one, other = embedded.search(query), server.search(query)
        lexical.append(overlap(one.lexical, other.lexical))
        semantic.append(overlap(one.semantic, other.semantic))
        first.append(one.lexical[0].passage.passage_id == other.lexical[0].passage.passage_id)
    embedded.close()
    record_property("passages", len(kept))
    record_property("lexical_overlap_at_10", statistics.mean(lexical))
    record_property("semantic_overlap_at_10", statistics.mean(semantic))
    record_property("same_first", statistics.mean(first))
    # FTS5 takes one length over all columns where Lucene has one for each field, and Lucene rounds lengths.
    assert statistics.mean(lexical) >= 0.85
    assert statistics.mean(semantic) >= 0.95
