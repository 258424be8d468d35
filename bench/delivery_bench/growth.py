"""How much is written for an answer, by its length, compared with a log that keeps the chunks in one item's list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from cicada.answering.pump import STEADY, Pace
from tests.metered.pipeline import PacedModel, Pipeline, tokens
from tests.metered.table import Metered, MeteredTables

LENGTHS = (100, 1000, 4000)
TOKENS_PER_SECOND = 100
# Long enough that the events before the answer are sent first, as with a real model.
_THINKING_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Growth:
    """One answer. Bytes are of items as stored, each time they are written; `payload` is the events' JSON alone.

    `first_chunk_bytes`: what was sent without waiting for more text. The list's figures are for the same chunks, and
    for a chunk a token.
    """

    tokens: int
    answer_bytes: int
    events: int
    chunks: int
    first_chunk_bytes: int
    payload_bytes: int
    event_bytes: int
    head_bytes: int
    write_units: float
    list_bytes: int
    list_units: float
    list_of_tokens_bytes: int
    list_of_tokens_units: float


def growth(length: int, *, haste: float) -> Growth:
    """Measure an answer of `length` tokens. `haste`: factor by which tokens arrive and chunks leave faster."""
    pace = Pace(STEADY.least_seconds / haste, STEADY.most_seconds / haste)
    pipeline = Pipeline(PacedModel(tokens(length), TOKENS_PER_SECOND * haste, _THINKING_SECONDS), pace)
    pipeline.connect()
    key = pipeline.accept()
    before = pipeline.aws.tables.metered
    pipeline.aws.tables.metered = after = Metered()
    pipeline.process(key)
    frames = [json.loads(frame) for frame in pipeline.aws.frames]
    chunks = [frame["content"] for frame in frames if frame["type"] == "chunk"]
    list_of_chunks, list_of_tokens = listed(chunks), listed(tokens(length))
    return Growth(
        tokens=length,
        answer_bytes=len("".join(chunks).encode()),
        events=len(frames) + 1,  # with `accepted`, which the command's reply carries
        chunks=len(chunks),
        first_chunk_bytes=len(chunks[0].encode()),
        payload_bytes=sum(len(_payload(frame)) for frame in frames),
        event_bytes=before.put_bytes + after.put_bytes,
        head_bytes=before.update_bytes + after.update_bytes,
        write_units=before.write_units + after.write_units,
        list_bytes=list_of_chunks.written_bytes,
        list_units=list_of_chunks.write_units,
        list_of_tokens_bytes=list_of_tokens.written_bytes,
        list_of_tokens_units=list_of_tokens.write_units,
    )


def listed(chunks: Sequence[str]) -> Metered:
    """Bytes written when each chunk is appended to a list in the request's one item.

    DynamoDB writes the whole item each time.
    """
    tables = MeteredTables()
    key = {"pk": {"S": "default#7e57d004-2b97-4e7a-b45f-5387367791cd#request"}}
    tables.call("PutItem", {"TableName": "requests", "Item": {**key, "chunks": {"L": []}}})
    for number, content in enumerate(chunks, start=1):
        chunk = {"M": {"sequence": {"N": str(number)}, "content": {"S": content}}}
        tables.call(
            "UpdateItem",
            {
                "TableName": "requests",
                "Key": key,
                "UpdateExpression": "SET chunks = list_append(chunks, :new)",
                "ExpressionAttributeValues": {":new": {"L": [chunk]}},
            },
        )
    return tables.metered


def _payload(frame: dict[str, object]) -> bytes:
    body = {name: value for name, value in frame.items() if name not in ("requestId", "seq")}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
