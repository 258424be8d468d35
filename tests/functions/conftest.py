from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.bootstrap import audit
from cicada.bootstrap.authorizer import token_verifier
from cicada.documents.model import DocumentKey
from cicada.knowledge_bases.calibrations import SHIPPED, embedder_name, write_calibrations
from cicada.observability.audit import AuditRecorder
from tests.contract import access_list_table
from tests.fakes.audit import RecordingTrail
from tests.fakes.user_pool import CLIENT_ID, ISSUER, UserPool, user_pool
from tests.functions.deployed_processor import DIMENSION, MODEL_ID, SCRIPTS, Deployed, deployed_on, keep
from tests.functions.message_path import MessagePath, Metrics, forget, message_path


@pytest.fixture(autouse=True)
def audited(monkeypatch: pytest.MonkeyPatch) -> RecordingTrail:
    """The audit trail of every function."""
    trail = RecordingTrail()
    monkeypatch.setattr(audit, "_recorder", lambda: AuditRecorder(trail, audit._lost))
    return trail


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagePath]:
    """The message path with the console connected."""
    with message_path(monkeypatch) as path:
        path.connect()
        yield path


@pytest.fixture
def few_commands(path: MessagePath, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowest limit that a stage can have: sixty units a minute, twelve commands of five units each."""
    monkeypatch.setenv("CICADA_COMMANDS_PER_MINUTE", "60")
    monkeypatch.setenv("CICADA_MESSAGES_PER_MINUTE", "12")
    forget()
    # What it cost to connect has flowed back.
    path.clock.now += 1


@pytest.fixture
def deploy(path: MessagePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deployed:
    """Gives a context in which Bedrock replies as scripted. The index, `index.sqlite`, holds one play.

    The stack is calibrated for its embedder as for the local stage's.
    """
    keep(tmp_path / "index.sqlite", "macbeth.json")
    calibration = replace(SHIPPED, embedder=embedder_name(MODEL_ID, DIMENSION))
    record = DynamoBaseTable(path.database, access_list_table.TABLE)
    record.write_calibrations(write_calibrations((), [calibration]))
    DynamoAccessListTable(path.database, access_list_table.TABLE).record(DocumentKey(SCRIPTS, "macbeth.json"), ())
    return deployed_on(tmp_path / "index.sqlite", monkeypatch)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[UserPool]:
    """The user pool whose tokens the authorizer lets in."""
    with user_pool() as pool:
        monkeypatch.setenv("CICADA_TOKEN_ISSUER", ISSUER)
        monkeypatch.setenv("CICADA_TOKEN_CLIENT_ID", CLIENT_ID)
        monkeypatch.setenv("CICADA_TOKEN_KEYS_URL", pool.url)
        monkeypatch.delenv("CICADA_DEFAULT_TENANT", raising=False)
        token_verifier.cache_clear()
        yield pool
    token_verifier.cache_clear()


@pytest.fixture
def metrics(capsys: pytest.CaptureFixture[str]) -> Metrics:
    """Reads the metrics that were written since."""
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """The functions' formatted log; captured here because the handler holds an earlier standard output."""
    [handler] = [each for each in logging.getLogger("cicada").handlers if isinstance(each, logging.StreamHandler)]
    text = io.StringIO()
    monkeypatch.setattr(handler, "stream", text)
    yield text
