"""Calibrations: what the evidence usually looks like with one embedder and one reranker.

Cosines, and relevances that are computed from them, mean something else with every embedder. `cicada calibrate` makes a
calibration on a running stack and keeps it there; that of the local stage's models is shipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct, field
from msgspec.structs import astuple

from cicada.errors import ConfigurationError

LOCAL = "local"
LEAST_APART = 1e-3
"""The least difference of an embedder's usual cosines that tells near passages from distant ones."""
# The local reranker's name in the path of an answer for which no paid one was asked.
_SKIPPED = "skipped"
# The numbers that a calibration may have.
_LEAST_DEVIATION, _MOST = 1e-6, 100.0


class Standard(Struct, frozen=True):
    """A signal's usual value and its standard deviation."""

    mean: float
    deviation: float


class Cosines(Struct, frozen=True):
    """An embedder's usual cosine of the best passage for a question that can be answered, and of distant ones."""

    best: float
    distant: float


class Calibration(Struct, frozen=True):
    """`standards`: by the name of a signal of the evidence; a signal without one is left out.

    `constant` and `slope` map the sum of the signals' points to a probability. `questions`: how many it was made on, 0
    where it is none. `made`: the day, empty for a shipped one.
    """

    embedder: str
    reranker: str
    standards: Mapping[str, Standard]
    constant: float
    slope: float
    cosines: Cosines | None = None
    questions: int = 0
    made: str = ""


# Fitted by `python -m tools.fitting.evidence_quality`; the cosines are those of samples/calibration.jsonl.
SHIPPED = Calibration(
    embedder="cicada.minilm-l6-v2 (384 dimensions)",
    reranker=LOCAL,
    standards={
        "relevance": Standard(-0.606, 0.801),
        "margin": Standard(0.227, 0.088),
        "lexical": Standard(1.489, 0.551),
        "coverage": Standard(0.572, 0.211),
        "names": Standard(0.599, 0.405),
        "concentration": Standard(0.293, 0.097),
    },
    constant=1.341,
    slope=0.315,
    cosines=Cosines(0.588, 0.344),
    questions=733,
)
# The signals that no embedder has a part in. The map is fitted to them alone, by the same command on a search by words,
# and assumes that two of three questions can be answered, instead of three of four.
_CONSERVATIVE = Calibration(
    embedder="",
    reranker="",
    standards={
        "lexical": Standard(1.489, 0.551),
        "coverage": Standard(0.616, 0.189),
        "names": Standard(0.654, 0.352),
        "concentration": Standard(0.286, 0.103),
    },
    constant=1.019,
    slope=0.405,
)


class Calibrations(Struct, frozen=True):
    """The calibrations of one embedder, by reranker."""

    embedder: str = SHIPPED.embedder
    by_reranker: Mapping[str, Calibration] = field(default_factory=lambda: {LOCAL: SHIPPED})

    def of(self, ranked_by: str) -> Calibration:
        """The calibration of evidence that this reranker ranked, as a path names it; else a conservative one."""
        return self.by_reranker.get(reranker_of(ranked_by), _CONSERVATIVE)

    @property
    def cosines(self) -> Cosines | None:
        """The embedder's usual cosines, None where they are not known."""
        return next((each.cosines for each in self.by_reranker.values() if each.cosines), None)


def reranker_of(ranked_by: str) -> str:
    """The reranker's name: `local` where a paid one was skipped."""
    name = ranked_by.partition(":")[0]
    return LOCAL if name == _SKIPPED else name


def embedder_name(model_id: str, dimension: int) -> str:
    """What a calibration calls an embedder: as an index, it belongs to a model and a dimension."""
    return f"{model_id} ({dimension} dimensions)"


def calibrations_for(embedder: str, kept: Sequence[Calibration] = ()) -> Calibrations:
    """What is kept for the embedder, over what was shipped for it, which is nothing for most embedders."""
    return Calibrations(embedder, {each.reranker: each for each in (SHIPPED, *kept) if each.embedder == embedder})


def read_calibrations(text: str) -> tuple[Calibration, ...]:
    """Raises `ConfigurationError` for a text that `write_calibrations` did not make."""
    if not text:
        return ()
    try:
        found = msgspec.json.decode(text, type=tuple[Calibration, ...])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ConfigurationError(
            f"The stack's calibrations cannot be read ({error}): run `cicada calibrate`."
        ) from error
    if not all(map(_is_usable, found)):
        raise ConfigurationError("A number in the stack's calibrations is out of range: run `cicada calibrate`.")
    return found


def _is_usable(made: Calibration) -> bool:
    """Whether it computes with any signals, and a nearer passage is a better one."""
    is_apart = made.cosines is None or made.cosines.best - made.cosines.distant >= LEAST_APART
    deviates = all(each.deviation >= _LEAST_DEVIATION for each in made.standards.values())
    numbers = [made.constant, made.slope, *(value for each in made.standards.values() for value in astuple(each))]
    numbers += astuple(made.cosines) if made.cosines else ()
    return is_apart and deviates and all(abs(each) <= _MOST for each in numbers)


def write_calibrations(kept: Sequence[Calibration], made: Sequence[Calibration]) -> str:
    """The text that is kept: what was, with these in the place of those for the same embedder and reranker."""
    named = {(each.embedder, each.reranker): each for each in (*kept, *made)}
    return msgspec.json.encode([*named.values()]).decode()
