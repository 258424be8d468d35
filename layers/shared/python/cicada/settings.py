"""Settings of the functions: typed, frozen, read from the environment here and nowhere else.

A field `requests_table` is read from `CICADA_REQUESTS_TABLE`. A field without a default must be set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from cicada.errors import ConfigurationError


class AuthorizerSettings(Struct, frozen=True):
    """The user pool whose access tokens open a connection. `token_keys_url` is its JWKS document.

    `default_tenant`: of users whom no group gives a tenant; empty to refuse them.
    """

    token_issuer: str
    token_client_id: str
    token_keys_url: str
    default_tenant: str = ""


class ConnectionSettings(Struct, frozen=True):
    """The table of open connections."""

    connections_table: str


class BaseSettings(Struct, frozen=True):
    """The table of what is kept for knowledge bases, which is that of the viewers; and the embedder of the searches.

    A function that does not search has no embedder.
    """

    readers_table: str
    embedding_model_id: str = ""
    embedding_dimension: int = 0


class AuditSettings(Struct, frozen=True):
    """The log group of the audit trail."""

    audit_log_group: str


class CommandGuardSettings(Struct, frozen=True):
    """What every command passes; the last four fields limit each user."""

    requests_table: str
    connections_table: str
    callback_url: str
    messages_per_minute: int = 60
    requests_in_flight: int = 10
    commands_per_minute: int = 1200
    connections_per_user: int = 10


class SignOutSettings(Struct, frozen=True):
    """What a user has open, and the pool that keeps the sign-ins."""

    user_pool_id: str
    requests_table: str
    callback_url: str


class AdministrationSettings(Struct, frozen=True):
    """The accounts that administrators change, and how the tokens of a tenant's day are counted.

    `administrators`: the group whose members administer the accounts of their tenant; empty for nobody.
    `default_tenant`: of users whom no group gives a tenant, empty for none.
    `read_dollars`, `written_dollars`: for a million tokens, by list prices of the day `prices_of`, empty if unknown.
    """

    user_pool_id: str
    requests_table: str
    callback_url: str
    administrators: str = ""
    default_tenant: str = ""
    tenant_tokens_per_day: int = 0
    read_dollars: float = 0
    written_dollars: float = 0
    prices_of: str = ""


class ConversationSettings(Struct, frozen=True):
    """The request log, the queue and the channel. The lease: docs/delivery.md.

    `retention_seconds`: how long a request and its events are kept.
    """

    requests_table: str
    connections_table: str
    readers_table: str
    requests_queue_url: str
    callback_url: str
    retention_seconds: int = 7 * 24 * 3600
    lease_seconds: float = 15

    @property
    def heartbeat_seconds(self) -> float:
        """The interval at which the lease is prolonged without events; three heartbeats may fail before it expires."""
        return self.lease_seconds / 4


class SearchSettings(Struct, frozen=True):
    """The index and the embedder. `search_engine`: `embedded` (a SQLite file at `index_path`) or `opensearch`.

    `opensearch_region` is set where requests are signed for OpenSearch Serverless; `opensearch_vector_engine` is
    the kNN engine in the mapping of a new index, empty for what the server supports, and
    `opensearch_vector_compression` how its vectors are compressed: `1x` (not), `8x`, `16x` or `32x`.
    `rerank_models`: ARNs of Bedrock reranking models by comma, each the next one's fallback; empty to rerank locally.
    `query_model_id` puts questions into a knowledge base's language; empty to search with the user's own words.
    """

    search_engine: str
    embedding_model_id: str
    embedding_dimension: int
    index_path: str = ""
    opensearch_url: str = ""
    opensearch_region: str = ""
    opensearch_vector_engine: str = "lucene"
    opensearch_vector_compression: str = "1x"
    rerank_models: str = ""
    query_model_id: str = ""


class OpeningSettings(Struct, frozen=True):
    """The index that documents are read from, and the table that says who may read them.

    `originals_bucket`: where the documents' files are; empty where no address of them is given away.
    `editors`: the group whose members may change documents, in `uploads_bucket`; empty for nobody. `uploads_url`:
    where browsers send files to.
    """

    readers_table: str
    search: SearchSettings
    originals_bucket: str = ""
    editors: str = ""
    uploads_bucket: str = ""
    uploads_url: str = ""


class ModelSettings(Struct, frozen=True):
    """The chat models and their limits. `chat_model_ids`: by comma, each the next one's fallback.

    `first_text_seconds`, `next_text_seconds`: how long a model may be silent before its text, and in it.
    `guardrail`: of questions and answers, as ID:VERSION, empty for none.
    """

    chat_model_ids: str
    chat_temperature: float = 0.2
    chat_max_tokens: int = 2048
    first_text_seconds: float = 12
    next_text_seconds: float = 20
    guardrail: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The chat models' ids."""
        return tuple(each.strip() for each in self.chat_model_ids.split(",") if each.strip())


