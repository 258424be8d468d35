"""The structured log of a function."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

from aws_lambda_powertools import Logger
from msgspec import to_builtins

from cicada.errors import CicadaError, ConfigurationError, PlanRefusedError
from cicada.observability.audit import AuditRecord

logger = Logger(service="cicada")


def report_fallback(error: CicadaError) -> None:
    """An agent could not be reached and the fallback was used."""
    logger.warning("A Bedrock agent failed; tool use answers instead", extra=failure_fields(error))


def report_rerank_fallback(error: CicadaError) -> None:
    """A reranking service failed and the next one was asked."""
    _report("A reranking service failed; the next one ranks instead", error)


def report_own_words(error: CicadaError) -> None:
    """A query could not be translated into the knowledge base's language."""
    _report("The query model failed; the question is searched in the user's own words", error)


def report_quality_fallback(error: CicadaError) -> None:
    """Evidence could not be judged by the model, or a query not be rewritten by it."""
    _report("The query model failed; evidence is judged and queries are rewritten without it", error)


def report_route_fallback(error: CicadaError) -> None:
    """The query model could not rank documents by their cards; their scores order them."""
    _report("The query model failed; documents are routed to without it", error)


def report_uncounted_tokens(error: CicadaError) -> None:
    """The tokens of an answer were not counted against its tenant's quota."""
    logger.error("Tokens of an answer are missing in its tenant's quota", extra=failure_fields(error))


def report_counted_sentences(error: CicadaError) -> None:
    """Bedrock did not judge the sentences of an answer; counting did."""
    _report("Sentences are judged by counting and not by the guardrail", error)


def report_unused_calibrations(error: CicadaError) -> None:
    """The stack keeps calibrations that cannot be used."""
    logger.warning("Evidence is judged by what the library came with", extra=failure_fields(error))


def report_plan_fallback(error: CicadaError) -> None:
    """A planning model failed, or its plan was refused; the next model or the rules planned."""
    kind = {"planRefused": error.kind} if isinstance(error, PlanRefusedError) else {}
    _report("A planning model failed; another plan is used", error, **kind)


def report_planning_fault(error: Exception) -> None:
    """The rules could not plan a message; the texts were searched for it instead."""
    logger.error("A message could not be planned; it is searched for", extra=failure_fields(error))


def report_model_fallback(error: CicadaError) -> None:
    """A chat model did not begin to write; the next one is asked, or the only one once more."""
    _report("A chat model failed; another call is made", error)


def report_failed_answer(error: CicadaError) -> None:
    """An answer ended in an `error` event, and its request was dead-lettered."""
    logger.error("An answer failed", extra=failure_fields(error))


def report_lost_record(record: AuditRecord, error: CicadaError) -> None:
    """The audit trail did not take a record: it is kept here instead, for as long as this log is."""
    logger.error("An audit record was not written", extra=failure_fields(error) | {"record": to_builtins(record)})


def _report(message: str, error: CicadaError, **fields: object) -> None:
    """Report what is done in another way instead. A configuration error lasts until an operator acts."""
    level = logger.error if isinstance(error, ConfigurationError) else logger.warning
    # The line of the log names the caller as its place.
    level(message, extra=failure_fields(error) | fields, stacklevel=3)


def failure_fields(error: BaseException) -> dict[str, object]:
    """Log fields of a failure: exception types, code locations, and the messages of `CicadaError`s.

    Messages of other exceptions are left out, because they may quote users' text.
    """
    chain = list(_chain(error))
    fields: dict[str, object] = {
        "kinds": [type(each).__name__ for each in chain],
        "places": [_place(frame) for each in chain for frame in traceback.extract_tb(each.__traceback__)],
    }
    return fields | ({"code": error.code, "reason": str(error)} if isinstance(error, CicadaError) else {})


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _place(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    return f"{path.parent.name}/{path.name}:{frame.lineno} {frame.name}"
