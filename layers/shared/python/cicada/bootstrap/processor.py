"""Wires the message processor."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.bedrock.chat_model import BedrockChatModel, ConverseModel, ModelChain, Patience
from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.token_counter import DynamoTokenCounter
from cicada.adapters.sqs import SqsRequestQueue
from cicada.agents.agents import AgentOnDemand
from cicada.agents.model import Agent, AgentSearch
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.answering.answer import Answerer
from cicada.answering.asked_writes import asked_writes
from cicada.answering.in_force import OtherVersions
from cicada.answering.listing import ListingAnswerer
from cicada.answering.other_bases import OtherBases
from cicada.answering.passages import PassageAnswerer
from cicada.answering.process import Processor, TokenQuota
from cicada.answering.pump import STEADY
from cicada.answering.question_planner import QuestionPlanner
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.bootstrap.audit import answer_audit
from cicada.bootstrap.aws import client, connection_endpoint, database
from cicada.bootstrap.bases import knowledge_bases
from cicada.bootstrap.conversation import chosen_planner
from cicada.bootstrap.index import passage_index
from cicada.bootstrap.search import evidence_loop, knowledge_search, search_backend, today
from cicada.conversation.memory import LoggedConversation
from cicada.conversation.model import EPISODE
from cicada.conversation.withholding import Withholding
from cicada.document_routing.naming import Dispatcher
from cicada.grounding.checking import Judge, by_counting
from cicada.identity import Principal
from cicada.knowledge_bases.calibrations import Cosines
from cicada.observability.log import (
    report_counted_sentences,
    report_failed_answer,
    report_model_fallback,
    report_planning_fault,
    report_uncounted_tokens,
)
from cicada.observability.metrics import AnswerMetrics, StageMetrics
from cicada.permissions import PermissionGate, readable_passages
from cicada.retrieval.completeness import CheckIndex, IndexCompleteness
from cicada.retrieval.ports import CataloguedIndex, KeptDocuments, SearchBackend
from cicada.retrieval.rerank.local import RELEVANCE_MAP
from cicada.settings import AgentSettings, ModelSettings, ProcessorSettings, load
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada.understanding.planners import GuardedPlanner

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

# Of one sentence, whose answer waits for it.
_JUDGED_WITHIN_SECONDS = 5


@cache
def processor() -> Processor:
    """Cached for the life of the container: it holds clients and settings, no data of a request."""
    settings = load(ProcessorSettings)
    conversation = settings.conversation
    log = DynamoRequestLog(database(), conversation.requests_table, time.time)
    access_lists = DynamoAccessListTable(database(), conversation.readers_table)
    withholding = Withholding(PermissionGate(access_lists), knowledge_bases)
    return Processor(
        log=log,
        channel=ApiGatewayChannel(connection_endpoint(conversation.callback_url)),
        queue=SqsRequestQueue(client("sqs"), conversation.requests_queue_url, settings.dead_letter_queue_url),
        answerer=answerer(),
        clock=time.time,
        lease_seconds=conversation.lease_seconds,
        heartbeat_seconds=conversation.heartbeat_seconds,
        report=report_failed_answer,
        pace=STEADY,
        memory=LoggedConversation(log, withholding),
        observe=AnswerMetrics(settings.stage, settings.model.models).observe,
        waited=StageMetrics(settings.stage).waited,
        audit=answer_audit(settings.model.models, settings.agent.agent_model_id),
        quota=_quota(settings),
    )


def _quota(settings: ProcessorSettings) -> TokenQuota | None:
    if not settings.tenant_tokens_per_day:
        return None
    counter = DynamoTokenCounter(database(), settings.conversation.requests_table)
    return TokenQuota(counter, settings.tenant_tokens_per_day, time.time, report_uncounted_tokens)


@cache
def answerer() -> Answerer:
    """The processor's answerer; console test events use it directly."""
    settings = load(ProcessorSettings)
    # The adapters retry by themselves, only before the first piece of an answer.
    bedrock = client("bedrock-runtime", read_timeout_seconds=settings.model.first_text_seconds, attempts=1)
    models = [_converse_model(settings.model, each) for each in settings.model.models]
    chat = BedrockChatModel(bedrock, ModelChain(models, report=report_model_fallback), _patience(settings.model))
    index = passage_index(settings.search)
    search, gate = knowledge_search(settings.search, index, knowledge_bases()), PermissionGate(index)
    completeness = _completeness(settings, index)
    classifier = MessageClassifier(search.bases, load_model())
    rules = RulesPlanner(
        classifier.classify,
        SchemaPlanner(),
        asks_change=lambda message: bool(asked_writes(message)),
        asks=classifier.model.asks,
    )
    planner = chosen_planner(settings.planner, GuardedPlanner(rules, report_planning_fault), classifier.threshold)
    has_documents = partial(_has_documents, index, completeness.check)
    episodes = partial(_episodes, index, completeness.check)
    loop = evidence_loop(settings.search)
    judging = replace(loop, rewriters=())
    agent_search = PermittedAgentSearch(search, gate, index, judging, completeness.check, today)
    return Answerer(
        plan=QuestionPlanner(planner, search.bases, partial(datetime.now, UTC), has_documents, episodes).plan,
        passages=PassageAnswerer(search, chat, gate, loop, completeness.check, OtherVersions(index, gate)),
        whole_documents=WholeDocumentAnswerer(Dispatcher(index), search.bases, gate, chat),
        listings=ListingAnswerer(index, search.bases, gate, completeness.check),
        agent=AgentOnDemand(cache(partial(_agent, settings.agent, bedrock, agent_search, settings.model))),
        model=chat,
        other_bases=OtherBases(index, search.bases),
        judge=_judge(settings.grounding_guardrail),
    )


