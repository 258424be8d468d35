"""Wires the WebSocket functions."""

from __future__ import annotations

import time
from functools import cache

from msgspec import Struct

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.dynamodb.reader_table import DynamoReaderTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.sqs.request_queue import SqsRequestQueue
from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.aws import client, connection_endpoint, database
from cicada.bootstrap.entrance import entrance
from cicada.conversation.accept import Accepter
from cicada.conversation.limits import UsageLimits
from cicada.conversation.ports import RequestLog
from cicada.conversation.resume import Resumer
from cicada.conversation.withholding import Withholding
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions.gate import PermissionGate
from cicada.settings import ConversationSettings, load


class Conversation(Struct, frozen=True):
    """The use cases of a connection's commands, and the ports that the smaller ones take."""

    log: RequestLog
    accepter: Accepter
    resumer: Resumer
    limits: UsageLimits
    withholding: Withholding


def _bases() -> KnowledgeBases:
    # Imported here: most commands need none.
    from cicada.knowledge_bases.file import load_knowledge_bases

    return load_knowledge_bases()


@cache
def conversation() -> Conversation:
    settings = load(ConversationSettings)
    tables = database()
    log = DynamoRequestLog(tables, settings.requests_table, time.time)
    queue = SqsRequestQueue(client("sqs"), settings.requests_queue_url)
    channel = ApiGatewayChannel(connection_endpoint(settings.callback_url))
    limits = entrance().limits
    withholding = Withholding(PermissionGate(DynamoReaderTable(tables, settings.readers_table)), _bases)
    resumer = Resumer(log, queue, channel, time.time, withholding, record_audit, limits, settings.lease_seconds)
    accepter = Accepter(log, queue, resumer, time.time, settings.retention_seconds, limits, _bases)
    return Conversation(log, accepter, resumer, limits, withholding)
