"""Settings come from the environment, in one place."""

from pathlib import Path

from local.bedrock.settings import Settings, Upstream


def test_an_empty_environment_gives_the_extractive_generator_at_reading_pace() -> None:
    assert Settings.from_environment({}) == Settings(tokens_per_second=100.0)


def test_everything_can_be_set() -> None:
    environment = {
        "CICADA_TOKENS_PER_SECOND": "0",
        "CICADA_LLM_URL": "http://127.0.0.1:11434",
        "CICADA_LLM_MODEL": "small",
        "CICADA_LLM_API_KEY": "secret",
        "CICADA_AGENTS_FILE": "agents.json",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:4566",
        "AWS_REGION": "eu-west-1",
    }
    assert Settings.from_environment(environment) == Settings(
        0.0,
        Upstream("http://127.0.0.1:11434", "small", "secret"),
        Path("agents.json"),
        "http://127.0.0.1:4566",
        "eu-west-1",
    )
