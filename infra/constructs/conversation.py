"""The conversation: the WebSocket API and the functions behind its routes."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.audit_log import AuditLog
from infra.constructs.function import Functions, allow, configure
from infra.constructs.identity import Identity
from infra.constructs.request_queue import RequestQueue
from infra.constructs.search import Search
from infra.constructs.tables import HISTORY_INDEX, NOTED_INDEX, OWNERS_INDEX, Tables
from infra.constructs.websocket_api import WebSocketApi
from infra.prices import token_prices

# API Gateway waits this long for an integration.
_LONGEST_REPLY_SECONDS = 29
# A repeated message is answered as `resume` is: what was shown is shown again. The deletion of a conversation is
# recorded too, and what administrators do.
_RECORDED = ("ws_message", "ws_resume", "ws_open", "ws_control", "ws_admin")
# What is asked of the user pool for administrators. What a failed creation leaves is deleted.
_ACCOUNTS = (
    *("AdminAddUserToGroup", "AdminCreateUser", "AdminDeleteUser", "AdminDisableUser", "AdminEnableUser"),
    *("AdminGetUser", "AdminListGroupsForUser", "AdminRemoveUserFromGroup"),
    *("CreateGroup", "DeleteGroup", "GetGroup", "ListUsers", "ListUsersInGroup"),
)


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
        search: Search,
        audit: AuditLog,
    ) -> None:
        super().__init__(scope, id)
        self._settings = functions.settings
        self._tables = tables
        self._requests = requests
        self._pool = identity.pool
        authorizer = functions.add(self, "authorizer", environment=identity.token_settings)
        connect = functions.add(self, "ws_connect", environment=self._charged)
        connections = {"connections_table": tables.connections.table_name}
        disconnect = functions.add(self, "ws_disconnect", environment=connections)
        commands = self._commands(functions, search)
        self.api = WebSocketApi(self, "WebSocketApi", functions=functions)
        self._grant_connections(connect, disconnect)
        for command in commands.values():
            self._grant_entrance(command)
            allow(command, ["dynamodb:GetItem"], tables.connections.table_arn)
        audit.let_write(authorizer, connect, *(commands[name] for name in _RECORDED))
        search.grant_look_up(commands["ws_open"])
        self._grant_commands(**commands)

    @property
    def _charged(self) -> dict[str, str]:
        """The settings by which a connection or a command is charged: the request log has the users' rows too."""
        tables = self._tables
        return {"connections_table": tables.connections.table_name, "requests_table": tables.requests.table_name}

    def _commands(self, functions: Functions, search: Search) -> dict[str, lambda_.Function]:
        """The functions of the routes."""
        charged = self._charged
        pool = {"user_pool_id": self._pool.user_pool_id}
        environments = {
            # `join` gives these theirs.
            "ws_message": {},
            "ws_resume": {},
            "ws_control": {},
            "ws_open": charged | search.environment,
            "ws_sign_out": charged | pool,
            "ws_admin": charged | pool | self._administration,
        }
        return {
            name: functions.add(
                self, name, environment=environment, searches=name == "ws_open", timeout_seconds=_LONGEST_REPLY_SECONDS
            )
            for name, environment in environments.items()
        }

    def _grant_connections(self, connect: lambda_.Function, disconnect: lambda_.Function) -> None:
        """The user's row is charged; the heads of requests say which connections an answer is awaited on."""
        connections = self._tables.connections.table_arn
        configure(connect, {"callback_url": self.api.callback_url})
        allow(connect, ["dynamodb:PutItem"], connections)
        allow(connect, ["dynamodb:Query"], f"{connections}/index/{OWNERS_INDEX}")
        allow(connect, ["dynamodb:GetItem", "dynamodb:UpdateItem"], self._tables.requests.table_arn)
        self._grant_entrance(connect)
        allow(disconnect, ["dynamodb:DeleteItem"], connections)

    def _grant_entrance(self, function: lambda_.Function) -> None:
        """Every connection and command is charged to its user, by limits; a user's connections may be closed."""
        settings = self._settings
        limits = {
            "messages_per_minute": settings.messages_per_minute,
            "requests_in_flight": settings.requests_in_flight,
            "commands_per_minute": settings.commands_per_minute,
            "connections_per_user": settings.connections_per_user,
        }
        configure(function, limits)
        allow(function, ["dynamodb:DeleteItem"], self._tables.connections.table_arn)
        self.api.grant_post(function)
        self.api.grant_close(function)

    def _grant_sign_out(self, function: lambda_.Function) -> None:
        """Revoking is an update of the user's row; it also cancels the user's requests."""
        configure(function, {"callback_url": self.api.callback_url})
        allow(function, ["dynamodb:Query"], f"{self._tables.connections.table_arn}/index/{OWNERS_INDEX}")
        allow(function, ["dynamodb:GetItem", "dynamodb:UpdateItem"], self._tables.requests.table_arn)
        allow(function, ["cognito-idp:AdminUserGlobalSignOut"], self._pool.user_pool_arn)

    @property
    def _administration(self) -> dict[str, str]:
        settings = self._settings
        return {
            "administrators": settings.administrators,
            "default_tenant": settings.default_tenant,
            "tenant_tokens_per_day": str(settings.tenant_tokens_per_day),
            **token_prices(settings.chat_model_ids[0]),
        }

    def _grant_administration(self, function: lambda_.Function) -> None:
        """Only this function changes accounts, and only where the stage has administrators; else it refuses."""
        configure(function, {"callback_url": self.api.callback_url})
        allow(function, ["dynamodb:UpdateItem"], self._tables.requests.table_arn)
        if not self._settings.administrators:
            return
        self._grant_sign_out(function)
        allow(function, ["dynamodb:Query"], f"{self._tables.requests.table_arn}/index/{NOTED_INDEX}")
        if self._settings.tenant_tokens_per_day:
            allow(function, ["dynamodb:Query"], self._tables.requests.table_arn)
        allow(function, [f"cognito-idp:{each}" for each in _ACCOUNTS], self._pool.user_pool_arn)

    def _grant_opening(self, function: lambda_.Function) -> None:
        """Opening charges the user's row, and reads who may read the document, and what a list was made from."""
        configure(function, {"callback_url": self.api.callback_url})
        configure(function, {"readers_table": self._tables.access_lists.table_name})
        allow(function, ["dynamodb:GetItem", "dynamodb:UpdateItem"], self._tables.requests.table_arn)
        allow(function, ["dynamodb:BatchGetItem"], self._tables.access_lists.table_arn)

    def _grant_commands(
        self,
        ws_message: lambda_.Function,
        ws_resume: lambda_.Function,
        ws_control: lambda_.Function,
        ws_open: lambda_.Function,
        ws_sign_out: lambda_.Function,
        ws_admin: lambda_.Function,
    ) -> None:
        """Accepting stores requests, resuming reads and attaches; both may queue a request again and replay events."""
        self.join(ws_message, on_log=("GetItem", "PutItem", "Query", "UpdateItem"))
        self.join(ws_resume, on_log=("Query", "UpdateItem"))
        self.join(ws_control, on_log=("BatchGetItem", "BatchWriteItem", "GetItem", "Query", "UpdateItem"))
        # Users delete what is kept of them, their profiles and theories too.
        configure(ws_control, {"entries_table": self._tables.entries.table_name})
        allow(ws_control, ["dynamodb:BatchWriteItem", "dynamodb:Query"], self._tables.entries.table_arn)
        for function in (ws_message, ws_resume):
            allow(function, ["sqs:SendMessage"], self._requests.queue.queue_arn)
            configure(function, {"lease_seconds": self._settings.lease_seconds})
        configure(ws_message, {"retention_seconds": str(self._settings.request_days * 24 * 3600)})
        self.grant_history(ws_control)
        self._grant_opening(ws_open)
        self._grant_sign_out(ws_sign_out)
        self._grant_administration(ws_admin)

    def grant_history(self, function: lambda_.Function) -> None:
        """Let the function list a user's sessions, and the turns of a session."""
        allow(function, ["dynamodb:Query"], f"{self._tables.requests.table_arn}/index/{HISTORY_INDEX}")

    def join(self, function: lambda_.Function, *, on_log: Sequence[str]) -> None:
        """Give the function the conversation's settings, and allow these DynamoDB actions on the request log."""
        settings = {
            "requests_table": self._tables.requests.table_name,
            "connections_table": self._tables.connections.table_name,
            "readers_table": self._tables.access_lists.table_name,
            "requests_queue_url": self._requests.queue.queue_url,
            "callback_url": self.api.callback_url,
        }
        configure(function, settings)
        allow(function, [f"dynamodb:{action}" for action in on_log], self._tables.requests.table_arn)
        # Excerpts and earlier answers are checked before they are shown again.
        allow(function, ["dynamodb:BatchGetItem"], self._tables.access_lists.table_arn)