def _has_documents(index: CataloguedIndex, check_index: CheckIndex, principal: Principal, base: str) -> bool:
    if index.count_documents(readable_passages(principal, base)):
        return True
    check_index(principal, base)
    return False


def _episodes(index: CataloguedIndex, check_index: CheckIndex, principal: Principal, base: str) -> frozenset[str]:
    groups = index.aggregate(readable_passages(principal, base), (), (EPISODE,)).groups
    found = frozenset(str(each.values[0]) for each in groups if each.values[0] is not None)
    if not found:
        check_index(principal, base)
    return found


def _judge(guardrail: str) -> Judge:
    if not guardrail:
        return by_counting
    # Imported here: by default nobody is asked.
    from cicada.adapters.bedrock.grounding import BedrockGroundingJudge

    bedrock = client("bedrock-runtime", read_timeout_seconds=_JUDGED_WITHIN_SECONDS, attempts=2)
    return BedrockGroundingJudge(bedrock, guardrail, report_counted_sentences)


def probe_at_once(event: dict[str, Any]) -> dict[str, Any]:
    """What is found for the questions of an event, by the search that answers."""
    # Imported here: nearly all that a processor does is to answer.
    from cicada.retrieval.probing import probed

    settings = load(ProcessorSettings).search

    def backend(cosines: Cosines | None) -> SearchBackend:
        relevance = RELEVANCE_MAP.with_cosines(cosines)
        return search_backend(settings, passage_index(settings), lambda _: relevance)

    return probed(event, backend, knowledge_bases())


def _completeness(settings: ProcessorSettings, index: CataloguedIndex) -> IndexCompleteness:
    @cache
    def kept() -> KeptDocuments:
        # Imported here: most questions are answered, and would pay for S3's client with their cold start.
        from cicada.adapters.s3.ground_truth import S3GroundTruth

        return S3GroundTruth(client("s3"), settings.documents_bucket)

    access_lists = DynamoAccessListTable(database(), settings.conversation.readers_table)
    return IndexCompleteness(kept, index, access_lists, time.time, settings.settled_seconds)


def _agent(
    settings: AgentSettings, bedrock: BedrockRuntimeClient, agent_search: AgentSearch, limits: ModelSettings
) -> Agent:
    # Imported here: most questions are for no agent, and would pay for it with their cold start.
    from cicada.bootstrap.agents import agent

    model = _converse_model(limits, settings.agent_model_id)
    return agent(settings, bedrock, model, agent_search, _patience(limits))


def _converse_model(limits: ModelSettings, model_id: str) -> ConverseModel:
    return ConverseModel(model_id, limits.chat_max_tokens, limits.chat_temperature, limits.guardrail)


def _patience(limits: ModelSettings) -> Patience:
    return Patience(limits.first_text_seconds, limits.next_text_seconds)
