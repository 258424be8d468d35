"""How often the stand-in's generator quotes the right line, and how often it rightly says that there is no answer.

Retrieval here is a fixed baseline (BM25 and MiniLM, z-scores added, ten passages) over samples/, so that the figures do
not depend on the production search; questions whose line it misses are counted separately.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from evals.plays.dataset import Question, load_questions
from local.bedrock.embedder import Vectors
from local.bedrock.extractive import NOT_HELD, answer
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.prompt import parse
from local.bedrock.words import Rarity, terms
from local.stage.settings import ROOT

WORDS_PER_PASSAGE, PASSAGES = 170, 10


def passages(play: str) -> Iterator[str]:
    """Runs of lines of one scene, each run starting with the last line of the one before."""
    script = json.loads((ROOT / f"samples/{play}.json").read_text(encoding="utf-8"))
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
        best = [self._texts[position] for position in np.argsort(-scores)[:PASSAGES]]
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
    """`retrieved`: an expected line was among the passages. `right`: one was quoted."""

    retrieved: bool
    answered: bool
    right: bool


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Counts over a group of questions."""

    answerable: Sequence[Outcome]
    unanswerable: Sequence[Outcome]


def measured() -> dict[str, Outcomes]:
    """Outcomes on the questions that the weights were fitted on, and on the held-out ones."""
    model = MiniLM.load(model_folder())
    index = Index(model, [text for play in ("macbeth", "hamlet") for text in passages(play)])
    questions = load_questions()
    groups: dict[str, tuple[Sequence[Question], Sequence[str]]] = {
        "fitted on": (questions.answerable, questions.unanswerable),
        "held out": (questions.held_out_answerable, questions.held_out_unanswerable),
    }
    return {
        name: Outcomes(
            [_ask(index, model, each.question, each.expect) for each in answerable],
            [_ask(index, model, each, ()) for each in unanswerable],
        )
        for name, (answerable, unanswerable) in groups.items()
    }


def _ask(index: Index, model: MiniLM, question: str, expected: Sequence[str]) -> Outcome:
    prompt = index.prompt(question)
    said = answer(parse(prompt), model)
    found = [any(text in each for text in expected) for each in (prompt, said)]
    return Outcome(found[0], said != NOT_HELD, found[1])
