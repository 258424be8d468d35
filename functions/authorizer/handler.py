"""REQUEST authorizer of `$connect`: lets signed-in users open a connection."""

from __future__ import annotations

import time
from typing import Any

from aws_lambda_powertools.utilities.data_classes.api_gateway_websocket_event import APIGatewayWebSocketEvent

from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.authorizer import token_verifier
from cicada.entry.websocket import handshake
from cicada.errors import CicadaError, NotConnectedError
from cicada.identity import groups_text, offered_token
from cicada.observability.log import logger


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Returns an IAM policy; tenant, user, groups, login and the token's times are passed on to `$connect`.

    A token that cannot be checked because the keys are out of reach is an error (HTTP 500), not a refusal.
    """
    opening = APIGatewayWebSocketEvent(event)
    token = offered_token(opening.headers, opening.query_string_parameters)
    try:
        verified = token_verifier().verify(token)
    except NotConnectedError as error:
        logger.info("Refused a connection", extra={"reason": str(error)})
        record_audit(handshake(opening, time.time(), refused=str(error)))
        return _policy("anonymous", "Deny", event["methodArn"], {})
    except CicadaError as error:
        record_audit(handshake(opening, time.time(), refused=str(error)))
        raise
    who = {
        "tenant": verified.principal.tenant,
        "user": verified.principal.user,
        "groups": groups_text(verified.principal.groups),
        "login": verified.principal.login,
        "tokenIssuedAt": str(int(verified.issued_at)),
        "tokenExpiresAt": str(int(verified.expires_at)),
    }
    return _policy(verified.principal.user, "Allow", event["methodArn"], who)


def _policy(principal: str, effect: str, resource: str, context: dict[str, str]) -> dict[str, Any]:
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": resource}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
