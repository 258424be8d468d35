"""Embedding throughput through the micro-batcher, relative to the bare embedder's: `python -m bench.ingest_bench`.

The passages of the sample plays are embedded by MiniLM in this process: as one list by the embedder itself, as one list
through the batcher, and as one list for each of several callers at the same time. Then the same with an embedder that
answers after a fixed time, as a service does. The variants alternate, and the best round of each counts: other work on
the machine can only slow a round down.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest.episodes import EpisodePattern, Episodes
from cicada.ingest.model import SourceFile, version_of
from cicada.ingest.script import ScriptParser
from cicada.retrieval.batching import BatchingEmbedder
from cicada.retrieval.model import Vector
from cicada.retrieval.ports import Embedder
from local.bedrock.minilm import MiniLM, model_folder
from local.stage.settings import ROOT

CALLERS = 8
TARGET = 0.9


class InProcess:
    """The stand-in's MiniLM, called in process."""

    model_id, dimension = "all-MiniLM-L6-v2", 384

    def __init__(self) -> None:
        self._model = MiniLM.load(model_folder())

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [array("f", row.tobytes()) for row in self._model.embed(texts).unit()]


class Scripted:
    """A service that takes at most 96 texts a call and `concurrency` calls at once, each of a fixed time."""

    model_id, dimension = "scripted", 1

    def __init__(self, call_seconds: float = 0.02, concurrency: int = 4) -> None:
        self._call_seconds = call_seconds
        self._calls = ThreadPoolExecutor(concurrency)

    def embed_query(self, text: str) -> Vector:
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embeds in calls of 16, so that a batch needs several, as with a service that takes few texts a call."""
        parts = [texts[start : start + 16] for start in range(0, len(texts), 16)]
        return [vector for vectors in self._calls.map(self._call, parts) for vector in vectors]

    def _call(self, texts: Sequence[str]) -> list[Vector]:
        time.sleep(self._call_seconds)
        return [[float(len(text))] for text in texts]


@dataclass(frozen=True, slots=True)
class Rates:
    """Texts a second of the same run; `batched` is one caller, `parallel` several."""

    embedder: str
    texts: int
    own: float
    batched: float
    parallel: float

    @property
    def share(self) -> float:
        """The slower batched rate as a share of the bare embedder's."""
        return min(self.batched, self.parallel) / self.own


def measured(embedder: Embedder, texts: Sequence[str], rounds: int) -> Rates:
    """The rates of all variants, which alternate after a warm-up."""
    with closing(BatchingEmbedder(embedder)) as batching, ThreadPoolExecutor(CALLERS) as callers:
        lists = [texts[number::CALLERS] for number in range(CALLERS)]
        ways: dict[str, Callable[[], object]] = {
            "own": lambda: embedder.embed_passages(texts),
            "batched": lambda: batching.embed_passages(texts),
            "parallel": lambda: list(callers.map(batching.embed_passages, lists)),
        }
        embedder.embed_passages(texts[:64])
        best = dict.fromkeys(ways, 0.0)
        for _ in range(rounds):
            for name, way in ways.items():
                best[name] = max(best[name], len(texts) / _seconds(way))
    return Rates(embedder.model_id, len(texts), **best)


def sample_texts(limit: int) -> list[str]:
    """The passages of the sample plays as ingest embeds them."""
    parser = ScriptParser(Episodes((EpisodePattern("*", "play", "Play"),)))
    texts = []
    for file in sorted((ROOT / "samples").glob("*.json")):
        content = file.read_bytes()
        key = DocumentKey(KnowledgeBaseKey("default", "scripts"), file.name)
        passages = parser.parse(SourceFile(key, file.name, content, version_of(content))).passages
        texts += [f"{each.context}\n{each.text}" for each in passages]
    return texts[:limit]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 if both embedders reach nine tenths of their bare rate through the batcher."""
    parser = argparse.ArgumentParser(description="Ingest's rate beside the embedder's own.")
    parser.add_argument("--texts", type=int, default=320, help="how many passages MiniLM embeds in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    found = [
        measured(InProcess(), sample_texts(options.texts), options.rounds),
        measured(Scripted(), [f"text {number}" for number in range(20 * options.texts)], options.rounds),
    ]
    if options.json:
        print(json.dumps({each.embedder: _fields(each) for each in found}, indent=2))
    else:
        for each in found:
            print(
                f"{each.embedder:18} {each.texts:6} texts   own {each.own:8.1f}/s   one list {each.batched:8.1f}/s   "
                f"{CALLERS} callers {each.parallel:8.1f}/s   share {each.share:.3f}"
            )
    return 0 if all(each.share >= TARGET for each in found) else 1


def _fields(rates: Rates) -> dict[str, float]:
    return {
        "texts": rates.texts,
        "own": round(rates.own, 1),
        "batched": round(rates.batched, 1),
        "together": round(rates.parallel, 1),
        "share": round(rates.share, 3),
    }


def _seconds(way: Callable[[], object]) -> float:
    began = time.perf_counter()
    way()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
