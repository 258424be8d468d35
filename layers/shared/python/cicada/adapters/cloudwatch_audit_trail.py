"""The audit trail in a log group of Amazon CloudWatch Logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from botocore.exceptions import ClientError
from msgspec.json import encode

from cicada.adapters.aws_errors import logs_errors
from cicada.errors import UnavailableError
from cicada.observability.audit import AuditRecord


class LogsClient(Protocol):
    """What is used of the SDK's client."""

    def create_log_stream(self, *, logGroupName: str, logStreamName: str) -> object: ...  # noqa: N803 - the SDK's

    def put_log_events(
        self,
        *,
        logGroupName: str,  # noqa: N803 - the SDK's
        logStreamName: str,  # noqa: N803 - the SDK's
        logEvents: Sequence[Mapping[str, Any]],  # noqa: N803 - the SDK's
    ) -> Mapping[str, Any]: ...


class CloudWatchAuditTrail:
    """Each record is one JSON object. `stream`: a name that no other writer has; it is made with the first record.

    Records are stored when `write` returns: unlike lines on standard output, which Lambda delivers later.
    https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
    """

    def __init__(self, client: LogsClient, log_group: str, stream: str) -> None:
        self._client = client
        self._group = log_group
        self._stream = stream
        self._has_stream = False

    def write(self, records: Sequence[AuditRecord]) -> None:
        """Raises `ThrottledError`, `UnavailableError` or `ConfigurationError`."""
        if not records:
            return
        # The order of their times is asked for.
        events = [
            {"timestamp": int(each.at * 1000), "message": encode(each).decode()}
            for each in sorted(records, key=lambda each: each.at)
        ]
        with logs_errors():
            self._create_stream()
            reply = self._client.put_log_events(logGroupName=self._group, logStreamName=self._stream, logEvents=events)
        if reply.get("rejectedLogEventsInfo"):
            # The call succeeds all the same.
            raise UnavailableError("The audit log did not take all records: they are too old or too new for it.")

    def _create_stream(self) -> None:
        if self._has_stream:
            return
        try:
            self._client.create_log_stream(logGroupName=self._group, logStreamName=self._stream)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceAlreadyExistsException":
                raise
        self._has_stream = True
