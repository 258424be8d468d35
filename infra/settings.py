"""What differs between the stages, chosen by `cdk … -c stage=local|dev|prod`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from constructs import Node

StageName = Literal["local", "dev", "prod"]
AgentsName = Literal["bedrock", "converse"]
_TEMPERATURE = "0.2"
_MAX_TOKENS = "2048"
_LEASE_SECONDS = "15"


@dataclass(frozen=True, slots=True)
class LocalEndpoints:
    """Where the parts of the local stage listen, as the functions reach them.

    `database_url`: DynamoDB's, where it is not the emulator's. `processors`: how many answer at the same time.
    """

    aws_url: str
    bedrock_url: str
    search_engine: str
    index_path: str
    opensearch_url: str
    database_url: str
    processors: int


@dataclass(frozen=True, slots=True)
class StageSettings:
    """One stage. `agents`: `bedrock` (InvokeAgent) or `converse` (the same tools through Converse tool use).

    Model ids are Bedrock's. `messages_per_minute` and `requests_in_flight` are what each user may ask for.
    `lease_seconds`: after so long without a sign of life a processor counts as dead. `alarm_email`: who hears of
    alarms, empty for nobody.
    """

    name: StageName
    agents: AgentsName
    chat_model_id: str
    chat_temperature: str
    chat_max_tokens: str
    agent_model_id: str
    embedding_model_id: str
    embedding_dimension: int
    retain_data: bool
    messages_per_minute: str
    requests_in_flight: str
    lease_seconds: str
    alarm_email: str = ""
    local: LocalEndpoints | None = None

    @property
    def prefix(self) -> str:
        """Begins the name of every resource that has one."""
        return f"cicada-{self.name}"


class UnknownStageError(ValueError):
    """The stage in the context is none of local, dev and prod, or a context value is not allowed."""


def stage_settings(node: Node) -> StageSettings:
    """The settings of the stage that the context names."""
    name = node.try_get_context("stage") or "dev"
    if name == "local":
        return _local(node)
    agents = node.try_get_context("agents") or "bedrock"
    if agents not in ("bedrock", "converse"):
        raise UnknownStageError(f"There is no kind of agents {agents!r}: use -c agents=bedrock or converse.")
    if name not in ("dev", "prod"):
        raise UnknownStageError(f"There is no stage {name!r}: use -c stage=local, dev or prod.")
    return StageSettings(
        name=cast(StageName, name),
        agents=cast(AgentsName, agents),
        chat_model_id=node.try_get_context("chatModel") or "amazon.nova-lite-v1:0",
        chat_temperature=str(node.try_get_context("chatTemperature") or _TEMPERATURE),
        chat_max_tokens=str(node.try_get_context("chatMaxTokens") or _MAX_TOKENS),
        agent_model_id=node.try_get_context("agentModel") or "amazon.nova-pro-v1:0",
        embedding_model_id="amazon.titan-embed-text-v2:0",
        embedding_dimension=1024,
        retain_data=name == "prod",
        messages_per_minute=str(node.try_get_context("messagesPerMinute") or 60),
        requests_in_flight=str(node.try_get_context("requestsInFlight") or 10),
        lease_seconds=str(node.try_get_context("leaseSeconds") or _LEASE_SECONDS),
        alarm_email=node.try_get_context("alarmEmail") or "",
    )


def _local(node: Node) -> StageSettings:
    endpoints = LocalEndpoints(
        aws_url=node.try_get_context("awsUrl") or "http://127.0.0.1:4566",
        bedrock_url=node.try_get_context("bedrockUrl") or "http://127.0.0.1:4567",
        search_engine=node.try_get_context("search") or "embedded",
        index_path=node.try_get_context("indexPath") or "index.sqlite",
        opensearch_url=node.try_get_context("opensearchUrl") or "",
        database_url=node.try_get_context("databaseUrl") or "",
        # The emulator works on one message of a FIFO queue at a time for each event source mapping.
        processors=int(node.try_get_context("processors") or 8),
    )
    return StageSettings(
        name="local",
        agents="bedrock",
        chat_model_id="amazon.nova-lite-v1:0",
        chat_temperature=_TEMPERATURE,
        chat_max_tokens=_MAX_TOKENS,
        agent_model_id="amazon.nova-pro-v1:0",
        # The stand-in embeds with all-MiniLM-L6-v2 behind Titan's wire format; the index records this name.
        embedding_model_id="amazon.titan-embed-text-v2:0",
        embedding_dimension=384,
        retain_data=False,
        # Its few sample users stand for many people when it is measured and disturbed.
        messages_per_minute=str(node.try_get_context("messagesPerMinute") or 6000),
        requests_in_flight=str(node.try_get_context("requestsInFlight") or 200),
        lease_seconds=str(node.try_get_context("leaseSeconds") or _LEASE_SECONDS),
        local=endpoints,
    )
