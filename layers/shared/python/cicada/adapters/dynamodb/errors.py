"""DynamoDB's failures as the library's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from cicada.errors import ConfigurationError, Throttled, Unavailable

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
_THROTTLED = ("ProvisionedThroughputExceeded", "Throttling", "RequestLimitExceeded")
_MISCONFIGURED = (
    "ResourceNotFound",
    "AccessDenied",
    "Validation",
    "UnrecognizedClient",
    "MissingAuthenticationToken",
    "InvalidSignature",
    "IncompleteSignature",
)


@contextmanager
def dynamo_errors() -> Iterator[None]:
    """Translate what boto3 raises inside; the cause is kept.

    Raises `Throttled`, `ConfigurationError` or `Unavailable`. A refused condition is an answer and no failure:
    ConditionalCheckFailedException passes through.
    """
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ConditionalCheckFailedException":
            raise
        if code.startswith(_THROTTLED):
            raise Throttled("The database asks for fewer calls; try again in a moment.") from error
        if code.startswith(_MISCONFIGURED):
            raise ConfigurationError(
                f"The database refused the call ({code}); check the table's name and the role."
            ) from error
        raise Unavailable(f"The database did not do the call ({code}); try again.") from error
    except BotoCoreError as error:
        raise Unavailable("The database could not be reached; try again.") from error
