"""Embedding a large file where the service throttles: `python -m evals.throttled_embedding`.

A server in this process speaks Bedrock's InvokeModel for Titan (one text a call) and Cohere (96 texts a call). Each
call takes a tenth of a second, and calls above a rate are refused with ThrottlingException. Ingest's embedder sends it
the texts of one file through a real client, and again after each failure, as SQS delivers a file again, until all have
vectors or five deliveries are used up. `retries` is a client of fixed concurrency that tries each call three times;
`adaptive` is ingest's, with kept vectors.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import boto3
from botocore.config import Config

from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.adapters.retry import Retry
from cicada.bootstrap.aws import bulk_configuration
from cicada.bootstrap.ingest import ATTEMPTS, CALLS_OF_A_FLIGHT, FLIGHTS
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.errors import DependencyError
from cicada.ingest.vectors import Encoder
from cicada.retrieval.batching import BatchingEmbedder
from cicada.retrieval.model import Vector

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "handbook"), "book.md")
TITAN, COHERE = "amazon.titan-embed-text-v2:0", "cohere.embed-v4:0"
DIMENSION = 256
DELIVERIES = 5
_CALL_SECONDS = 0.1


@dataclass(slots=True)
class Service:
    """Accepts `rate` calls a second, as a bucket of as many tokens as it gets in a second."""

    rate: float
    tokens: float = 0.0
    at: float = field(default_factory=time.monotonic)
    calls: int = 0
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def accepts(self) -> bool:
        with self.lock:
            now = time.monotonic()
            self.tokens, self.at = min(self.rate, self.tokens + (now - self.at) * self.rate), now
            self.calls += 1
            if self.tokens < 1:
                self.refused += 1
                return False
            self.tokens -= 1
            return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, service: Service) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that closes its connections is no failure."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not cast(_Server, self.server).service.accepts():
            self._reply(429, {"message": "Too many requests"}, {"x-amzn-ErrorType": "ThrottlingException"})
            return
        time.sleep(_CALL_SECONDS)
        vector = [1.0] + [0.0] * (DIMENSION - 1)
        many = {"embeddings": {"float": [vector] * len(request.get("texts", ()))}}
        self._reply(200, many if "texts" in request else {"embedding": vector}, {})

    def _reply(self, status: int, body: object, headers: dict[str, str]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """The server is quiet."""


class Kept(dict[str, list[Vector]]):
    """Kept vectors in memory."""

    def read(self, document: DocumentKey, part: str) -> list[Vector] | None:  # noqa: ARG002 - there is one
        return self.get(part)

    def write(self, document: DocumentKey, part: str, vectors: Sequence[Vector]) -> None:  # noqa: ARG002
        self[part] = list(vectors)


@dataclass(frozen=True, slots=True)
class Way:
    """How a file is embedded."""

    name: str
    config: Config
    retry: Retry
    concurrency: int
    keeps: bool


RETRIES = Way("retries", Config(retries={"mode": "standard", "total_max_attempts": 1}), Retry(), 4, keeps=False)
ADAPTIVE = Way(
    "adaptive",
    bulk_configuration(ATTEMPTS, FLIGHTS * CALLS_OF_A_FLIGHT),
    Retry(attempts=1),
    CALLS_OF_A_FLIGHT,
    keeps=True,
)


@dataclass(frozen=True, slots=True)
class Measured:
    """`least_seconds`: what the service's rate allows. `is_whole`: whether all texts have vectors at the end."""

    model: str
    way: str
    texts: int
    calls_a_second: float
    is_whole: bool
    deliveries: int
    calls: int
    refused: int
    seconds: float
    least_seconds: float


def measured(model_id: str, way: Way, texts: int, rate: float) -> Measured:
    service, kept = Service(rate), Kept() if way.keeps else None
    with _embedder(service, model_id, way) as embedder:
        encoder = Encoder(embedder, DOCUMENT, kept=kept)
        began = time.monotonic()
        deliveries, is_whole = _delivered(lambda: encoder.stored(_passages(texts), [""] * texts, "", None))
        seconds = time.monotonic() - began
    least = -(-texts // (1 if model_id == TITAN else 96)) / rate
    return Measured(
        model_id, way.name, texts, rate, is_whole, deliveries, service.calls, service.refused, round(seconds, 1), least
    )


def _delivered(ingest: Callable[[], object]) -> tuple[int, bool]:
    """How many deliveries it takes, and whether the last one succeeded."""
    for delivery in range(1, DELIVERIES + 1):
        try:
            ingest()
        except DependencyError:
            continue
        return delivery, True
    return DELIVERIES, False


@contextmanager
def _embedder(service: Service, model_id: str, way: Way) -> Iterator[BatchingEmbedder]:
    server = _Server(service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=f"http://127.0.0.1:{server.server_port}",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - nobody checks it
        config=way.config,
    )
    embedder = BedrockEmbedder(client, model_id, DIMENSION, way.retry, way.concurrency)
    try:
        with closing(BatchingEmbedder(embedder, flights=FLIGHTS)) as batching:
            yield batching
    finally:
        client.close()
        server.shutdown()
        server.server_close()


def _passages(count: int) -> list[Passage]:
    return [Passage(f"book.md#{n}", DOCUMENT, "v1", "Book", f"text {n}", "", SectionLocator(())) for n in range(count)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 if ingest's embedder gets the file whole in one delivery."""
    parser = argparse.ArgumentParser(description="Embedding a large file where the service throttles.")
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=33.0, help="calls a second that the service accepts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    found = [measured(TITAN, way, options.texts, options.rate) for way in (RETRIES, ADAPTIVE)]
    found.append(measured(COHERE, ADAPTIVE, options.texts, options.rate))
    if options.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
    else:
        for each in found:
            print("   ".join(f"{name} {value}" for name, value in asdict(each).items()))
    return 0 if all(each.is_whole and each.deliveries == 1 for each in found if each.way == ADAPTIVE.name) else 1


if __name__ == "__main__":
    sys.exit(main())
