"""One stage of CICADA, composed of its constructs."""

from __future__ import annotations

from aws_cdk import CfnOutput, CliCredentialsStackSynthesizer, Environment, Stack
from constructs import Construct

from infra.constructs.agents import Agents
from infra.constructs.alarms import Alarms
from infra.constructs.audit_log import AuditLog
from infra.constructs.cdk_functions import log_with_the_stack
from infra.constructs.conversation import Conversation
from infra.constructs.document_trail import DocumentTrail
from infra.constructs.function import Functions
from infra.constructs.identity import Identity
from infra.constructs.ingest import Ingest
from infra.constructs.layers import Layers
from infra.constructs.message_processor import TIMEOUT_SECONDS, MessageProcessor
from infra.constructs.page import Page
from infra.constructs.request_queue import RequestQueue
from infra.constructs.search import Search
from infra.constructs.tables import Tables
from infra.settings import StageSettings


class CicadaStack(Stack):
    """Everything of one stage."""

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(
            scope,
            id,
            description=f"CICADA, a streaming question-answering backend: {settings.name}",
            # The models are chosen for a region: the stack can be deployed to no other.
            env=None if settings.local else Environment(region=settings.region),
            synthesizer=CliCredentialsStackSynthesizer() if settings.local else None,
        )
        functions = Functions(settings, Layers(self, "Layers", settings=settings), {})
        tables = Tables(self, "Tables", settings=settings)
        identity = Identity(self, "Identity", settings=settings)
        search = Search(self, "Search", settings=settings)
        ingest = Ingest(self, "Ingest", functions=functions, search=search, tables=tables)
        audit = AuditLog(self, "Audit", settings=settings)
        agents = Agents(self, "Agents", functions=functions, tables=tables, search=search, audit=audit)
        requests = RequestQueue(self, "RequestQueue", settings=settings, consumer_timeout_seconds=TIMEOUT_SECONDS)
        conversation = Conversation(
            self, "Conversation", functions=functions, identity=identity, tables=tables, requests=requests, audit=audit
        )
        MessageProcessor(
            self,
            "MessageProcessor",
            functions=functions,
            conversation=conversation,
            requests=requests,
            search=search,
            agents=agents,
            audit=audit,
        )
        Alarms(self, "Alarms", functions=functions, requests=requests, documents=ingest.documents, tables=tables)
        if settings.data_events == "create":
            DocumentTrail(self, "DocumentTrail", settings=settings, documents=ingest.documents.bucket)
        outputs = {
            "UserPoolId": identity.pool.user_pool_id,
            "UserPoolClientId": identity.client.user_pool_client_id,
            "DocumentsBucket": ingest.documents.bucket.bucket_name,
            "IngestFunction": ingest.function.function_name,
            "ConnectionsTable": tables.connections.table_name,
            "CallbackUrl": conversation.api.callback_url,
            "RequestsTable": tables.requests.table_name,
            "EntriesTable": tables.entries.table_name,
            "RequestsQueueUrl": requests.queue.queue_url,
            "AuditLogGroup": audit.group.log_group_name,
            "DeadLetterQueueUrl": requests.dead_letters.queue_url,
        }
        if settings.default_tenant:
            outputs["DefaultTenant"] = settings.default_tenant
        outputs |= self._page(settings, conversation, identity) | conversation.api.outputs
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)
        log_with_the_stack(self)

    def _page(self, settings: StageSettings, conversation: Conversation, identity: Identity) -> dict[str, str]:
        """Its outputs. The local stage serves the page itself."""
        if settings.local or not settings.addresses.has_page:
            return {}
        return dict(Page(self, "Page", settings=settings, api=conversation.api, identity=identity).outputs)
