"""Translates Bedrock's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from botocore.eventstream import ParserError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
)
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError

from cicada.errors import ConfigurationError, StreamBrokenError, ThrottledError, UnavailableError

# In lower case: a refused call says "ThrottlingException", an event of a stream "throttlingException".
# https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and the pages of the operations.
_THROTTLED = ("throttling", "toomanyrequests", "servicequotaexceeded", "modelnotready")
_MISCONFIGURED = (
    "accessdenied",
    "resourcenotfound",
    "validation",
    "unrecognizedclient",
    "incompletesignature",
    "invalidsignature",
    "missingauthentication",
    "notauthorized",
    "optinrequired",
)


class IncompleteStreamError(Exception):
    """A stream ended without an error but also without its required last event."""


@contextmanager
def bedrock_errors(started: bool = False) -> Iterator[None]:
    """Translate boto3's errors and chain the cause.

    `started`: the first piece of a stream was sent, so every failure is `StreamBrokenError`. Otherwise
    `ThrottledError`, `UnavailableError`, or `ConfigurationError` if a retry cannot help. A stream fails in four ways,
    of which only the first is a ClientError: an exception event, a dropped connection (urllib3), a stall (urllib3 or
    botocore), bytes that are no event (botocore's parser).
    """
    try:
        yield
    except ClientError as error:
        _raise_for_code(error, started)
    except (ParamValidationError, NoCredentialsError, NoRegionError) as error:
        raise ConfigurationError("The call to Bedrock cannot be made; check the settings and the role.") from error
    except (BotoCoreError, HTTPError, ParserError, ResponseParserError, IncompleteStreamError) as error:
        if started:
            raise StreamBrokenError("The answer broke off in the middle; it has to be generated again.") from error
        raise UnavailableError("Bedrock could not be reached, or broke off; try again.") from error


def _raise_for_code(error: ClientError, started: bool) -> NoReturn:
    code = str(error.response.get("Error", {}).get("Code", ""))
    if started:
        raise StreamBrokenError(
            f"The answer broke off in the middle ({code}); it has to be generated again."
        ) from error
    if code.lower().startswith(_THROTTLED):
        raise ThrottledError("The model is asked too often at the moment; try again later.") from error
    if code.lower().startswith(_MISCONFIGURED):
        raise ConfigurationError(
            f"Bedrock refused the call ({code}); check the model or agent id, its access and its limits."
        ) from error
    raise UnavailableError(f"Bedrock did not do the call ({code}); try again.") from error
