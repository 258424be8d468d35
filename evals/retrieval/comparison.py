"""Is one run better than another? Compared per query (paired), because queries differ more than systems do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from evals.lines import DatasetError
from evals.retrieval.measures import Scores

SAMPLES, SEED = 10_000, 7


class StoredRun(BaseModel):
    """A run's scores by stage, measure and query."""

    dataset: str
    scores: dict[str, Scores]


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean over the queries of this run minus the other, with its 95 % interval.

    Also how many queries are better and worse.
    """

    mean: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


def paired_bootstrap(run: Mapping[str, float], other: Mapping[str, float]) -> Difference:
    """Percentile interval over 10,000 samples of the queries that both runs have, drawn with replacement.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993. Raises `ValueError` without such queries.
    """
    shared = sorted(run.keys() & other.keys())
    if not shared:
        raise ValueError("The runs share no query.")
    differences = np.array([run[query] - other[query] for query in shared])
    draws = np.random.default_rng(SEED).integers(0, len(shared), (SAMPLES, len(shared)))
    low, high = np.quantile(differences[draws].mean(axis=1), [0.025, 0.975])
    wins, losses = int((differences > 1e-9).sum()), int((differences < -1e-9).sum())
    return Difference(float(differences.mean()), float(low), float(high), wins, losses, len(shared) - wins - losses)


def save_run(path: Path, dataset: str, scores: Mapping[str, Scores]) -> None:
    """Raises DatasetError if the file cannot be written."""
    try:
        path.write_text(json.dumps({"dataset": dataset, "scores": scores}), "utf-8")
    except OSError as error:
        raise DatasetError(f"The run cannot be saved as {path} ({error.strerror}); name another file.") from error


def load_run(path: Path) -> StoredRun:
    """Raises DatasetError."""
    try:
        return StoredRun.model_validate_json(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise DatasetError(f"{path} holds no run; give a file that --save has written.") from error
