"""The message processor's other dependencies: an index, a scripted Bedrock, and Lambda's poller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator
from cicada.retrieval.model import EmbeddedPassage
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.fakes.bedrock_wire import (
    Answered,
    Reply,
    ScriptedBedrock,
    Streamed,
    event,
    reply_end,
    scripted_bedrock,
    text_delta,
)

MODEL_ID = "amazon.titan-embed-text-v2:0"
DIMENSION = 256
VECTOR = [1.0] + [0.0] * (DIMENSION - 1)
SCRIPTS = KnowledgeBaseKey("default", "scripts")
EMBEDDED = Answered({"embedding": VECTOR, "inputTextTokenCount": 9})
SAID = Streamed(
    (
        event("messageStart", {"role": "assistant"}),
        text_delta("Seyton tells him "),
        text_delta("[1]."),
        *reply_end(read=120, written=6),
    )
)
MESSAGE = "Who tells Macbeth that the queen is dead?"
Deployed = Callable[..., Any]


def keep(index_file: Path, name: str, title: str = "Macbeth", readers: tuple[str, ...] = ()) -> None:
    """Put a play of one passage into the index. Each of them answers `MESSAGE`, and shows its title."""
    document = DocumentKey(SCRIPTS, name)
    locator = ScriptLocator("macbeth", "Macbeth", "5.5", "Dunsinane", 12, 15, ("Seyton", "Macbeth"))
    text = "The queen, my lord, is dead."
    said = Passage(f"{name}#000001", document, "v1", title, text, "", locator, readers=readers)
    index = SqlitePassageIndex(index_file, MODEL_ID, DIMENSION)
    index.replace(document, [EmbeddedPassage(said, VECTOR)])


def deployed_on(index_file: Path, monkeypatch: pytest.MonkeyPatch) -> Deployed:
    """Gives a context in which the processor searches this index and Bedrock replies as scripted."""
    for name, value in {
        "SEARCH_ENGINE": "embedded",
        "INDEX_PATH": str(index_file),
        "EMBEDDING_MODEL_ID": MODEL_ID,
        "EMBEDDING_DIMENSION": str(DIMENSION),
        "CHAT_MODEL_IDS": "amazon.nova-lite-v1:0",
        "AGENTS": "converse",
        "AGENT_MODEL_ID": "amazon.nova-pro-v1:0",
        "LEAST_PACE_SECONDS": "0",
        "MOST_PACE_SECONDS": "0",
    }.items():
        monkeypatch.setenv(f"CICADA_{name}", value)

    @contextmanager
    def deployed(*replies: Reply) -> Iterator[ScriptedBedrock]:
        with scripted_bedrock(*replies) as bedrock:
            monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", bedrock.url)
            yield bedrock

    return deployed


def delivered(*bodies: str) -> dict[str, Any]:
    """An event in which Lambda's poller passes messages on."""
    records = [
        {
            "messageId": f"message-{number}",
            "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
            "body": body,
            "attributes": {
                "ApproximateReceiveCount": "1",
                "SentTimestamp": "1795262400000",
                "SequenceNumber": "18890000000000000000",
                "MessageGroupId": "g",
                "SenderId": "AIDAEXAMPLE",
                "MessageDeduplicationId": "d",
                "ApproximateFirstReceiveTimestamp": "1795262400005",
            },
            "messageAttributes": {},
            "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
            "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:cicada-requests.fifo",
            "awsRegion": "us-east-1",
        }
        for number, body in enumerate(bodies, start=1)
    ]
    return {"Records": records}
