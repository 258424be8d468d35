from __future__ import annotations

import pytest
from msgspec import Struct

from cicada.errors import ConfigurationError
from cicada.settings import (
    AgentSettings,
    AgentToolSettings,
    AuthorizerSettings,
    ConnectionSettings,
    ConversationSettings,
    EntrySettings,
    IngestSettings,
    ModelSettings,
    ProcessorSettings,
    SearchSettings,
    load,
)

EVERY_KIND = (
    AgentSettings,
    AgentToolSettings,
    AuthorizerSettings,
    ConnectionSettings,
    ConversationSettings,
    IngestSettings,
    ModelSettings,
    ProcessorSettings,
    EntrySettings,
    SearchSettings,
)
CONVERSATION = {
    "CICADA_REQUESTS_TABLE": "requests",
    "CICADA_CONNECTIONS_TABLE": "connections",
    "CICADA_READERS_TABLE": "readers",
    "CICADA_REQUESTS_QUEUE_URL": "https://sqs.example/requests.fifo",
    "CICADA_CALLBACK_URL": "https://api.example/v1",
}
PROCESSOR = CONVERSATION | {
    "CICADA_DEAD_LETTER_QUEUE_URL": "https://sqs.example/dead.fifo",
    "CICADA_DOCUMENTS_BUCKET": "documents",
    "CICADA_SEARCH_ENGINE": "embedded",
    "CICADA_EMBEDDING_MODEL_ID": "amazon.titan-embed-text-v2:0",
    "CICADA_EMBEDDING_DIMENSION": "256",
    "CICADA_CHAT_MODEL_IDS": "amazon.nova-lite-v1:0",
    "CICADA_AGENTS": "converse",
    "CICADA_AGENT_MODEL_ID": "amazon.nova-pro-v1:0",
    "CICADA_ENTRIES_TABLE": "entries",
}


def complaint(kind: type[Struct], environment: dict[str, str]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(kind, environment)
    return str(caught.value)


def test_settings_are_read_from_variables_of_their_names() -> None:
    settings = load(ConversationSettings, CONVERSATION | {"CICADA_LEASE_SECONDS": "20"})
    assert settings == ConversationSettings(
        "requests",
        "connections",
        "readers",
        "https://sqs.example/requests.fifo",
        "https://api.example/v1",
        lease_seconds=20,
    )


def test_groups_of_settings_are_read_together() -> None:
    settings = load(ProcessorSettings, PROCESSOR | {"CICADA_LEASE_SECONDS": "20"})
    assert settings.conversation.requests_table == "requests"
    assert settings.search.embedding_dimension == 256
    assert settings.model.chat_model_ids == "amazon.nova-lite-v1:0"
    assert settings.agent.agents == "converse"
    assert settings.conversation.lease_seconds == 20


def test_the_lease_outlives_three_heartbeats() -> None:
    settings = load(ConversationSettings, CONVERSATION)
    assert settings.lease_seconds == 4 * settings.heartbeat_seconds


@pytest.mark.parametrize("missing", sorted(PROCESSOR))
def test_a_missing_variable_is_named(missing: str) -> None:
    rest = {name: value for name, value in PROCESSOR.items() if name != missing}
    assert complaint(ProcessorSettings, rest) == f"Set these environment variables: {missing}."


def test_everything_that_is_missing_or_malformed_is_named_at_once() -> None:
    said = complaint(
        ProcessorSettings,
        {name: value for name, value in PROCESSOR.items() if name not in ("CICADA_AGENTS", "CICADA_CHAT_MODEL_IDS")}
        | {"CICADA_EMBEDDING_DIMENSION": "many", "CICADA_CHAT_TEMPERATURE": "hot"},
    )
    assert said == (
        "Set these environment variables: CICADA_EMBEDDING_DIMENSION (must be of type int), CICADA_CHAT_MODEL_IDS, "
        "CICADA_CHAT_TEMPERATURE (must be of type float), CICADA_AGENTS."
    )


def test_a_malformed_value_is_not_repeated() -> None:
    assert "s3cret" not in complaint(ModelSettings, {"CICADA_CHAT_MODEL_IDS": "m", "CICADA_CHAT_TEMPERATURE": "s3cret"})


def test_the_process_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CICADA_CONNECTIONS_TABLE", "connections")
    assert load(ConnectionSettings) == ConnectionSettings("connections")


def test_other_variables_have_no_say() -> None:
    assert load(ConnectionSettings, {"CICADA_CONNECTIONS_TABLE": "a", "CONNECTIONS_TABLE": "b", "CICADA_X": "c"}) == (
        ConnectionSettings("a")
    )


def test_settings_cannot_be_changed() -> None:
    settings = load(ConnectionSettings, {"CICADA_CONNECTIONS_TABLE": "connections"})
    with pytest.raises(AttributeError):
        settings.connections_table = "other"  # type: ignore[misc]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_of_settings_says_what_it_misses(kind: type[Struct]) -> None:
    assert complaint(kind, {}).startswith("Set these environment variables: CICADA_")
