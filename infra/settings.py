"""What differs between the stages, chosen by `cdk … -c stage=local|dev|prod`."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from infra.addresses import Addresses, addresses
from infra.concurrency import ConcurrencyBudget
from infra.context_values import (
    COMPRESSIONS,
    Context,
    ContextValueError,
    backup,
    capacity_units,
    chat_models,
    choice,
    collection_name,
    commands_per_minute,
    concurrency,
    first_text_seconds,
    group,
    guardrail,
    listed,
    model,
    model_or_none,
    models_of,
    named_model,
    next_text_seconds,
    number,
    ocr,
    plan_models,
    rerank_models,
    retention_days,
    tenant,
    text,
    text_or_none,
    tokens_per_day,
    whole_number,
)
from infra.data_key import data_key
from infra.federation import Federation, federation
from infra.model_choice import EMBEDDING_DIMENSION
from infra.private_network import PrivateNetwork, private_network

StageName = Literal["local", "dev", "prod"]
AgentsName = Literal["bedrock", "converse"]
ReleasesName = Literal["direct", "gradual", "urgent"]
GroundingName = Literal["words", "bedrock"]
MfaName = Literal["optional", "off", "required"]
DataEvents = Literal["create", "existing", "none"]
# The emulator's region.
_LOCAL_REGION = "us-east-1"
_TEMPERATURE = "0.2"
_MAX_TOKENS = 2048
_LEASE_SECONDS = "15"
_AUDIT_DAYS = 30
_SEARCH_UNITS = 4
# A search wakes with two workers.
_LEAST_SEARCH_UNITS = 2
# Thirteen months: a year's audit looks back at all of the year.
_PROD_AUDIT_DAYS = 400


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
    `chat_model_ids`: in the order of fallback; each may be silent for `first_text_seconds` before its text, and for
    `next_text_seconds` in it.
    `rerank_model_ids`: in the order of fallback, none to rerank locally; `query_model_id` translates
    questions into the language of a knowledge base; `plan_model_ids` plan messages, in the order of fallback, as
    `planner` says; at ingest `context_model_id` describes the context of passages, and `card_model_id`
    writes the cards of documents, each empty for none. `messages_per_minute`, `requests_in_flight`,
    `commands_per_minute` and `connections_per_user` are limits of each user.
    `request_days`: for how long a request and its answer are kept.
    `lease_seconds`: a processor that has not renewed its lease for so long counts as dead. `alarm_email`:
    the recipient of alarms, empty for none. `concurrency`: how it shares the account's concurrent executions.
    `addresses`: domains of one's own. `protect_data`: what can be protected from deletion is.
    `mfa`: whether users sign in in two steps: `off`, `optional` (each user decides) or `required`. `federation`: the
    identity provider with which users may sign in besides, None without one.
    `default_tenant`: of users whom no group gives a tenant, empty to refuse them.
    `audit_days`: for how long the audit trail is kept. `data_events`: whether CloudTrail records who uses the uploaded
    documents in the bucket: by a trail of the stack, by one that the account has, or not.
    `ocr`: what recognises the text of scans, `textract`, or empty to reject them.
    `originals`: who may read a document is given an address of its file.
    `model_profiles`: whether models that write are invoked by inference profiles of the stage, tagged as its own.
    `editors`: the group whose members may upload, describe and remove documents by the WebSocket, empty for nobody.
    `administrators`: the group whose members administer the accounts of their tenant, empty for nobody.
    `data_key`: what encrypts texts of users and documents, as `infra.data_key` reads it.
    `search_units`: the most that its search may scale to, `warm_search_units` those that never rest, and
    `indexing_units` the most of its ingest.
    `grounding`: what judges whether passages carry a sentence: counted `words`, or `bedrock`.
    `guardrail`: what reads questions and answers of the models that write, as ID:VERSION, empty for none.
    `tenant_tokens_per_day`: of models, by the answers of one tenant, 0 for no limit.
    `monthly_budget`: dollars of the account's month whose excess is notified, 0 for no budget.
    `collection_name`: of the collection that holds the index. `vector_compression`: of a new index in it.
    `network`: from where alone it is reached, None for anywhere.
    `backup`: empty for none, this region, or the region that copies of each backup go to.
    `releases`: all at once (`direct`), or shifted by CodeDeploy, `urgent` ones at once too.
    `create_api_log_role`: the stack sets the role by which API Gateway logs, for the whole account.
    """

    name: StageName
    region: str
    agents: AgentsName
    chat_model_ids: tuple[str, ...]
    chat_temperature: str
    chat_max_tokens: str
    first_text_seconds: str
    next_text_seconds: str
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
    commands_per_minute: str
    connections_per_user: str
    request_days: int
    lease_seconds: str
    concurrency: ConcurrencyBudget
    audit_days: int
    data_events: DataEvents
    collection_name: str
    vector_compression: str = "1x"
    search_units: int = _SEARCH_UNITS
    warm_search_units: int = 0
    indexing_units: int = 4
    monthly_budget: int = 0
    tenant_tokens_per_day: int = 0
    grounding: GroundingName = "words"
    guardrail: str = ""
    ocr: str = ""
    originals: bool = False
    model_profiles: bool = False
    editors: str = ""
    administrators: str = ""
    data_key: str = ""
    network: PrivateNetwork | None = None
    alarm_email: str = ""
    default_tenant: str = ""
    mfa: MfaName = "optional"
    federation: Federation | None = None
    addresses: Addresses = field(default_factory=Addresses)
    protect_data: bool = False
    create_api_log_role: bool = False
    releases: ReleasesName = "direct"
    backup: str = ""
    local: LocalEndpoints | None = None

    @property
    def prefix(self) -> str:
        """The prefix of every resource's name."""
        return f"cicada-{self.name}"

    @property
    def stack_name(self) -> str:
        """CloudFormation makes names of it for what has none of its own."""
        return f"Cicada-{self.name}"

    @property
    def backup_region(self) -> str:
        """The other region that backups are copied to, empty for none."""
        return "" if self.backup == self.region else self.backup

    @property
    def model_ids(self) -> tuple[str, ...]:
        """The models and inference profiles that the stage uses, each once."""
        return tuple(dict.fromkeys((*self.writing_model_ids, self.embedding_model_id, *self.rerank_model_ids)))

    @property
    def writing_model_ids(self) -> tuple[str, ...]:
        """The models that write, each once: all but those that embed or rerank."""
        single = (self.agent_model_id, self.query_model_id, self.context_model_id, self.card_model_id)
        return tuple(dict.fromkeys(filter(None, (*self.chat_model_ids, *single, *self.plan_model_ids))))

    @property
    def has_agent_functions(self) -> bool:
        """Whether the agents' tools are deployed as functions too, which only Bedrock Agents call.

        On the local stage they are there for the tests that have its processor use Bedrock Agents.
        """
        return self.agents == "bedrock" or self.local is not None


