"""The stand-in on a real socket, and unmodified boto3 clients that reach it."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any

import boto3
import pytest
import uvicorn
from botocore.config import Config
from starlette.types import ASGIApp

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.settings import Settings
from tests.patience import PATIENCE_SECONDS

Serve = Callable[[ASGIApp], str]
Client = Callable[..., Any]

PROMPT = """Passages:

[1] Episode: Macbeth · Chapter: 5.5 Dunsinane. Within the castle. · Messages: 12–31
Speakers: Macbeth, Seyton
(A cry of women within)
MACBETH: What is that noise?
SEYTON: It is the cry of women, my good lord. [Exit]
MACBETH: Wherefore was that cry?
SEYTON: The queen, my lord, is dead.
MACBETH: She should have died hereafter; There would have been a time for such a word.

[2] Episode: Macbeth · Chapter: 5.3 Dunsinane. A room in the castle. · Messages: 1–9
Speakers: Macbeth, Doctor
DOCTOR: Not so sick, my lord, As she is troubled with thick-coming fancies, That keep her from her rest.
MACBETH: Cure her of that.

Question: """


def converse_request(text: str, **more: Any) -> dict[str, Any]:
    return {"modelId": "amazon.nova-lite-v1:0", "messages": [{"role": "user", "content": [{"text": text}]}], **more}


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Serve an application in a thread on a free port; its URL."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="critical", ws="none", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join(PATIENCE_SECONDS)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:
        yield lambda app: servers.enter_context(running(app))


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM.load(model_folder())


@contextmanager
def connecting() -> Iterator[Client]:
    """Makes boto3 clients that find the stand-in through the environment, as the functions do."""
    with pytest.MonkeyPatch.context() as environment, ExitStack() as clients:
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")

        def connect(service: str, url: str, read_timeout: float = PATIENCE_SECONDS) -> Any:
            environment.setenv(f"AWS_ENDPOINT_URL_{service.upper().replace('-', '_')}", url)
            config = Config(retries={"total_max_attempts": 1}, read_timeout=read_timeout)
            made = boto3.client(service, region_name="us-east-1", config=config)  # type: ignore[call-overload]
            clients.callback(made.close)
            return made

        yield connect


@pytest.fixture
def client() -> Iterator[Client]:
    with connecting() as connect:
        yield connect


@pytest.fixture(scope="module")
def runtime() -> Iterator[Any]:
    """bedrock-runtime against a stand-in with the hash embedder and no pauses."""
    app = build(Settings(tokens_per_second=0), HashEmbedder())
    with running(app) as url, connecting() as connect:
        yield connect("bedrock-runtime", url)
