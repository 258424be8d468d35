"""Whether the evidence of a stack is judged by a calibration for its embedder and rerankers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.calibrations import LOCAL, Calibration, calibrations_for, embedder_name, read_calibrations
from cli.deployment_target import DeploymentTarget
from cli.operator.base_settings import base_table
from cli.operator.findings import Finding

_SUBJECT = "calibration"
_MODEL, _DIMENSION, _RERANKERS = "CICADA_EMBEDDING_MODEL_ID", "CICADA_EMBEDDING_DIMENSION", "CICADA_RERANK_MODELS"


def embedder_of(variables: Mapping[str, str]) -> str:
    """The embedder that a function's settings name, as calibrations call it."""
    return embedder_name(variables.get(_MODEL, ""), int(variables.get(_DIMENSION, "0")))


def calibration_findings(target: DeploymentTarget, functions: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """One for each pair of embedder and reranker by which the functions of the stack search."""
    variables = [each.get("Environment", {}).get("Variables", {}) for each in functions]
    kept: tuple[Calibration, ...] = ()
    try:
        kept = read_calibrations(base_table(target).read_calibrations())
    except ConfigurationError as error:
        yield Finding(_SUBJECT, "problem", str(error))
    for embedder in dict.fromkeys(embedder_of(each) for each in variables if _MODEL in each):
        found = calibrations_for(embedder, kept)
        for reranker in _rerankers(variables):
            yield _finding(found.by_reranker.get(reranker), embedder, reranker, target.flag)


def _rerankers(variables: Sequence[Mapping[str, str]]) -> list[str]:
    """The vendors of the rerankers in the settings, as `bootstrap.search` names them, and the local one."""
    arns = [arn.strip() for each in variables for arn in each.get(_RERANKERS, "").split(",") if arn.strip()]
    return [*dict.fromkeys(arn.rpartition("/")[2].partition(".")[0] for arn in arns), LOCAL]


def _finding(found: Calibration | None, embedder: str, reranker: str, flag: str) -> Finding:
    pair = f"{embedder} and the reranker {reranker}"
    if found is None:
        text = f"not calibrated for {pair}: thresholds of another embedder; answers are given with more caution until"
        return Finding(_SUBJECT, "note", f"{text} `cicada calibrate{flag}` has run.")
    when = f"on {found.made}, by {found.questions} questions" if found.made else "as it was shipped"
    return Finding(_SUBJECT, "ok", f"calibrated for {pair}, {when}.")