def stage_settings(context: Context) -> StageSettings:
    """The settings of the stage that the context names."""
    name = context("stage") or "dev"
    if name == "local":
        return _local(context)
    if name not in ("dev", "prod"):
        raise ContextValueError(f"There is no stage {name!r}: use -c stage=local, dev or prod.")
    return _on_aws(cast(StageName, name), context)


def _on_aws(name: StageName, context: Context) -> StageSettings:
    models = models_of(context, _region(context))
    search_units = capacity_units(context, "searchUnits", _SEARCH_UNITS, least=_LEAST_SEARCH_UNITS)
    return StageSettings(
        name=name,
        region=models.region,
        agents=_agents(context),
        chat_model_ids=chat_models(context, models),
        chat_temperature=_temperature(context),
        chat_max_tokens=str(whole_number(context, "chatMaxTokens", _MAX_TOKENS)),
        first_text_seconds=first_text_seconds(context),
        next_text_seconds=next_text_seconds(context),
        agent_model_id=model(context, "agentModel", models),
        embedding_model_id=models.embedding(text(context, "embeddingModel")),
        embedding_dimension=EMBEDDING_DIMENSION,
        rerank_model_ids=models.rerankers(rerank_models(context)),
        query_model_id=model(context, "queryModel", models),
        planner=_planner(context),
        plan_model_ids=plan_models(context, models),
        context_model_id=model_or_none(context, "contextModel", models),
        card_model_id=named_model(context, "cardModel", models),
        retain_data=name == "prod",
        messages_per_minute=str(whole_number(context, "messagesPerMinute", 60)),
        requests_in_flight=str(whole_number(context, "requestsInFlight", 10)),
        commands_per_minute=commands_per_minute(context, 60),
        connections_per_user=str(whole_number(context, "connectionsPerUser", 10)),
        request_days=whole_number(context, "requestDays", 7),
        lease_seconds=_lease_seconds(context),
        concurrency=concurrency(context),
        audit_days=retention_days(context, "auditDays", _PROD_AUDIT_DAYS if name == "prod" else _AUDIT_DAYS),
        data_events=cast(DataEvents, choice(context, "dataEvents", "none", "create", "existing")),
        collection_name=collection_name(context, f"cicada-{name}"),
        vector_compression=choice(context, "vectorCompression", *COMPRESSIONS, called="compression of vectors"),
        search_units=search_units,
        warm_search_units=capacity_units(context, "warmSearchUnits", 0, least=0, most=search_units),
        tenant_tokens_per_day=tokens_per_day(context),
        grounding=_grounding(context),
        guardrail=guardrail(context),
        ocr=ocr(context, models.region),
        monthly_budget=whole_number(context, "monthlyBudget", 0) if context("monthlyBudget") else 0,
        originals=choice(context, "originals", "off", "on") == "on",
        model_profiles=choice(context, "modelProfiles", "off", "on") == "on",
        editors=group(context, "editors"),
        administrators=group(context, "administrators"),
        data_key=data_key(context, models.region),
        network=private_network(context),
        alarm_email=text(context, "alarmEmail"),
        default_tenant=tenant(context, "defaultTenant"),
        mfa=_mfa(context),
        federation=federation(context),
        addresses=addresses(context, models.region),
        protect_data=name == "prod" and choice(context, "protect", "yes", "no") == "yes",
        create_api_log_role=choice(context, "apiLogRole", "create", "existing") == "create",
        releases=cast(ReleasesName, choice(context, "releases", *get_args(ReleasesName), called="kind of releases")),
        backup=backup(context, name, models.region),
    )


