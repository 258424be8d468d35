"""SQS's failures as the library's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from cicada.errors import ConfigurationError, Unavailable

# SQS puts "AWS.SimpleQueueService." before the codes of its former protocol.
_MISCONFIGURED = ("AccessDenied", "AccessDeniedException", "QueueDoesNotExist", "NonExistentQueue")


@contextmanager
def sqs_errors() -> Iterator[None]:
    """Translate what boto3 raises inside; the cause is kept. Raises `ConfigurationError` or `Unavailable`."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"].rpartition(".")[2] in _MISCONFIGURED:
            raise ConfigurationError("The request queue cannot be used; check its name and the role.") from error
        raise Unavailable("The request queue did not do the call.") from error
    except BotoCoreError as error:
        raise Unavailable("The request queue could not be reached.") from error
