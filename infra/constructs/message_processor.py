"""The message processor: takes queued requests and answers them."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.agents import Agents
from infra.constructs.audit_log import AuditLog
from infra.constructs.conversation import Conversation
from infra.constructs.documents import Documents
from infra.constructs.function import Functions, allow, configure, consume
from infra.constructs.grounding import GroundingGuardrail
from infra.constructs.models import Models, guardrail_arn
from infra.constructs.request_queue import RequestQueue
from infra.constructs.search import Search
from infra.settings import StageSettings

TIMEOUT_SECONDS = 300
_STAND_IN_GUARDRAIL = "grounding:1"


class MessageProcessor(Construct):
    """One message an invocation: an answer occupies its processor until it has ended."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Functions,
        models: Models,
        conversation: Conversation,
        requests: RequestQueue,
        search: Search,
        agents: Agents,
        audit: AuditLog,
        documents: Documents,
    ) -> None:
        super().__init__(scope, id)
        settings = functions.settings
        environment = _answering(settings) | search.query_environment | agents.environment
        self.function = functions.add(
            self, "message_processor", environment=environment, searches=True, timeout_seconds=TIMEOUT_SECONDS
        )
        self._join(conversation, requests.dead_letters)
        search.grant_read(self.function)
        agents.grant_use(self.function)
        audit.let_write(self.function)
        documents.let_compare(self.function)
        self._grant_models(settings, models)
        self._judge_sentences(settings)
        self._consume(requests.queue, settings, functions.live("message_processor"))

    def _join(self, conversation: Conversation, dead_letters: sqs.Queue) -> None:
        conversation.join(self.function, on_log=("GetItem", "PutItem", "Query", "UpdateItem"))
        # The turns before a question.
        conversation.grant_history(self.function)
        conversation.api.grant_post(self.function)
        configure(self.function, {"dead_letter_queue_url": dead_letters.queue_url})
        allow(self.function, ["sqs:SendMessage"], dead_letters.queue_arn)

    def _grant_models(self, settings: StageSettings, models: Models) -> None:
        models.allow(self.function, ["bedrock:InvokeModelWithResponseStream"], settings.chat_model_ids)
        models.allow(self.function, ["bedrock:InvokeModel"], settings.plan_model_ids)
        if settings.guardrail:
            allow(self.function, ["bedrock:ApplyGuardrail"], guardrail_arn(settings.guardrail))

    def _judge_sentences(self, settings: StageSettings) -> None:
        if settings.grounding == "words":
            return
        if settings.local:
            # The emulator makes no guardrails, and the stand-in needs none to judge.
            configure(self.function, {"grounding_guardrail": _STAND_IN_GUARDRAIL})
            return
        guardrail = GroundingGuardrail(self, "Grounding", name=f"{settings.prefix}-grounding")
        configure(self.function, {"grounding_guardrail": guardrail.version})
        allow(self.function, ["bedrock:ApplyGuardrail"], guardrail.arn)

    def _consume(self, queue: sqs.Queue, settings: StageSettings, live: lambda_.IFunction) -> None:
        most = None if settings.local else settings.concurrency.answers
        consume(self.function, queue, batch_size=1, max_concurrency=most, live=live)
        # On AWS one mapping serves all message groups.
        mappings = settings.local.processors if settings.local else 1
        for number in range(2, mappings + 1):
            lambda_.EventSourceMapping(
                self,
                f"Mapping{number}",
                target=live,
                event_source_arn=queue.queue_arn,
                batch_size=1,
                report_batch_item_failures=True,
            )


def _answering(settings: StageSettings) -> dict[str, str]:
    return {
        "chat_model_ids": ",".join(settings.chat_model_ids),
        "chat_temperature": settings.chat_temperature,
        "chat_max_tokens": settings.chat_max_tokens,
        "first_text_seconds": settings.first_text_seconds,
        "next_text_seconds": settings.next_text_seconds,
        "guardrail": settings.guardrail,
        "planner": settings.planner,
        "plan_model_ids": ",".join(settings.plan_model_ids),
        "lease_seconds": settings.lease_seconds,
        "tenant_tokens_per_day": str(settings.tenant_tokens_per_day),
        # Longer than an ingest takes, which writes the ground truth first; the local stage's files are small.
        "settled_seconds": "5" if settings.local else "900",
    }
