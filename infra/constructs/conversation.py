"""The conversation: the WebSocket API and the functions behind its routes."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.function import Functions, configure
from infra.constructs.identity import Identity
from infra.constructs.request_queue import RequestQueue
from infra.constructs.tables import Tables
from infra.constructs.websocket_api import WebSocketApi

# API Gateway waits this long for an integration.
_LONGEST_REPLY_SECONDS = 29


class Conversation(Construct):
    """Opening and closing connections, accepting messages, resuming, cancelling, history."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Functions,
        identity: Identity,
        tables: Tables,
        requests: RequestQueue,
    ) -> None:
        super().__init__(scope, id)
        self._tables = tables
        self._requests = requests
        connections = {"connections_table": tables.connections.table_name}
        authorizer = functions.add(self, "authorizer", environment=identity.token_settings)
        connect = functions.add(self, "ws_connect", environment=connections)
        disconnect = functions.add(self, "ws_disconnect", environment=connections)
        commands = {
            name: functions.add(self, name, environment={}, timeout_seconds=_LONGEST_REPLY_SECONDS)
            for name in ("ws_message", "ws_resume", "ws_control")
        }
        self.api = WebSocketApi(
            self,
            "WebSocketApi",
            settings=functions.settings,
            authorizer=authorizer,
            connect=connect,
            disconnect=disconnect,
            commands=commands,
        )
        tables.connections.grant_write_data(connect)
        tables.connections.grant_write_data(disconnect)
        for command in commands.values():
            tables.connections.grant_read_data(command)
            self.join(command)
        limits = functions.settings
        configure(
            commands["ws_message"],
            {"messages_per_minute": limits.messages_per_minute, "requests_in_flight": limits.requests_in_flight},
        )

    def join(self, function: lambda_.Function) -> None:
        """Let the function take part: read and write the request log, queue requests, post to connections."""
        settings = {
            "requests_table": self._tables.requests.table_name,
            "connections_table": self._tables.connections.table_name,
            "requests_queue_url": self._requests.queue.queue_url,
            "callback_url": self.api.callback_url,
        }
        configure(function, settings)
        self._tables.requests.grant_read_write_data(function)
        self._requests.queue.grant_send_messages(function)
        self.api.grant_post(function)
