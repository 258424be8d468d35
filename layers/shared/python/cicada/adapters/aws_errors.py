"""Failures of AWS services, and which calls are made again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import NoReturn, TypeVar

from botocore.eventstream import ParserError
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError, ParamValidationError
from botocore.parsers import ResponseParserError
from msgspec import Struct
from urllib3.exceptions import HTTPError, ReadTimeoutError

from cicada.errors import ConfigurationError, SilentModelError, StreamBrokenError, ThrottledError, UnavailableError
from cicada.observability.telemetry import count_refused_call


class _Service(Struct, frozen=True):
    """A call begins a context in which the service's errors are translated.

    `throttled`, `misconfigured`: prefixes of such codes. `answers`: codes that are no failure and pass through.
    `check`: what the operator should check after a configuration error.
    """

    name: str
    throttled: tuple[str, ...]
    misconfigured: tuple[str, ...]
    check: str
    answers: tuple[str, ...] = ()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Translate boto3's errors and chain the cause.

        Raises `ThrottledError`, `ConfigurationError` or `UnavailableError`.
        """
        try:
            yield
        except ClientError as error:
            # SQS prefixes the codes of its former protocol with "AWS.SimpleQueueService.".
            code = error.response.get("Error", {}).get("Code", "").rpartition(".")[2]
            if code in self.answers:
                raise
            if code.startswith(self.throttled):
                raise ThrottledError(f"The {self.name} asks for fewer calls; try again in a moment.") from error
            if code.startswith(self.misconfigured):
                raise ConfigurationError(f"The {self.name} refused the call ({code}); check {self.check}.") from error
            raise UnavailableError(f"The {self.name} did not do the call ({code}); try again.") from error
        except NoCredentialsError as error:
            raise ConfigurationError(
                f"There are no credentials for the {self.name}; give the function a role."
            ) from error
        except BotoCoreError as error:
            raise UnavailableError(f"The {self.name} could not be reached; try again.") from error


# How most services refuse credentials.
_UNKNOWN_CALLER = ("UnrecognizedClient", "MissingAuthenticationToken", "InvalidSignature", "IncompleteSignature")
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
dynamo_errors = _Service(
    "database",
    ("ProvisionedThroughputExceeded", "Throttling", "RequestLimitExceeded"),
    ("ResourceNotFound", "AccessDenied", "Validation", *_UNKNOWN_CALLER),
    "the table's name and the role",
    ("ConditionalCheckFailedException",),
)
# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
s3_errors = _Service(
    "document store",
    ("SlowDown", "Throttling", "RequestLimitExceeded", "TooManyRequests", "503"),
    (
        "AccessDenied",
        "AllAccessDisabled",
        "AuthorizationHeaderMalformed",
        "InvalidAccessKeyId",
        "InvalidBucketName",
        "NoSuchBucket",
        "PermanentRedirect",
        "SignatureDoesNotMatch",
    ),
    "the bucket's name and the role, which needs s3:ListBucket besides reading and writing objects",
    ("NoSuchKey", "PreconditionFailed", "ConditionalRequestConflict"),
)
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
sqs_errors = _Service(
    "request queue", (), ("AccessDenied", "QueueDoesNotExist", "NonExistentQueue"), "the queue's name and the role"
)

# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/CommonErrors.html
logs_errors = _Service(
    "audit log",
    ("Throttling", "LimitExceeded", "OperationAborted"),
    ("AccessDenied", "ResourceNotFound", "InvalidParameter", *_UNKNOWN_CALLER),
    "the log group's name and the role",
)

# https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/CommonErrors.html
user_pool_errors = _Service(
    "user pool",
    ("TooManyRequests", "Throttling", "LimitExceeded"),
    ("AccessDenied", "NotAuthorized", "ResourceNotFound", *_UNKNOWN_CALLER),
    "its id and the role",
    ("UserNotFoundException", "UsernameExistsException", "InvalidParameterException"),
)

# botocore: textract, the errors of StartDocumentTextDetection and GetDocumentTextDetection.
textract_errors = _Service(
    "text recognition",
    ("ProvisionedThroughputExceeded", "Throttling", "LimitExceeded"),
    (
        "AccessDenied",
        "IdempotentParameterMismatch",
        "InvalidKMSKey",
        "InvalidParameter",
        "InvalidS3Object",
        "SubscriptionRequired",
        *_UNKNOWN_CALLER,
    ),
    "the role, which needs to read the copy of the scan, and that the account may use Textract in this region",
    ("BadDocumentException", "DocumentTooLargeException", "UnsupportedDocumentException", "InvalidJobIdException"),
)

