from __future__ import annotations

from pathlib import Path

import pytest

from cicada.adapters.bedrock.card_writer import BedrockCardWriter
from cicada.bootstrap import ingest
from cicada.settings import IngestSettings, SearchSettings

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("model_id", "writer"), [("", type(None)), ("amazon.nova-micro-v1:0", BedrockCardWriter)])
def test_the_model_that_the_settings_name_writes_cards(
    monkeypatch: pytest.MonkeyPatch, model_id: str, writer: type
) -> None:
    search = SearchSettings("embedded", "amazon.titan-embed-text-v2:0", 384, "never opened")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(ingest, "load", lambda _: IngestSettings("bucket", search, card_model_id=model_id))
    made = ingest.ingester.__wrapped__(ROOT / "functions/ingest_document/episodes.toml")
    assert isinstance(made.cards, writer)
    assert made.contexts is None
