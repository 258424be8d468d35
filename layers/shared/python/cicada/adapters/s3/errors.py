"""S3's failures as the library's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from cicada.errors import ConfigurationError, Throttled, Unavailable

# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
_THROTTLED = ("SlowDown", "Throttling", "RequestLimitExceeded", "TooManyRequests", "503")
_MISCONFIGURED = (
    "AccessDenied",
    "AllAccessDisabled",
    "AuthorizationHeaderMalformed",
    "InvalidAccessKeyId",
    "InvalidBucketName",
    "NoSuchBucket",
    "PermanentRedirect",
    "SignatureDoesNotMatch",
)


@contextmanager
def s3_errors() -> Iterator[None]:
    """Translate what boto3 raises inside; the cause is kept.

    Raises `Throttled`, `ConfigurationError` or `Unavailable`. That an object is not there is an answer and no
    failure: NoSuchKey passes through.
    """
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "NoSuchKey":
            raise
        if code.startswith(_THROTTLED):
            raise Throttled("The document store asks for fewer calls; try again in a moment.") from error
        if code.startswith(_MISCONFIGURED):
            raise ConfigurationError(
                f"The document store refused the call ({code}); check the bucket's name and the role, which needs "
                "s3:ListBucket besides reading and writing objects."
            ) from error
        raise Unavailable(f"The document store did not do the call ({code}); try again.") from error
    except NoCredentialsError as error:
        raise ConfigurationError(
            "There are no credentials for the document store; give the function a role."
        ) from error
    except BotoCoreError as error:
        raise Unavailable("The document store could not be reached; try again.") from error
