"""What a stage uses in a month, by the names of the prices: counted calls, and assumptions that are said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from infra.model_regions import base_model
from infra.settings import StageSettings

Amounts: TypeAlias = Iterator[tuple[str, float]]
HOURS_A_MONTH = 730
# NextGen searches with two workers and indexes with one, and rests after ten idle minutes (docs/aws.md).
SEARCH_UNITS, INDEXING_UNITS, IDLE_HOURS = 2, 1, 1 / 6
# A question whose answer is one chunk, in a session that goes on; each further chunk; and the chunks of an answer of
# three seconds at the pace of answers. tests/cli/test_cost_command.py counts them in the code that answers.
ONE_CHUNK: Mapping[str, float] = {"dynamodb_write_unit": 40, "dynamodb_read_unit": 5, "api_gateway_message": 7}
NEXT_CHUNK: Mapping[str, float] = {"dynamodb_write_unit": 2, "api_gateway_message": 1}
CHUNKS = 12
# A connection lasts ten minutes, has five questions, and its client pings twice.
_QUESTIONS_A_CONNECTION = 5
_CONNECTION: Mapping[str, float] = {
    "dynamodb_write_unit": 2,
    "api_gateway_message": 4,
    "api_gateway_connection_minute": 10,
    "lambda_request": 5,
    "lambda_gb_second": 5 * 0.5 * 0.05,
}
# An answer of four seconds by the processor, and the function that takes the question.
_ANSWER_GB_SECONDS = 0.5 * 4 + 0.5 * 0.05
# Send, receive, delete; and Lambda's five pollers of each queue, which wait for 20 seconds at a time.
_QUEUE_REQUESTS, _POLLS = 3, 5 * 3 * 60 * HOURS_A_MONTH
ALARM_METRICS, METRICS = 75, 50
_KB = 1e-6  # of a GB
_EVENTS_KB, _DAYS_KEPT, _LOG_KB = 30, 7, 15
_QUESTIONS_A_USER, _FREE_USERS = 50, 10_000


@dataclass(frozen=True, slots=True)
class Way:
    """One way of answering: its share of the questions, and the tokens that all its `calls` of `model` read and write.

    `model`: `chat`, `agent` or `plan`. Tests count the calls in the code that answers.
    """

    share: float
    model: str = "chat"
    calls: int = 0
    read: int = 0
    written: int = 0


# Passages take at most 4,000 tokens of a prompt, beside about 500 of instructions and conversation.
WAYS: Mapping[str, Way] = {
    "passages": Way(0.75, calls=1, read=4500, written=300),
    "the catalogue": Way(0.1),
    "whole documents": Way(0.05, calls=1, read=4500, written=400),
    "an agent": Way(0.05, "agent", calls=3, read=7500, written=450),
    "conversation": Way(0.05, calls=1, read=300, written=100),
}
# Beside these ways: the planning model is asked where the rules are unsure.
PLANNED_BY_A_MODEL = Way(0.1, "plan", calls=1, read=3000, written=150)
_QUESTION_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Document:
    """A document of usual length. Its passages are embedded, and the card with them; each passage gets a context."""

    passages: int = 40
    passage_tokens: int = 200
    kilobytes: int = 1000
    context_tokens: int = 60
    instruction_tokens: int = 150
    indexed_kilobytes: int = 10
    s3_writes: int = 8
    s3_reads: int = 8
    gb_seconds: float = 3 * 20


DOCUMENT = Document()


@dataclass(frozen=True, slots=True)
class Month:
    """`hours`: those in which questions come. `documents`: those that are ingested, each once, and kept.

    `scanned_pages`: of those of them that are scans.
    """

    questions: int
    hours: float
    documents: int
    scanned_pages: int = 0

    @property
    def awake_hours(self) -> float:
        """The hours in which the search is awake: a question keeps it so for ten minutes."""
        return min(HOURS_A_MONTH, self.hours + IDLE_HOURS, self.questions * IDLE_HOURS)


def usage(month: Month, settings: StageSettings) -> dict[str, float]:
    """Amounts by the names of the prices."""
    found: dict[str, float] = {}
    parts = (_search(month, settings), _answers(month), _models(month, settings), _documents(month, settings), _idle())
    for name, amount in chain(*parts):
        found[name] = found.get(name, 0) + amount
    return {name: amount for name, amount in found.items() if amount}


def most_units(settings: StageSettings) -> int:
    """The units of search and ingest that a stage may use at once."""
    return settings.search_units + settings.indexing_units


def _search(month: Month, settings: StageSettings) -> Amounts:
    awake, warm = month.awake_hours, settings.warm_search_units
    yield "opensearch_ocu_hour", max(SEARCH_UNITS, warm) * awake + warm * (HOURS_A_MONTH - awake)
    yield "opensearch_ocu_hour", INDEXING_UNITS * min(HOURS_A_MONTH, month.documents * IDLE_HOURS)


def _answers(month: Month) -> Amounts:
    """The way of a question and its answer, beside search and models."""
    questions, connections = month.questions, month.questions / _QUESTIONS_A_CONNECTION
    for counted, times in ((ONE_CHUNK, questions), (NEXT_CHUNK, (CHUNKS - 1) * questions), (_CONNECTION, connections)):
        yield from ((name, amount * times) for name, amount in counted.items())
    yield "lambda_gb_second", _ANSWER_GB_SECONDS * questions
    yield "lambda_request", 2 * questions
    yield "sqs_fifo_request", _QUEUE_REQUESTS * questions
    yield "dynamodb_gb_month", _EVENTS_KB * _KB * questions * _DAYS_KEPT / 30
    yield "log_gb", _LOG_KB * _KB * questions
    yield "trace", questions
    yield "cognito_user_month", max(0, questions / _QUESTIONS_A_USER - _FREE_USERS)


def _models(month: Month, settings: StageSettings) -> Amounts:
    planner = next(iter(settings.plan_model_ids), "")
    ids = {"chat": settings.chat_model_ids[0], "agent": settings.agent_model_id, "plan": planner}
    for way in (*WAYS.values(), PLANNED_BY_A_MODEL):
        if ids[way.model]:
            yield f"{base_model(ids[way.model])} read", way.share * way.read * month.questions
            yield f"{base_model(ids[way.model])} written", way.share * way.written * month.questions
    searched = WAYS["passages"].share * month.questions
    yield f"{base_model(settings.embedding_model_id)} read", _QUESTION_TOKENS * searched
    for reranker in settings.rerank_model_ids[:1]:
        yield f"{reranker} query", searched / 3


def _documents(month: Month, settings: StageSettings) -> Amounts:
    """Each document is ingested once in the month."""
    count, passages = month.documents, DOCUMENT.passages * month.documents
    embedded = (passages + count) * DOCUMENT.passage_tokens
    yield f"{base_model(settings.embedding_model_id)} read", embedded
    if model := settings.context_model_id and base_model(settings.context_model_id):
        # The document is read from the model's cache, once for each passage.
        yield f"{model} read", passages * (DOCUMENT.passage_tokens + DOCUMENT.instruction_tokens)
        yield f"{model} read from its cache", passages * DOCUMENT.passages * DOCUMENT.passage_tokens
        yield f"{model} written", passages * DOCUMENT.context_tokens
    if settings.ocr:
        yield "textract_page", month.scanned_pages
    yield "opensearch_gb_month", passages * DOCUMENT.indexed_kilobytes * _KB
    yield "s3_gb_month", DOCUMENT.kilobytes * 2 * _KB * count
    yield "s3_write", DOCUMENT.s3_writes * count
    yield "s3_read", DOCUMENT.s3_reads * count
    yield "dynamodb_write_unit", 2 * count
    yield "lambda_gb_second", DOCUMENT.gb_seconds * count
    yield "lambda_request", count
    yield "sqs_request", _QUEUE_REQUESTS * count


def _idle() -> Amounts:
    """What is paid without a question: what watches the stage, and Lambda's polling of the two queues."""
    yield "alarm_metric_month", ALARM_METRICS
    yield "metric_month", METRICS
    yield "dashboard_month", 1
    yield "sqs_fifo_request", _POLLS
    yield "sqs_request", _POLLS
