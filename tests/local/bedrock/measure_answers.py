"""How often the generator quotes the right line, and how often it rightly says that there is none.

    python -m tests.local.bedrock.measure_answers

Prints the figures for the questions that the weights were fitted on and for those held out. The retrieval here is a
plain one (BM25 and MiniLM, z-scores added, ten passages) over samples/; questions whose line it misses are counted
apart.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from local.bedrock.embedder import Vectors
from local.bedrock.extractive import NOT_HELD, answer
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.prompt import parse
from local.bedrock.words import Rarity, terms

SAMPLES = Path(__file__).parents[3] / "samples"
QUESTIONS = Path(__file__).with_name("questions.json")
WORDS_PER_PASSAGE, PASSAGES = 170, 10


def passages(play: str) -> Iterator[str]:
    """Runs of lines of one scene, each run starting with the last line of the one before."""
    script = json.loads((SAMPLES / f"{play}.json").read_text(encoding="utf-8"))
    for _, scene in groupby(script["messages"], key=lambda message: message["chapterId"]):
        run: list[Any] = []
        for message in scene:
            run.append(message)
            if sum(len(line["textENG"].split()) for line in run) >= WORDS_PER_PASSAGE:
                yield _passage(script["episodeName"], run)
                run = run[-1:] if len(run) > 1 else []
        if run:
            yield _passage(script["episodeName"], run)


def _passage(episode: str, run: Sequence[Any]) -> str:
    first, last = run[0], run[-1]
    chapter = f"{first['chapterId']} {first['chapterTitle']}"
    speakers = ", ".join(dict.fromkeys(line["speaker"] for line in run if line["speaker"]))
    return "\n".join(
        [
            f"Episode: {episode} · Chapter: {chapter} · Messages: {first['messageId']}–{last['messageId']}",
            *([f"Speakers: {speakers}"] if speakers else []),
            *(
                f"{line['speaker'].upper()}: {line['textENG']}" if line["speaker"] else f"({line['textENG']})"
                for line in run
            ),
        ]
    )


class Index:
    """Every passage of both plays in memory."""

    def __init__(self, model: MiniLM, texts: Sequence[str]) -> None:
        self._model, self._texts = model, texts
        self._terms = [terms(text) for text in texts]
        self._rarity = Rarity(self._terms)
        self._average = float(np.mean([len(found) for found in self._terms]))
        self._vectors = model.embed(texts).unit()

    def prompt(self, question: str) -> str:
        scores = _standard(self._bm25(question)) + _standard(self._vectors @ self._model.embed([question]).unit()[0])
        best = [self._texts[place] for place in np.argsort(-scores)[:PASSAGES]]
        return (
            "Passages:\n\n" + "".join(f"[{n}] {text}\n\n" for n, text in enumerate(best, 1)) + f"Question: {question}\n"
        )

    def _bm25(self, question: str) -> Vectors:
        return np.array([self._score(set(terms(question)), found) for found in self._terms], dtype=np.float32)

    def _score(self, asked: set[str], found: list[str]) -> float:
        norm = 1.2 * (0.4 + 0.6 * len(found) / self._average)
        return sum(self._rarity(term) * (count := found.count(term)) * 2.2 / (count + norm) for term in asked)


def _standard(scores: Vectors) -> Vectors:
    return np.asarray((scores - scores.mean()) / (scores.std() + 1e-9), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Outcome:
    retrieved: bool
    answered: bool
    right: bool
    seconds: float


def ask(index: Index, model: MiniLM, question: str, expected: Sequence[str]) -> Outcome:
    prompt = index.prompt(question)
    start = time.perf_counter()
    said = answer(parse(prompt), model)
    seconds = time.perf_counter() - start
    found = [any(text in place for text in expected) for place in (prompt, said)]
    return Outcome(found[0], said != NOT_HELD, found[1], seconds)


def report(name: str, answerable: Sequence[Outcome], unanswerable: Sequence[Outcome]) -> None:
    retrieved = [outcome for outcome in answerable if outcome.retrieved]
    sys.stdout.write(
        f"{name}: right line quoted {sum(o.right for o in retrieved)}/{len(retrieved)} where retrieved "
        f"({sum(o.right for o in answerable)}/{len(answerable)} in all), "
        f"answered {sum(o.answered for o in answerable)}/{len(answerable)}, "
        f"unanswerable refused {sum(not o.answered for o in unanswerable)}/{len(unanswerable)}, "
        f"median {np.median([o.seconds for o in (*answerable, *unanswerable)]):.2f} s\n"
    )


def main() -> None:
    model = MiniLM.load(model_folder())
    texts = [text for play in ("macbeth", "hamlet") for text in passages(play)]
    start = time.perf_counter()
    index = Index(model, texts)
    sys.stdout.write(f"{len(texts)} passages embedded, {len(texts) / (time.perf_counter() - start):.1f} a second\n")
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    for name, prefix in (("fitted on", ""), ("held out", "held_out_")):
        answerable = [ask(index, model, one["question"], one["expect"]) for one in questions[f"{prefix}answerable"]]
        unanswerable = [ask(index, model, one, ()) for one in questions[f"{prefix}unanswerable"]]
        report(name, answerable, unanswerable)


if __name__ == "__main__":
    main()
