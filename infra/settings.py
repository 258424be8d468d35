"""What differs between the stages, chosen by `cdk … -c stage=local|dev|prod`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from infra.addresses import Addresses, addresses
from infra.concurrency import NEW_ACCOUNT, ConcurrencyBudget, concurrency_budget
from infra.model_choice import EMBEDDING_DIMENSION, GEOGRAPHIES, ModelChoice, geography_of, require_collections
from infra.model_regions import model_regions

# The CDK's context value for a name, None if it is not set: `-c name=value`.
Context = Callable[[str], Any]
StageName = Literal["local", "dev", "prod"]
AgentsName = Literal["bedrock", "converse"]
# Each model with its fallback; the local reranker comes last. By default no paid model reranks: at $1 (Amazon) or $2
# (Cohere) for 1,000 questions a reranking model costs more than the chat model that answers them (docs/reranking.md).
_RERANK_MODELS: Mapping[str, tuple[str, ...]] = {
    "local": (),
    "amazon": ("amazon.rerank-v1:0",),
    "cohere": ("cohere.rerank-v3-5:0", "amazon.rerank-v1:0"),
}
# The emulator's region.
_LOCAL_REGION = "us-east-1"
_PLANNERS = ("auto", "rules", "model")
_NONE = "none"
_TEMPERATURE = "0.2"
_MAX_TOKENS = "2048"
_LEASE_SECONDS = "15"


@dataclass(frozen=True, slots=True)
class LocalEndpoints:
    """The addresses of the local stage's parts, as the functions reach them.

    `calls_url`: the AWS endpoint, if not the emulator itself; `database_url`: that of DynamoDB. `processors`: how many
    answer in parallel. `traces_address`: the host and port of what plays the X-Ray daemon, empty for none.
    """

    aws_url: str
    bedrock_url: str
    search_engine: str
    index_path: str
    opensearch_url: str
    calls_url: str
    database_url: str
    processors: int
    traces_address: str


@dataclass(frozen=True, slots=True)
class StageSettings:
    """One stage. `agents`: `bedrock` (InvokeAgent) or `converse` (the same tools through Converse tool use).

    Model ids are those of Bedrock's models and inference profiles, as they are invoked in `region`.
    `rerank_model_ids`: in the order of fallback, none to rerank locally; `query_model_id` translates
    questions into the language of a knowledge base; `plan_model_ids` plan messages, in the order of fallback, as
    `planner` says; at ingest `context_model_id` describes the context of passages, and `card_model_id`
    writes the cards of documents, each empty for none. `messages_per_minute` and `requests_in_flight` are limits of
    each user. `lease_seconds`: a processor that has not renewed its lease for so long counts as dead. `alarm_email`:
    the recipient of alarms, empty for none. `concurrency`: how it shares the account's concurrent executions.
    `addresses`: domains of one's own. `protect_data`: what can be protected from deletion is.
    `create_api_log_role`: the stack sets the role by which API Gateway logs, for the whole account.
    """

    name: StageName
    region: str
    agents: AgentsName
    chat_model_id: str
    chat_temperature: str
    chat_max_tokens: str
    agent_model_id: str
    embedding_model_id: str
    embedding_dimension: int
    rerank_model_ids: tuple[str, ...]
    query_model_id: str
    planner: str
    plan_model_ids: tuple[str, ...]
    context_model_id: str
    card_model_id: str
    retain_data: bool
    messages_per_minute: str
    requests_in_flight: str
    lease_seconds: str
    concurrency: ConcurrencyBudget
    alarm_email: str = ""
    addresses: Addresses = field(default_factory=Addresses)
    protect_data: bool = False
    create_api_log_role: bool = False
    local: LocalEndpoints | None = None

    @property
    def prefix(self) -> str:
        """The prefix of every resource's name."""
        return f"cicada-{self.name}"

    @property
    def has_agent_functions(self) -> bool:
        """Whether the agents' tools are deployed as functions too, which only Bedrock Agents call.

        On the local stage they are there for the tests that have its processor use Bedrock Agents.
        """
        return self.agents == "bedrock" or self.local is not None


class UnknownStageError(ValueError):
    """The stage in the context is none of local, dev and prod, or a context value is not allowed."""


def stage_settings(context: Context) -> StageSettings:
    """The settings of the stage that the context names."""
    name = context("stage") or "dev"
    if name == "local":
        return _local(context)
    if name not in ("dev", "prod"):
        raise UnknownStageError(f"There is no stage {name!r}: use -c stage=local, dev or prod.")
    models = _models(context)
    return StageSettings(
        name=cast(StageName, name),
        region=models.region,
        agents=_agents(context),
        chat_model_id=_chosen(context, "chatModel", models),
        chat_temperature=str(context("chatTemperature") or _TEMPERATURE),
        chat_max_tokens=str(context("chatMaxTokens") or _MAX_TOKENS),
        agent_model_id=_chosen(context, "agentModel", models),
        embedding_model_id=models.embedding(str(context("embeddingModel") or "")),
        embedding_dimension=EMBEDDING_DIMENSION,
        rerank_model_ids=models.rerankers(_rerank_models(context)),
        query_model_id=_chosen(context, "queryModel", models),
        planner=_planner(context),
        plan_model_ids=_chosen_plan_models(context, models),
        context_model_id=_chosen_or_none(context, "contextModel", models),
        card_model_id=_card_model(context, models),
        retain_data=name == "prod",
        messages_per_minute=str(context("messagesPerMinute") or 60),
        requests_in_flight=str(context("requestsInFlight") or 10),
        lease_seconds=str(context("leaseSeconds") or _LEASE_SECONDS),
        concurrency=_concurrency(context),
        alarm_email=context("alarmEmail") or "",
        addresses=addresses(context, models.region),
        protect_data=name == "prod" and _choice(context, "protect", "yes", "no") == "yes",
        create_api_log_role=_choice(context, "apiLogRole", "create", "existing") == "create",
    )


