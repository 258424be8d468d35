"""Frames to open connections through API Gateway's management endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from cicada.errors import ConfigurationError, ConnectionGoneError, ThrottledError, UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient


class ApiGatewayChannel:
    """Calls PostToConnection, which does not guarantee the order of delivery; events are therefore numbered."""

    def __init__(self, client: ApiGatewayManagementApiClient) -> None:
        self._client = client

    def post(self, connection_id: str, frame: str) -> None:
        try:
            self._client.post_to_connection(ConnectionId=connection_id, Data=frame.encode())
        except ClientError as error:
            raise _translated(error) from error
        except BotoCoreError as error:
            raise UnavailableError("The connection endpoint could not be reached.") from error

    def close(self, connection_id: str) -> None:
        try:
            self._client.delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            translated = _translated(error)
            if not isinstance(translated, ConnectionGoneError):
                raise translated from error
        except BotoCoreError as error:
            raise UnavailableError("The connection endpoint could not be reached.") from error


def _translated(error: ClientError) -> ConnectionGoneError | ThrottledError | ConfigurationError | UnavailableError:
    code = error.response["Error"]["Code"]
    # A malformed id is a BadRequestException: no such connection can exist.
    if code in ("GoneException", "410", "BadRequestException"):
        return ConnectionGoneError("The connection does not exist any more.")
    if code in ("LimitExceededException", "TooManyRequestsException"):
        return ThrottledError("The connection endpoint asks for fewer posts.")
    if code in ("ForbiddenException", "AccessDeniedException"):
        return ConfigurationError("The function may not post to connections; check its role.")
    return UnavailableError("The connection endpoint did not take the frame.")
