"""One stage of CICADA, composed of its constructs."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnOutput, CliCredentialsStackSynthesizer, Environment, Stack
from constructs import Construct

from infra.constructs.agents import Agents
from infra.constructs.alarms import Alarms
from infra.constructs.audit_log import AuditLog
from infra.constructs.backup import Backup
from infra.constructs.cdk_functions import log_with_the_stack
from infra.constructs.conversation import Conversation
from infra.constructs.data_key import DataKey
from infra.constructs.document_trail import DocumentTrail
from infra.constructs.function import Functions
from infra.constructs.identity import Identity
from infra.constructs.ingest import Ingest
from infra.constructs.layers import Layers
from infra.constructs.message_processor import TIMEOUT_SECONDS, MessageProcessor
from infra.constructs.models import Models
from infra.constructs.page import Page
from infra.constructs.releases import Releases
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
        key = DataKey(self, "DataKey", settings=settings) if settings.data_key else None
        functions = Functions(settings, Layers(self, "Layers", settings=settings), {}, {})
        tables = Tables(self, "Tables", settings=settings)
        identity = Identity(self, "Identity", settings=settings)
        models = Models(self, "Models", settings=settings)
        search = Search(self, "Search", settings=settings, models=models, key=key)
        ingest = Ingest(self, "Ingest", functions=functions, models=models, search=search, tables=tables)
        documents = ingest.documents
        audit = AuditLog(self, "Audit", settings=settings)
        agents = Agents(
            self, "Agents", functions=functions, models=models, tables=tables, search=search, audit=audit, key=key
        )
        requests = RequestQueue(self, "RequestQueue", settings=settings, consumer_timeout_seconds=TIMEOUT_SECONDS)
        conversation = Conversation(
            self,
            "Conversation",
            functions=functions,
            identity=identity,
            tables=tables,
            requests=requests,
            search=search,
            audit=audit,
        )
        processor = MessageProcessor(
            self,
            "MessageProcessor",
            functions=functions,
            models=models,
            conversation=conversation,
            requests=requests,
            search=search,
            agents=agents,
            audit=audit,
            documents=documents,
        )
        alarms = Alarms(
            self, "Alarms", functions=functions, models=models, requests=requests, documents=documents, tables=tables
        )
        if functions.aliases:
            Releases(self, "Releases", releases=settings.releases, aliases=functions.aliases, alarms=alarms.by_name)
        documents.let_serve(functions.by_name["ws_open"])
        if settings.backup:
            self._put_out(Backup(self, "Backup", settings=settings, tables=tables, documents=documents).outputs)
        if settings.data_events == "create":
            DocumentTrail(self, "DocumentTrail", settings=settings, documents=documents.bucket)
        # The local stage serves the page itself.
        if settings.addresses.has_page and not settings.local:
            uploads = documents.upload_origins
            page = Page(self, "Page", settings=settings, api=conversation.api, identity=identity, uploads=uploads)
            self._put_out(page.outputs)
        self._put_out(identity.outputs | tables.outputs | requests.outputs | conversation.api.outputs)
        self._put_out(
            {
                "DocumentsBucket": documents.bucket.bucket_name,
                "IngestFunction": ingest.function.function_name,
                "ProcessorFunction": processor.function.function_name,
                "AuditLogGroup": audit.group.log_group_name,
                "DefaultTenant": settings.default_tenant,
                "DataKeyArn": key.arn if key else "",
            }
        )
        log_with_the_stack(self)
        if key:
            key.encrypt(self)
            key.let_use(functions.by_name.values())

    def _put_out(self, values: Mapping[str, str]) -> None:
        """Outputs that this stage does not have are left out."""
        for name, value in values.items():
            if value:
                CfnOutput(self, name, value=value)