class ModelProfileSettings(Struct, frozen=True):
    """`model_profiles`: the stage's own inference profiles, as MODEL=ARN by comma; empty for none."""

    model_profiles: str = ""

    @property
    def by_model(self) -> dict[str, str]:
        """The profiles' ARNs by the models that they are of."""
        return dict(each.split("=", 1) for each in self.model_profiles.split(",") if "=" in each)


class PlannerSettings(Struct, frozen=True):
    """What plans a message. `planner`: `auto`, `rules` or `model` (docs/planning.md).

    `plan_model_ids`: Bedrock models by comma, each the next one's fallback; empty for the rules alone.
    """

    planner: str = "auto"
    plan_model_ids: str = ""


class AgentSettings(Struct, frozen=True):
    """The agents. `agents`: `bedrock` (InvokeAgent, falling back to tool use) or `converse` (tool use only).

    `agent_model_id`: the model of the tool use; the limits are the chat models'.
    """

    agents: str
    agent_model_id: str
    entries_table: str
    profiles_agent_id: str = ""
    profiles_agent_alias_id: str = ""
    theories_agent_id: str = ""
    theories_agent_alias_id: str = ""


class EntrySettings(Struct, frozen=True):
    """The table of the users' profiles and theories."""

    entries_table: str


class AgentToolSettings(Struct, frozen=True):
    """Settings of the theories agent's tools."""

    entries_table: str
    search: SearchSettings
    bases: BaseSettings


class ProcessorSettings(Struct, frozen=True):
    """The message processor.

    `stage`: the name under which its metrics are counted.
    `documents_bucket`: what the index is compared with before "nothing found" is said; documents that changed less than
    `settled_seconds` ago do not count, because their ingest may be under way.
    `tenant_tokens_per_day`: the tokens of models that a tenant's answers may use in a day, 0 for no limit.
    `grounding_guardrail`: what judges sentences by their passages, as ID:VERSION, empty to count words.
    """

    dead_letter_queue_url: str
    documents_bucket: str
    conversation: ConversationSettings
    search: SearchSettings
    model: ModelSettings
    agent: AgentSettings
    planner: PlannerSettings
    stage: str = "cicada"
    settled_seconds: float = 900
    tenant_tokens_per_day: int = 0
    grounding_guardrail: str = ""


class IngestSettings(Struct, frozen=True):
    """The ingest of uploaded files.

    `context_model_id` writes contexts of passages, `card_model_id` the cards of documents; empty for none. `ocr`:
    what recognises the text of scans, `textract`, or empty to reject them.
    """

    documents_bucket: str
    readers_table: str
    search: SearchSettings
    context_model_id: str = ""
    card_model_id: str = ""
    ocr: str = ""


class Invocation(Struct, frozen=True):
    """What Lambda says of itself and of the invocation. `daemon_address`: of the X-Ray daemon, host and port.

    `trace_header`: of the trace that the invocation belongs to. What is not known is empty.
    """

    function: str
    trace_header: str
    daemon_address: str


class MetricSettings(Struct, frozen=True):
    """`stage`: the name under which metrics are counted."""

    stage: str = "cicada"


S = TypeVar("S", bound=Struct)


def load(kind: type[S], environment: Mapping[str, str] | None = None) -> S:
    """Settings of this kind. Raises `ConfigurationError` that names every variable missing or malformed."""
    problems: list[str] = []
    settings = _load(kind, os.environ if environment is None else environment, problems)
    if problems:
        raise ConfigurationError(f"Set these environment variables: {', '.join(problems)}.")
    return settings


# What a Python of this installation needs to start, and where it keeps byte-code. Nothing secret.
_INHERITED = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE")


def inherited_environment() -> dict[str, str]:
    """The variables for a process of ours that is to have no credentials."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


def invocation() -> Invocation:
    """The invocation under way, from variables that Lambda reserves. Not to be cached: each has its own trace.

    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
    """
    return Invocation(
        function=os.environ.get("AWS_LAMBDA_FUNCTION_NAME", ""),
        trace_header=os.environ.get("_X_AMZN_TRACE_ID", ""),
        daemon_address=os.environ.get("AWS_XRAY_DAEMON_ADDRESS", ""),
    )


def _load(kind: type[S], environment: Mapping[str, str], problems: list[str]) -> S:
    return kind(**{each.name: _value(each, environment, problems) for each in fields(kind)})


def _value(declared: FieldInfo, environment: Mapping[str, str], problems: list[str]) -> object:
    kind: type[Any] = declared.type
    if issubclass(kind, Struct):
        return _load(kind, environment, problems)
    name = f"CICADA_{declared.name.upper()}"
    text = environment.get(name)
    if text is None:
        if declared.required:
            problems.append(name)
            return None
        return declared.default
    try:
        return kind(text)
    except ValueError:
        problems.append(f"{name} (must be of type {kind.__name__})")
        return None
