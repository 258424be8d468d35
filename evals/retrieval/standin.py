"""The Bedrock stand-in as a child process, and the production embedder that reaches it."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.errors import UnavailableError
from cicada.retrieval.ports import Embedder
from local.stage.isolated import free_port
from local.stage.processes import Running, answers, start, wait_until
from local.stage.settings import REGION, StageError, inherited

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

MODEL_ID, DIMENSION = "cicada.minilm-l6-v2", 384

Say = Callable[[str], None]


class Standin:
    """Started when it is first needed, on a free port. Its log stays in `folder` if it fails."""

    def __init__(self, say: Say, folder: Path) -> None:
        self._say = say
        self._folder = folder
        self._running: Running | None = None
        self._embedder: Embedder | None = None

    def embedder(self) -> Embedder:
        """Raises `UnavailableError` if the stand-in does not start, for example without the model's package."""
        if self._embedder is None:
            self._embedder = BedrockEmbedder(self._client(), MODEL_ID, DIMENSION, concurrency=1)
        return self._embedder

    def stop(self) -> None:
        if self._running:
            self._running.stop()
            if self._embedder:
                self._running.log.unlink()

    def _client(self) -> "BedrockRuntimeClient":
        self._say("Starting the encoder …")
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        log = self._folder / f"encoder-{port}.log"
        command = [sys.executable, "-m", "local.bedrock", "--port", str(port)]
        try:
            self._running = start("Bedrock stand-in", command, inherited() | {"OPENBLAS_NUM_THREADS": "1"}, log)
            wait_until(answers(f"{url}/health"), self._running)
        except StageError as error:
            raise UnavailableError(str(error)) from error
        return boto3.client(
            "bedrock-runtime",
            region_name=REGION,
            endpoint_url=url,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - the stand-in asks for none
            config=Config(read_timeout=300, retries={"total_max_attempts": 1}),
        )