# Names in lower case: a refused call says "ThrottlingException", an event of a stream "throttlingException".
# https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and the pages of the operations.
_BEDROCK_THROTTLED = ("throttling", "toomanyrequests", "servicequotaexceeded", "modelnotready")
_BEDROCK_MISCONFIGURED = (
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

# A request that is no valid one is none of these: it is a fault of the code, and the answer fails.
_BEDROCK_REFUSED = (*_BEDROCK_THROTTLED, *(code for code in _BEDROCK_MISCONFIGURED if code != "validation"))


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
        _raise_for_bedrock_code(error, started)
    except (ParamValidationError, NoCredentialsError, NoRegionError) as error:
        raise ConfigurationError("The call to Bedrock cannot be made; check the settings and the role.") from error
    except (BotoCoreError, HTTPError, ParserError, ResponseParserError, IncompleteStreamError) as error:
        if started:
            raise StreamBrokenError("The answer broke off in the middle; it has to be generated again.") from error
        raise UnavailableError("Bedrock could not be reached, or broke off; try again.") from error


def _raise_for_bedrock_code(error: ClientError, started: bool) -> NoReturn:
    code = str(error.response.get("Error", {}).get("Code", ""))
    if started:
        raise StreamBrokenError(
            f"The answer broke off in the middle ({code}); it has to be generated again."
        ) from error
    if code.lower().startswith(_BEDROCK_REFUSED):
        count_refused_call()
    if code.lower().startswith(_BEDROCK_THROTTLED):
        raise ThrottledError("The model is asked too often at the moment; try again later.") from error
    if code.lower().startswith(_BEDROCK_MISCONFIGURED):
        raise ConfigurationError(
            f"Bedrock refused the call ({code}); check the model or agent id, its access and its limits."
        ) from error
    raise UnavailableError(f"Bedrock did not do the call ({code}); try again.") from error


T = TypeVar("T")


class Retry(Struct, frozen=True):
    """Exponential back-off with full jitter: before try n + 1, between 0 and min(cap, base · 2ⁿ⁻¹) seconds.

    `sleep` takes seconds, `chance` returns 0 to 1, `clock` seconds. `attempts` includes the first try; no try begins
    later than `within_seconds` after it.
    Source: M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015.
    """

    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    attempts: int = 3
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    within_seconds: float = math.inf
    clock: Callable[[], float] = time.monotonic

    def call(self, attempt: Callable[[], T]) -> T:
        """The result of `attempt`. Raises the last try's `ThrottledError` or `UnavailableError`, others at once.

        `SilentModelError` is raised at once too: a time that was waited for in vain is not waited for again.
        """
        until = self.clock() + self.within_seconds
        for failed in range(self.attempts - 1):
            try:
                return attempt()
            except SilentModelError:
                raise
            except (ThrottledError, UnavailableError):
                pause = self.chance() * min(self.cap_seconds, self.base_seconds * 2**failed)
                if self.clock() + pause >= until:
                    raise
                self.sleep(pause)
        return attempt()


STANDARD = Retry()


def retried_stream(start: Callable[[], Generator[T]], retry: Retry) -> Generator[T]:
    """The items of `start()`, which is retried if it fails before its first item. Closing this closes the stream.

    Raises what `bedrock_errors` raises.
    """
    return continued(lambda: retry.call(lambda: begun(start)))


def continued(begin: Callable[[], tuple[T, Generator[T]]]) -> Generator[T]:
    """The items of a stream that `begin` begins. Closing this closes the stream."""
    first, items = begin()
    with closing(items):
        yield first
        with bedrock_errors(started=True):
            yield from items


def begun(start: Callable[[], Generator[T]]) -> tuple[T, Generator[T]]:
    """The first item of `start()`, and what yields the others.

    Raises what `bedrock_errors` raises: `SilentModelError` if no item came in time, `UnavailableError` without one.
    """
    with bedrock_errors():
        items = start()
        try:
            for item in items:
                return item, items
        except ReadTimeoutError as error:  # Of urllib3; that of botocore is a subclass.
            raise SilentModelError("The model wrote nothing in time; try again.") from error
        raise IncompleteStreamError("The stream held nothing.")
