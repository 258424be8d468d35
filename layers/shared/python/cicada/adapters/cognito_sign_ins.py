"""The sign-ins of an Amazon Cognito user pool."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from cicada.errors import ConfigurationError, DependencyError, ThrottledError, UnavailableError
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_cognito_idp import CognitoIdentityProviderClient


class CognitoSignIns:
    """AdminUserGlobalSignOut revokes refresh tokens; access tokens stay valid to whoever only checks signatures."""

    def __init__(self, client: CognitoIdentityProviderClient, pool_id: str) -> None:
        self._client = client
        self._pool_id = pool_id

    def end(self, principal: Principal) -> float:
        try:
            reply = self._client.admin_user_global_sign_out(
                UserPoolId=self._pool_id, Username=principal.login or principal.user
            )
        except self._client.exceptions.UserNotFoundException as error:
            return replied_at(error.response)
        except ClientError as error:
            raise _translated(error) from error
        except BotoCoreError as error:
            raise UnavailableError("The user pool could not be reached.") from error
        return replied_at(reply)


def replied_at(reply: Mapping[str, Any]) -> float:
    """When Cognito replied, by its own clock and in whole seconds; by ours if it does not say.

    The times in tokens are by that clock too, and a machine from which an operator works may be minutes off.
    """
    date = reply["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    return parsedate_to_datetime(date).timestamp() if date else time.time()


def _translated(error: ClientError) -> DependencyError | ConfigurationError:
    code = error.response["Error"]["Code"]
    if code == "TooManyRequestsException":
        return ThrottledError("The user pool asks for fewer calls.")
    if code in ("AccessDeniedException", "NotAuthorizedException", "ResourceNotFoundException"):
        return ConfigurationError("The function may not end sign-ins of the user pool; check its role.")
    return UnavailableError("The user pool did not end the sign-ins.")