def _local(context: Context) -> StageSettings:
    """What a `cdk.json` keeps for stages on AWS has no effect here: the emulator has no keys, no collection, no VPC."""
    return StageSettings(
        name="local",
        region=_LOCAL_REGION,
        agents=_agents(context),
        chat_model_ids=listed(context, "chatModels") or ("amazon.nova-lite-v1:0",),
        chat_temperature=_TEMPERATURE,
        chat_max_tokens=str(_MAX_TOKENS),
        first_text_seconds=first_text_seconds(context),
        next_text_seconds=next_text_seconds(context),
        agent_model_id="amazon.nova-pro-v1:0",
        embedding_model_id="cicada.minilm-l6-v2",
        embedding_dimension=384,
        rerank_model_ids=rerank_models(context),
        query_model_id="amazon.nova-micro-v1:0",
        planner=_planner(context),
        plan_model_ids=listed(context, "planModels"),
        # The stand-in cannot write contexts, and MiniLM embeds no more of a passage than its text.
        context_model_id=text_or_none(context, "contextModel"),
        card_model_id=text_or_none(context, "cardModel"),
        retain_data=False,
        # The few sample users stand for many people in measurements and chaos runs.
        messages_per_minute=str(whole_number(context, "messagesPerMinute", 6000)),
        requests_in_flight=str(whole_number(context, "requestsInFlight", 200)),
        commands_per_minute=commands_per_minute(context, 6000),
        connections_per_user=str(whole_number(context, "connectionsPerUser", 1000)),
        request_days=whole_number(context, "requestDays", 7),
        tenant_tokens_per_day=tokens_per_day(context),
        grounding=_grounding(context),
        guardrail=guardrail(context),
        lease_seconds=_lease_seconds(context),
        concurrency=concurrency(context),
        audit_days=retention_days(context, "auditDays", _AUDIT_DAYS),
        # The emulator's CloudTrail records no data events.
        data_events="none",
        originals=choice(context, "originals", "on", "off") == "on",
        # Of which the first of the sample users is a member.
        editors=group(context, "editors", "editors"),
        administrators=group(context, "administrators", "administrators"),
        collection_name="",
        # The sample users are in no tenant's group.
        default_tenant=tenant(context, "defaultTenant") or "default",
        mfa=_mfa(context),
        local=_local_endpoints(context),
    )


def _local_endpoints(context: Context) -> LocalEndpoints:
    aws_url = text(context, "awsUrl", "http://127.0.0.1:4566")
    return LocalEndpoints(
        aws_url=aws_url,
        bedrock_url=text(context, "bedrockUrl", "http://127.0.0.1:4567"),
        search_engine=text(context, "search", "embedded"),
        index_path=text(context, "indexPath", "index.sqlite"),
        opensearch_url=text(context, "opensearchUrl"),
        calls_url=text(context, "callsUrl", aws_url),
        database_url=text(context, "databaseUrl"),
        # The emulator processes one message of a FIFO queue at a time for each event source mapping.
        processors=int(context("processors") or 8),
        traces_address=text(context, "tracesAddress"),
    )


def _region(context: Context) -> str:
    """`-c region=…`, or the one that the CDK's command line finds in the AWS profile or in AWS_REGION."""
    region = text(context, "region", os.environ.get("CDK_DEFAULT_REGION", ""))
    if not region:
        raise ContextValueError(
            "No region is known: set AWS_REGION, or use -c region=…, such as -c region=eu-central-1."
        )
    return region


def _agents(context: Context) -> AgentsName:
    """AWS opens Bedrock Agents to no new accounts, so they have to be asked for (docs/agents.md)."""
    return cast(AgentsName, choice(context, "agents", "converse", "bedrock", called="kind of agents"))


def _mfa(context: Context) -> MfaName:
    return cast(MfaName, choice(context, "mfa", *get_args(MfaName), called="choice of a second step"))


def _grounding(context: Context) -> GroundingName:
    return cast(GroundingName, choice(context, "grounding", *get_args(GroundingName), called="check of sentences"))


def _planner(context: Context) -> str:
    return choice(context, "planner", "auto", "rules", "model")


def _temperature(context: Context) -> str:
    return number(context, "chatTemperature", _TEMPERATURE, lambda value: 0 <= value <= 1, "one from 0 to 1, as 0.2")


def _lease_seconds(context: Context) -> str:
    return number(context, "leaseSeconds", _LEASE_SECONDS, lambda value: 0 < value < math.inf, "seconds above 0, as 15")
