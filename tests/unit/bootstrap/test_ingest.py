from __future__ import annotations

from pathlib import Path

import pytest

from cicada.adapters.bedrock.cards import BedrockCardWriter
from cicada.bootstrap import ingest
from cicada.bootstrap.aws import client
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.settings import IngestSettings, SearchSettings
from tests.fakes.base_record import InMemoryBaseRecord

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("model_id", "writer"), [("", type(None)), ("amazon.nova-micro-v1:0", BedrockCardWriter)])
def test_the_model_of_the_settings_writes_cards(monkeypatch: pytest.MonkeyPatch, model_id: str, writer: type) -> None:
    search = SearchSettings("embedded", "amazon.titan-embed-text-v2:0", 384, "never opened")
    monkeypatch.setattr(ingest, "load", lambda _: IngestSettings("bucket", "readers", search, card_model_id=model_id))
    monkeypatch.setattr(ingest, "knowledge_bases", KnowledgeBases)
    monkeypatch.setattr(ingest, "base_record", InMemoryBaseRecord)
    made = ingest.ingester.__wrapped__(ROOT / "functions/ingest_document/episodes.toml")
    assert isinstance(made.cards, writer)
    assert made.contexts is None


def test_bulk_calls_adapt_their_rate_and_each_has_a_connection() -> None:
    made = client("bedrock-runtime", read_timeout_seconds=120, attempts=6, bulk_calls=16).meta.config
    assert (made.retries, made.max_pool_connections) == ({"mode": "adaptive", "total_max_attempts": 6}, 16)
    assert (made.read_timeout, made.tcp_keepalive) == (120, True)
