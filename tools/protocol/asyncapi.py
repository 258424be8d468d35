"""The AsyncAPI 3 document: where a client connects, the commands of each route, and the replies.

Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from cicada.conversation.protocol import FRAME_LIMIT_BYTES, MESSAGE_LIMIT_BYTES
from tools.protocol.frames import ALL, COMMANDS, EVENTS, wire_name
from tools.protocol.schemas import definitions

Document = dict[str, Any]

_CHANNEL = "#/channels/conversation"
# API Gateway's routes, from the table in infra/routes.py.
_ROUTE_SELECTION = "$request.body.action"
# The immediate reply to a command, besides the events of its request; any command may be refused.
_REPLIES = {
    "sendMessage": ("Accepted", "Pending"),
    "resume": ("Pending",),
    "cancel": (),
    "history": ("HistoryPage",),
    "changeSession": ("SessionChanged",),
    "deleteSession": ("SessionChanged",),
    "shareSession": ("SessionShared",),
    "unshareSession": ("SessionShared",),
    "openShared": ("SharedPage",),
    "eraseMine": ("Erased",),
    "feedback": ("FeedbackKept",),
    "openDocument": ("DocumentPage",),
    "listKnowledgeBases": ("KnowledgeBasesListed",),
    "listDocuments": ("DocumentsPage",),
    "listMore": ("ListingPage",),
    "uploadDocument": ("UploadForm",),
    "describeDocument": ("DocumentDescription",),
    "removeDocument": ("DocumentRemoved",),
    "listUsers": ("UsersPage",),
    "addUser": ("UserChanged",),
    "disableUser": ("UserChanged",),
    "enableUser": ("UserChanged",),
    "setGroups": ("UserChanged",),
    "readUse": ("UseRead",),
    "readFeedback": ("RatingsRead",),
    "readFailures": ("FailuresRead",),
    "ping": ("Pong",),
    "signOutEverywhere": (),
}
_DESCRIPTION = """\
One WebSocket carries JSON text frames both ways. API Gateway chooses a route by the field `action` of what a client \
sends; what the server sends is told apart by `type`. Events of a request have a `seq`, replies to a command have \
none. docs/protocol.md says what a client must do with them. Fields that are not described here are to be ignored."""


def document() -> Document:
    """The whole document, as it is published."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "CICADA's WebSocket protocol",
            "version": "1",
            "description": _DESCRIPTION,
            "license": {"name": "MIT"},
            "x-frame-limit-bytes": FRAME_LIMIT_BYTES,
            "x-message-limit-bytes": MESSAGE_LIMIT_BYTES,
        },
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {"conversation": _channel()},
        "operations": _operations(),
        "components": {
            "schemas": definitions("#/components/schemas/{name}"),
            "messages": {model.__name__: _message(model) for model in ALL},
            "securitySchemes": _security_schemes(),
        },
    }


def _servers() -> Document:
    schemes = [{"$ref": f"#/components/securitySchemes/{name}"} for name in _security_schemes()]
    return {
        "aws": {
            "host": "{api}.execute-api.{region}.amazonaws.com",
            "pathname": "/v1",
            "protocol": "wss",
            "description": "A deployed stage; its address is an output of the stack.",
            "variables": {"api": {"description": "The id of the API."}, "region": {"description": "The AWS region."}},
            "security": schemes,
        },
        "local": {
            "host": "127.0.0.1:{port}",
            "pathname": "/_aws/execute-api/cicada/v1",
            "protocol": "ws",
            "description": "The local stage. It takes the token in the query only.",
            "variables": {"port": {"default": "4566"}},
            "security": [{"$ref": "#/components/securitySchemes/query"}],
        },
    }


def _security_schemes() -> Document:
    return {
        "subprotocol": {
            "type": "httpApiKey",
            "in": "header",
            "name": "Sec-WebSocket-Protocol",
            "description": "`cicada.v1, <access token>`. The reply chooses `cicada.v1`.",
        },
        "query": {"type": "httpApiKey", "in": "query", "name": "token", "description": "The access token."},
    }


def _channel() -> Document:
    names = [model.__name__ for model in ALL]
    return {
        "address": "/",
        "description": "The one connection of a client.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
        "x-route-selection-expression": _ROUTE_SELECTION,
    }


def _message(model: type[Struct]) -> Document:
    """A message, named as on the wire: a command by its `action`, a frame of the server by its `type`."""
    return {
        "name": wire_name(model),
        "title": model.__name__,
        "summary": (model.__doc__ or "").partition("\n\n")[0],
        "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
    }


def _operations() -> Document:
    commands = {wire_name(model): _command(model) for model in COMMANDS}
    events = {
        "action": "send",
        "channel": {"$ref": _CHANNEL},
        "summary": "The events of a request, to the connection that asked or resumed last.",
        "messages": _references(model.__name__ for model in EVENTS),
    }
    refuse = {
        "action": "send",
        "channel": {"$ref": _CHANNEL},
        "summary": "What is no command is refused, and the connection lives on.",
        "messages": _references(["Refusal"]),
        "x-route-key": "$default",
    }
    return commands | {"events": events, "refuse": refuse}


def _command(model: type[Struct]) -> Document:
    action = wire_name(model)
    return {
        "action": "receive",
        "channel": {"$ref": _CHANNEL},
        "summary": (model.__doc__ or "").partition("\n\n")[0],
        "messages": _references([model.__name__]),
        "reply": {"channel": {"$ref": _CHANNEL}, "messages": _references([*_REPLIES[action], "Refusal"])},
        "x-route-key": action,
    }


def _references(names: Iterable[str]) -> list[Mapping[str, str]]:
    return [{"$ref": f"{_CHANNEL}/messages/{name}"} for name in names]
