"""Embeddings over Bedrock's InvokeModel."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import bedrock_errors
from cicada.adapters.bedrock.embedding_models import embedding_model
from cicada.adapters.retry import STANDARD, Retry
from cicada.errors import ConfigurationError, UnavailableError
from cicada.retrieval.model import Vector

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


class BedrockEmbedder:
    """`concurrency`: parallel calls; boto3 keeps 10 connections. An unknown model is refused."""

    def __init__(
        self,
        client: BedrockRuntimeClient,
        model_id: str,
        dimension: int,
        retry: Retry = STANDARD,
        concurrency: int = 4,
    ) -> None:
        self._client = client
        self._model_id = model_id
        self._dimension = dimension
        self._retry = retry
        self._concurrency = concurrency
        self._model = embedding_model(model_id, dimension)

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_query(self, text: str) -> Vector:
        return self._vectors(self._ask(self._model.request([text], query=True)), 1)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        size = self._model.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        if len(batches) < 2:
            return [vector for batch in batches for vector in self._embed(batch)]
        with ThreadPoolExecutor(min(self._concurrency, len(batches))) as pool:
            return [vector for vectors in pool.map(self._embed, batches) for vector in vectors]

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors(self._ask(self._model.request(texts, query=False)), len(texts))

    def _ask(self, request: dict[str, Any]) -> Any:
        body = json.dumps(request)
        return self._retry.call(lambda: self._invoke(body))

    def _vectors(self, reply: Any, count: int) -> list[Vector]:
        with _known_form():
            vectors = self._model.vectors(reply)
            if len(vectors) != count:
                raise UnavailableError(f"The embedding model returned {len(vectors)} vectors for {count} texts.")
            return [self._checked(vector) for vector in vectors]

    def _invoke(self, body: str) -> Any:
        with bedrock_errors():
            reply = self._client.invoke_model(
                modelId=self._model_id, body=body, contentType="application/json", accept="application/json"
            )
            text = reply["body"].read()
        try:
            return json.loads(text)
        except ValueError as error:
            raise UnavailableError("The embedding model's reply is not JSON.") from error

    def _checked(self, vector: list[float]) -> Vector:
        """The vector normalised to unit length, which only Titan guarantees."""
        if len(vector) != self._dimension:
            raise ConfigurationError(
                f"The embedding model {self._model_id} returned {len(vector)} dimensions, not {self._dimension}; "
                "correct the setting, then ingest again."
            )
        length = math.hypot(*vector)
        return vector if length in (0, 1) else [value / length for value in vector]


@contextmanager
def _known_form() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise UnavailableError("The embedding model's reply has an unknown form.") from error