def _local(context: Context) -> StageSettings:
    aws_url = context("awsUrl") or "http://127.0.0.1:4566"
    endpoints = LocalEndpoints(
        aws_url=aws_url,
        bedrock_url=context("bedrockUrl") or "http://127.0.0.1:4567",
        search_engine=context("search") or "embedded",
        index_path=context("indexPath") or "index.sqlite",
        opensearch_url=context("opensearchUrl") or "",
        calls_url=context("callsUrl") or aws_url,
        database_url=context("databaseUrl") or "",
        # The emulator processes one message of a FIFO queue at a time for each event source mapping.
        processors=int(context("processors") or 8),
        traces_address=context("tracesAddress") or "",
    )
    return StageSettings(
        name="local",
        region=_LOCAL_REGION,
        agents=_agents(context),
        chat_model_id="amazon.nova-lite-v1:0",
        chat_temperature=_TEMPERATURE,
        chat_max_tokens=_MAX_TOKENS,
        agent_model_id="amazon.nova-pro-v1:0",
        # The stand-in's own model also gives the multivectors for the local reranker (docs/retrieval.md).
        embedding_model_id="cicada.minilm-l6-v2",
        embedding_dimension=384,
        rerank_model_ids=_rerank_models(context),
        query_model_id="amazon.nova-micro-v1:0",
        planner=_planner(context),
        # The stand-in can plan no more than a search for the message.
        plan_model_ids=_listed(context("planModels")),
        # The stand-in cannot write contexts, and MiniLM embeds no more of a passage than its text.
        context_model_id=_named(context("contextModel")),
        card_model_id=_named(context("cardModel")),
        retain_data=False,
        # In measurements and chaos runs its few sample users stand for many people.
        messages_per_minute=str(context("messagesPerMinute") or 6000),
        requests_in_flight=str(context("requestsInFlight") or 200),
        lease_seconds=str(context("leaseSeconds") or _LEASE_SECONDS),
        concurrency=_concurrency(context),
        local=endpoints,
    )


def _concurrency(context: Context) -> ConcurrencyBudget:
    """`-c accountConcurrency=1000`: the account's quota. By default that of a new account, which every account has."""
    try:
        return concurrency_budget(int(context("accountConcurrency") or NEW_ACCOUNT))
    except ValueError as error:
        raise UnknownStageError(
            f"-c accountConcurrency=… is the account's quota of concurrent executions: {error}"
        ) from error


def _agents(context: Context) -> AgentsName:
    """AWS opens Bedrock Agents to no new accounts, so they have to be asked for (docs/agents.md)."""
    agents = context("agents") or "converse"
    if agents not in ("bedrock", "converse"):
        raise UnknownStageError(f"There is no kind of agents {agents!r}: use -c agents=converse or bedrock.")
    return cast(AgentsName, agents)


def _rerank_models(context: Context) -> tuple[str, ...]:
    name = context("rerank") or "local"
    if name not in _RERANK_MODELS:
        raise UnknownStageError(f"There is no reranker {name!r}: use -c rerank=local, amazon or cohere.")
    return _RERANK_MODELS[name]


def _choice(context: Context, key: str, default: str, other: str) -> str:
    name = str(context(key) or default)
    if name not in (default, other):
        raise UnknownStageError(f"There is no {key} {name!r}: use -c {key}={default} or {other}.")
    return name


def _planner(context: Context) -> str:
    name = str(context("planner") or _PLANNERS[0])
    if name not in _PLANNERS:
        raise UnknownStageError(f"There is no planner {name!r}: use -c planner=auto, rules or model.")
    return name


def _models(context: Context) -> ModelChoice:
    """Of the region that the stack is deployed to, and of the geography that models may answer in."""
    region, table = _region(context), model_regions()
    require_collections(table, region)
    geography = str(context("geography") or "") or geography_of(table, region)
    if geography not in GEOGRAPHIES:
        raise UnknownStageError(f"There is no geography {geography!r}: use -c geography={', '.join(GEOGRAPHIES)}.")
    return ModelChoice(table, region, geography)


def _region(context: Context) -> str:
    """`-c region=…`, or the one that the CDK's command line finds in the AWS profile or in AWS_REGION."""
    region = str(context("region") or os.environ.get("CDK_DEFAULT_REGION", ""))
    if not region:
        raise UnknownStageError(
            "No region is known: set AWS_REGION, or use -c region=…, such as -c region=eu-central-1."
        )
    return region


def _chosen(context: Context, purpose: str, models: ModelChoice) -> str:
    named = str(context(purpose) or "")
    return models.checked(purpose, named) if named else models.first(purpose)


def _chosen_or_none(context: Context, purpose: str, models: ModelChoice) -> str:
    """`none`, as in `-c contextModel=none`, is no model."""
    return "" if context(purpose) == _NONE else _chosen(context, purpose, models)


def _card_model(context: Context, models: ModelChoice) -> str:
    named = _named(context("cardModel"))
    return models.checked("cardModel", named) if named else ""


def _chosen_plan_models(context: Context, models: ModelChoice) -> tuple[str, ...]:
    """`-c planModels=none` leaves planning to the rules."""
    if not context("planModels"):
        return tuple(models.best("planModels", 2))
    return tuple(models.checked("planModels", each) for each in _listed(context("planModels")))


def _listed(names: Any) -> tuple[str, ...]:
    return () if names == _NONE else tuple(each.strip() for each in str(names or "").split(",") if each.strip())


def _named(name: Any) -> str:
    return "" if name == _NONE else str(name or "")
