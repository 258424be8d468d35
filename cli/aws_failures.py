"""What an operator can do about a call that AWS refused, or that did not reach AWS: one sentence each.

The codes that every service has: https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html. The exceptions
are those of `botocore.exceptions`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cli.errors import CommandError
from cli.text import clean_line

_SIGN_IN = "run `aws sso login`, `aws login` or `aws configure`, or set AWS_PROFILE"
_EXPIRED_CODES = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"})
_UNKNOWN_KEY_CODES = frozenset(
    {
        "AuthFailure",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "MissingAuthenticationToken",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
_CLOCK_CODES = frozenset({"RequestTimeTooSkewed", "RequestInTheFuture"})
_DENIED_CODES = ("AccessDenied", "UnauthorizedOperation", "NotAuthorized", "AuthorizationError", "Forbidden", "403")
_NOT_SUBSCRIBED_CODES = frozenset({"OptInRequired", "SubscriptionRequiredException", "InvalidSubscription"})
_BUSY_CODES = ("Throttl", "TooManyRequests", "RequestLimitExceeded", "SlowDown", "ServiceUnavailable", "Internal")
_UNSIGNED_IN = frozenset(
    {
        "CredentialRetrievalError",
        "LoginRefreshRequired",
        "LoginTokenLoadError",
        "NoAuthTokenError",
        "NoCredentialsError",
        "PartialCredentialsError",
        "SSOTokenLoadError",
        "TokenRetrievalError",
        "UnauthorizedSSOTokenError",
    }
)
_EXPIRED_SIGN_INS = frozenset(
    {"LoginRefreshRequired", "SSOTokenLoadError", "TokenRetrievalError", "UnauthorizedSSOTokenError"}
)
_ACTION = re.compile(r"perform: ([\w-]+:\w+)")


@contextmanager
def aws_calls() -> Iterator[None]:
    """Within the block botocore's exceptions are raised as `CommandError`."""
    from botocore.exceptions import BotoCoreError, ClientError  # imported late: botocore is slow to import

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise failure_of(error) or CommandError(f"AWS cannot be reached: {error}") from error


def failure_of(error: BaseException) -> CommandError | None:
    """The sentence for one of botocore's exceptions; None for any other exception."""
    if "botocore.exceptions" not in sys.modules:
        return None
    from botocore.exceptions import BotoCoreError, ClientError

    if isinstance(error, ClientError):
        return _refusal(error)
    return _unreached(error) if isinstance(error, BotoCoreError) else None


def failed_sign_in(error: BaseException) -> CommandError | None:
    """The sentence for an exception that was caused by a sign-in that AWS does not know, or no longer; else None.

    The library takes it for a failure of the service that was called.
    """
    cause = error.__cause__
    while cause is not None:
        if type(cause).__name__ in _UNSIGNED_IN or code_of(cause) in _EXPIRED_CODES | _UNKNOWN_KEY_CODES:
            return failure_of(cause)
        cause = cause.__cause__
    return None


def is_denied(error: BaseException) -> bool:
    """Whether AWS knows the caller and does not allow the call, or does not know the caller."""
    code = code_of(error)
    return code.startswith(_DENIED_CODES) or code in _EXPIRED_CODES | _UNKNOWN_KEY_CODES


def code_of(error: BaseException) -> str:
    """The code of a `ClientError`; empty for any other exception."""
    # SQS prefixes the codes of its former protocol with "AWS.SimpleQueueService.".
    return _said(error, "Code").rpartition(".")[2]


def message_of(error: BaseException) -> str:
    """What AWS says about a `ClientError`, on one line; empty for any other exception."""
    return clean_line(_said(error, "Message"))


def _said(error: BaseException, part: str) -> str:
    response = getattr(error, "response", None)
    problem = response.get("Error", {}) if isinstance(response, dict) else {}
    return str(problem.get(part, ""))


def _refusal(error: BaseException) -> CommandError:
    code, message = code_of(error), message_of(error)
    operation = str(getattr(error, "operation_name", "the call"))
    if code in _EXPIRED_CODES:
        return CommandError(f"The AWS login has expired: {_SIGN_IN}.")
    if code in _UNKNOWN_KEY_CODES:
        return CommandError(f"AWS does not know these credentials ({code}): {_SIGN_IN}.")
    if code in _CLOCK_CODES:
        return CommandError(f"AWS refuses the time of this machine ({code}): set its clock.")
    if code.startswith(_DENIED_CODES):
        return CommandError(
            f"These AWS credentials may not do that: allow {_action(message, operation)}, or use others."
        )
    if code in _NOT_SUBSCRIBED_CODES:
        return CommandError(f"The AWS account cannot use this service yet ({code}): complete its registration.")
    if code.startswith(_BUSY_CODES):
        return CommandError(f"AWS is busy ({operation}: {code}): try again in a minute.")
    return CommandError(f"AWS refused {operation} ({code}){f': {_ended(message)}' if message else '.'}")


def _action(message: str, operation: str) -> str:
    found = _ACTION.search(message)
    return found[1] if found else operation


def _unreached(error: BaseException) -> CommandError:
    name = type(error).__name__
    if name == "NoRegionError":
        return CommandError("It is not clear in which region the stack is: set AWS_REGION.", 2)
    if name == "InvalidRegionError":
        return CommandError(f"{_ended(str(error))} Set AWS_REGION to a region's name, such as eu-central-1.", 2)
    if name == "NoCredentialsError":
        return CommandError(f"There are no AWS credentials: {_SIGN_IN}.", 2)
    if name == "ProfileNotFound":
        return CommandError(f"{_ended(str(error))} `aws configure list-profiles` shows those that there are.", 2)
    if name in _EXPIRED_SIGN_INS:
        return CommandError(f"The AWS login has expired: {_SIGN_IN}.")
    if name in _UNSIGNED_IN:
        return CommandError(f"The AWS credentials cannot be used: {_ended(str(error))} Then {_SIGN_IN}.", 2)
    if name in ("ConfigParseError", "ConfigNotFound"):
        return CommandError(f"The files of the AWS command line cannot be used: {_ended(str(error))}", 2)
    if name in ("EndpointConnectionError", "ConnectTimeoutError", "UnknownEndpointError"):
        return CommandError(f"AWS cannot be reached: {_ended(str(error))} Check the network and AWS_REGION.")
    return CommandError(f"AWS cannot be reached: {_ended(str(error))}")


def _ended(text: str) -> str:
    """The text as a sentence."""
    line = clean_line(text)
    return line if line.endswith((".", "!", "?")) else f"{line}."
