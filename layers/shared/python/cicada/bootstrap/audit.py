"""Wires the audit trail."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import cache

from msgspec.structs import replace

from cicada.errors import CicadaError, ConfigurationError
from cicada.generation import model_of
from cicada.observability.audit import AuditRecord, AuditRecorder, DocumentsShown
from cicada.observability.log import report_lost_record
from cicada.observability.metrics import stage_metrics
from cicada.settings import AuditSettings, invocation, load

# Where the log group is out of reach, a handshake waits for no more than two calls of so long.
_TIMEOUT_SECONDS = 1.5


def record_audit(*records: AuditRecord) -> None:
    """Write the records, or report that they are lost. Nothing fails of it."""
    if not records:
        return
    try:
        recorder = _recorder()
    except ConfigurationError as error:
        for each in records:
            _lost(each, error)
    else:
        recorder.record(*records)


def answer_audit(chat_models: Sequence[str], agent_model_id: str) -> Callable[..., None]:
    """`record_audit` for answers: says by their paths which model wrote them."""

    def record(*shown: DocumentsShown) -> None:
        record_audit(*(replace(each, models=_models(each, chat_models, agent_model_id)) for each in shown))

    return record


def _models(shown: DocumentsShown, chat_models: Sequence[str], agent_model_id: str) -> tuple[str, ...]:
    """The models of an answer; none for a listing, a question back, or an answer whose path is not known."""
    chat = [model_of(shown.path, chat_models)] if "generate" in shown.path else []
    agent = [agent_model_id] if any(step.startswith("agent:") for step in shown.path) else []
    return (*chat, *agent)


@cache
def _recorder() -> AuditRecorder:
    """Made with the first record, so that no answer waits for the client; one stream for each container."""
    # Imported here: the authorizer loads no SDK for those whom it lets in.
    from cicada.adapters.cloudwatch_audit_trail import CloudWatchAuditTrail
    from cicada.bootstrap.aws import client

    logs = client("logs", read_timeout_seconds=_TIMEOUT_SECONDS, attempts=2)
    # CloudWatch Logs allows neither ":" nor "*" in the names of streams.
    stream = f"{invocation().function}/{uuid.uuid4().hex}"
    return AuditRecorder(CloudWatchAuditTrail(logs, load(AuditSettings).audit_log_group, stream), _lost)


def _lost(record: AuditRecord, error: CicadaError) -> None:
    report_lost_record(record, error)
    stage_metrics().lost_record()
