"""What 1,000 turns cost beside the model and the search: counted calls times list prices."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from cicada.answering.pump import Pace
from cli.operator.prices import priced, read_prices
from tests.metered.pipeline import PacedModel, Pipeline, tokens

TURN_TOKENS = 300
TOKENS_PER_SECOND = 100
FIRST_TOKEN_SECONDS = 0.5
# A connection lasts ten minutes and has five turns; clients ping after five idle minutes.
_TURNS_A_CONNECTION = 5
_CONNECTION_MINUTES = 10
_PINGS_A_CONNECTION = 2
# Memory and duration of the function that accepts a message, and of those that open and close a connection.
_COMMAND_GB = 0.5
_COMMAND_SECONDS = 0.05
_CONNECTION_FUNCTIONS = 3
_PROCESSOR_GB = 0.5
# Send, receive, delete.
_QUEUE_REQUESTS = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """A turn: a question that is searched, and an answer of 300 tokens at 100 a second, 0.5 s after the question.

    `counts` are those of one turn, `dollars` those of 1,000 turns.
    """

    pace: Pace
    counts: Mapping[str, float]
    dollars: Mapping[str, float]
    total: float
    priced: str


def cost(pace: Pace) -> Cost:
    """Run one turn in real time, count its calls, and price them."""
    prices, counts = read_prices(), turn(pace)
    dollars = priced({name: 1000 * count for name, count in counts.items()}, prices)
    oldest = min(prices[name].day for name in counts)
    return Cost(pace, counts, dollars, sum(dollars.values()), f"us-east-1, {oldest}")


def turn(pace: Pace, length: int = TURN_TOKENS) -> dict[str, float]:
    """What one turn uses, by the prices' names. The second turn of a session is counted: most are not the first."""
    model = PacedModel(tokens(length), TOKENS_PER_SECOND, FIRST_TOKEN_SECONDS)
    pipeline = Pipeline(model, pace)
    pipeline.connect()
    connected = pipeline.aws.tables.metered.write_units
    pipeline.accept()
    tables = pipeline.aws.tables.metered
    writes, reads = tables.write_units, tables.read_units
    key = pipeline.accept()
    began = time.perf_counter()
    pipeline.process(key)
    answering = time.perf_counter() - began
    share = 1 / _TURNS_A_CONNECTION
    return {
        # The connection's row is written and deleted.
        "dynamodb_write_unit": tables.write_units - writes + 2 * connected * share,
        "dynamodb_read_unit": tables.read_units - reads,
        # The question and `accepted`, besides the posted frames.
        "api_gateway_message": 2 + pipeline.aws.posted_messages + 2 * _PINGS_A_CONNECTION * share,
        "api_gateway_connection_minute": _CONNECTION_MINUTES * share,
        "lambda_gb_second": _PROCESSOR_GB * answering
        + _COMMAND_GB * _COMMAND_SECONDS * (1 + (_CONNECTION_FUNCTIONS + _PINGS_A_CONNECTION) * share),
        "lambda_request": 2 + (_CONNECTION_FUNCTIONS + _PINGS_A_CONNECTION) * share,
        "sqs_fifo_request": _QUEUE_REQUESTS,
    }
