"""`python -m tools.fitting.stand_in_answers FILE`: fits the weights of `local/bedrock/nearest.py`, and judges answers.

Each line of the file is a JSON object: `prompt` as the stand-in gets it, `answers` (texts of the passages, any of which
answers; none if the passages do not answer; null if they do, and where is unknown), and `group`. The groups `fit` and
`fit…` are fitted on; the answers to all groups are judged, by the weights that the stand-in has.
"""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.extractive import NOT_HELD, NOT_SURE, answer
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.nearest import WEIGHTS, Nearest, nearest
from local.bedrock.prompt import parse

WEIGHT_DECAY, CHANCE_DECAY = 0.01, 0.3
_QUOTED = re.compile(r'"(.*)" — ')


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the file. `answers` is None where it is not known what answers."""

    group: str
    prompt: str
    answers: tuple[str, ...] | None

    @property
    def answerable(self) -> bool:
        return self.answers is None or bool(self.answers)

    def is_in(self, text: str) -> bool:
        return any(_words(each) in _words(text) for each in self.answers or ())


def load(path: Path) -> list[Asked]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Asked(row["group"], row["prompt"], None if row["answers"] is None else tuple(row["answers"])) for row in rows
    ]


@cache
def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text.lower().replace("’", "'").replace("'", "")), ""])


def found(asked: Asked, embedder: Embedder) -> Nearest:
    prompt = parse(asked.prompt)
    return nearest(prompt.question, prompt.passages, embedder, prompt.conditions)


def fit_weights(questions: Sequence[tuple[Asked, Nearest]]) -> Vectors:
    """Multinomial logistic regression: the spans that answer, against the question's others."""
    rows = [
        (each.features, np.array([asked.is_in(each.spans[at].text) for at, _ in each.ranked]))
        for asked, each in questions
    ]
    known = [(features, right) for features, right in rows if right.any()]

    def loss(weights: Vectors) -> tuple[float, Vectors]:
        total, slope = WEIGHT_DECAY * len(known) * weights @ weights / 2, WEIGHT_DECAY * len(known) * weights
        for features, right in known:
            scores = features @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            chance = share[right].sum()
            total -= np.log(chance)
            slope = slope + share @ features - share[right] @ features[right] / chance
        return float(total), slope

    return np.asarray(minimize(loss, np.zeros(len(WEIGHTS)), jac=True).x)


def fit_chance(questions: Sequence[tuple[Asked, Nearest]], weights: Vectors) -> Vectors:
    """Logistic regression over the signals, with answerable questions and others of the same weight."""
    signals = np.array([_signals(each, weights) for _, each in questions])
    right = np.array([asked.answerable for asked, _ in questions], dtype=float)
    middle, spread = signals[:, 1:].mean(axis=0), signals[:, 1:].std(axis=0)
    rows = np.c_[signals[:, :1], (signals[:, 1:] - middle) / spread]
    share = np.where(right == 1, 0.5 / right.mean(), 0.5 / (1 - right.mean()))

    def loss(points: Vectors) -> tuple[float, Vectors]:
        chance = 1 / (1 + np.exp(-rows @ points))
        kept = CHANCE_DECAY * np.r_[0.0, points[1:]]
        likelihood = share @ np.log(np.where(right == 1, chance, 1 - chance) + 1e-9)
        return float(points @ kept / 2 - likelihood), rows.T @ (share * (chance - right)) + kept

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True).x
    slopes = found[1:] / spread
    return np.asarray(np.r_[found[0] - slopes @ middle, slopes])


def _signals(found: Nearest, weights: Vectors) -> Vectors:
    """The signals as they are by other weights: the best score, and the similarity of the span that has it."""
    scores = found.features @ weights
    return np.asarray([1.0, scores.max(), found.features[scores.argmax(), 0]])


def row(name: str, questions: Sequence[Asked], embedder: Embedder) -> str:
    """A row of docs/figures/stand-in-answers.json: only what the prompts hold counts as retrieved."""
    said = {asked: answer(parse(asked.prompt), embedder) for asked in questions}
    quotes = {
        asked: [] if text.startswith((NOT_HELD, NOT_SURE)) else _QUOTED.findall(text) for asked, text in said.items()
    }
    held = [asked for asked in questions if asked.answers and asked.is_in(asked.prompt.replace("\n| ", " "))]
    answerable = [*held, *(asked for asked in questions if asked.answers is None)]
    others = [asked for asked in questions if not asked.answerable]
    counts = (
        (sum(any(map(asked.is_in, quotes[asked][:1])) for asked in held), held),
        (sum(any(map(asked.is_in, quotes[asked][:3])) for asked in held), held),
        (sum(not quotes[asked] for asked in answerable), answerable),
        (sum(bool(quotes[asked]) for asked in others), others),
    )
    return json.dumps([name, *(f"{count} of {len(of)}" for count, of in counts)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fitting.stand_in_answers", description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--judge", action="store_true", help="only judge the answers")
    options = parser.parse_args()
    embedder = MiniLM.load(model_folder())
    questions = load(options.file)
    if not options.judge:
        fitted = [(asked, found(asked, embedder)) for asked in questions if asked.group.startswith("fit")]
        fitted = [(asked, each) for asked, each in fitted if each.ranked]
        weights = fit_weights(fitted)
        print("WEIGHTS", weights.round(2).tolist())
        print("ANSWERED", fit_chance(fitted, weights).round(2).tolist())
    for name in dict.fromkeys(asked.group for asked in questions):
        print(row(name, [asked for asked in questions if asked.group == name], embedder), flush=True)


if __name__ == "__main__":
    main()
