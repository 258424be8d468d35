"""A stage that is asked, loses its data, gets it back and is asked again, with the commands of an operator.

The order is that of docs/operations/restore.md. The emulator keeps no backups: the tables are copied before the loss.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cicada.adapters.dynamodb.table import delete_rows
from cicada_client.answer import Answer
from cicada_client.client import Client
from cicada_client.errors import RefusedError
from cicada_client.events import Event
from cicada_client.timing import Timing
from local.stage.aws import aws_client
from local.stage.settings import inherited
from tests.chaos.target import Target
from tests.deploy_proof.report import ProofError
from tests.deploy_proof.target import run
from tests.e2e.store import BASE, ingested
from tests.residue.walk import settle

_USER = "alice"
_PATIENT = Timing(patience_seconds=120)
_TABLES = ("requests", "entries", "readers")
_COPY = "{}-restored"
_PROFILE = ("scripts", "Create a character profile for Macbeth: thane of Glamis, brave and easily led")
_QUESTIONS = (
    ("scripts", "Who tells Macbeth that the queen is dead?"),
    ("scripts", "Show me my profile of Macbeth"),
    (BASE, "How many SOPs are there?"),
    (BASE, "List the contracts"),
    (BASE, "How many documents are there of each type?"),
)
Memory = dict[tuple[str, str], Any]  # What a stage says, by kind (answer, turn, document) and name.


def differences(before: Memory, after: Memory) -> list[str]:
    """What is lacking or otherwise afterwards. What is there besides is newer."""
    return [" ".join(name) for name in before if after.get(name) != before[name]]


class RehearsedStage:
    """Each step returns what it has shown, and raises `ProofError` if that is not what it should be."""

    def __init__(self, stage: Target, home: Path) -> None:
        self._stage = stage
        found = {"CICADA_STAGE_FILE": str(stage.config.info_file), "XDG_STATE_HOME": str(home)}
        self._environment = inherited() | found
        self._bucket = stage.info["outputs"]["DocumentsBucket"]
        self._tables = {name: stage.info["outputs"][f"{name.title()}Table"] for name in _TABLES}
        self._s3, self._dynamodb = aws_client(stage.config, "s3"), aws_client(stage.config, "dynamodb")
        self._lost_at, self._before = datetime.now(UTC), Memory()

    def steps(self) -> list[tuple[str, Callable[[], str]]]:
        return [
            ("use", self._use),
            ("copy tables", self._copy_tables),
            ("lose documents", self._lose_documents),
            ("lose tables, index", self._lose_tables_and_index),
            ("see the loss", self._see_the_loss),
            ("restore tables", self._restore_tables),
            ("restore bucket", self._restore_bucket),
            ("rebuild index", self._rebuild),
            ("compare", self._compare),
        ]

    def _use(self) -> str:
        self._s3.put_bucket_versioning(Bucket=self._bucket, VersioningConfiguration={"Status": "Enabled"})
        ingested(self._stage)
        self._ask(*_PROFILE)
        self._before = self._answers() | self._turns() | self._documents()
        return _counted(self._before)

    def _copy_tables(self) -> str:
        restore, rows = self._dynamodb.restore_table_to_point_in_time, 0
        for name, table in self._tables.items():
            restore(SourceTableName=table, TargetTableName=_COPY.format(name), UseLatestRestorableTime=True)
            self._dynamodb.get_waiter("table_exists").wait(TableName=_COPY.format(name))
            rows += len(self._keys(_COPY.format(name)))
        return f"restore-table-to-point-in-time: {rows} rows of {', '.join(self._tables)}"

    def _lose_documents(self) -> str:
        """Ingest takes what is deleted from the bucket out of the ground truth too, as a user's removal."""
        self._lost_at = datetime.now(UTC).replace(microsecond=0)
        lost = self._delete_objects(f"documents/default/{BASE}/")
        while self._objects(f"truth/default/{BASE}/"):
            time.sleep(0.2)
        settle(self._stage)
        return f"{lost} files, with their ground truth"

    def _lose_tables_and_index(self) -> str:
        truth, rows = self._delete_objects("truth/"), 0
        for table in self._tables.values():
            keys = self._keys(table)
            delete_rows(self._dynamodb, table, keys)
            rows += len(keys)
        path = self._stage.config.index_path
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        return f"{rows} rows of {', '.join(self._tables)}, the ground truth of {truth} more documents, the index"

    def _see_the_loss(self) -> str:
        """A rehearsal that lost nothing would prove nothing."""
        lost = differences(self._before, self._asked_again())
        if len(lost) < len(self._before):
            raise ProofError(f"Of {_counted(self._before)} only this was lost: {', '.join(lost)}")
        return f"{_counted(self._before)}: none is as before"

    def _restore_tables(self) -> str:
        found = [self._cicada("restore", name, "--from", _COPY.format(name))["restored"] for name in self._tables]
        return f"cicada restore: {found} rows of {', '.join(self._tables)}"

    def _restore_bucket(self) -> str:
        """Delete the delete markers since the loss: the ground truth first, so that ingest embeds nothing again."""
        list_versions, deleted = self._s3.get_paginator("list_object_versions").paginate, 0
        for prefix in ("truth/", "documents/"):
            pages = list_versions(Bucket=self._bucket, Prefix=prefix)
            for each in [marker for page in pages for marker in page.get("DeleteMarkers", [])]:
                if each["LastModified"] >= self._lost_at:
                    self._s3.delete_object(Bucket=self._bucket, Key=each["Key"], VersionId=each["VersionId"])
                    deleted += 1
        settle(self._stage)
        return f"delete-object: {deleted} delete markers"

    def _rebuild(self) -> str:
        return f"cicada rebuild: {self._cicada('rebuild')['documents']} documents"

    def _compare(self) -> str:
        if different := differences(self._before, self._asked_again()):
            raise ProofError(f"This is not as it was: {', '.join(different)}")
        return f"{_counted(self._before)}: all as before"

    def _asked_again(self) -> Memory:
        """The conversations are read before the questions make new ones."""
        return self._turns() | self._documents() | self._answers()

    def _answers(self) -> Memory:
        return {("answer", message): self._ask(base, message) for base, message in _QUESTIONS}

    def _ask(self, base: str, message: str) -> Any:
        with self._client() as client:
            try:
                return _content(client.ask(message, knowledge_base=base))
            except RefusedError as refused:
                return refused.code

    def _turns(self) -> Memory:
        """All turns of all conversations, as `resume` replays them."""
        with self._client() as client:
            return {
                ("turn", turn.request_id): (session, turn, _content(client.follow(turn.request_id)))
                for session in client.history().sessions
                for turn in client.history(session.session_id).turns
            }

    def _documents(self) -> Memory:
        listed = self._cicada("documents", "list", "--knowledge-base", BASE, "--tenant", "default")["documents"]
        return {("document", each["documentId"]): each for each in listed}

    def _client(self) -> Client:
        return Client(self._stage.url, lambda: self._stage.token(_USER), timing=_PATIENT)

    def _keys(self, table: str) -> list[Mapping[str, Any]]:
        names = [each["AttributeName"] for each in self._dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]]
        pages = self._dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        return [{name: row[name] for name in names} for page in pages for row in page["Items"]]

    def _objects(self, prefix: str) -> list[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def _delete_objects(self, prefix: str) -> int:
        keys = self._objects(prefix)
        return len([self._s3.delete_object(Bucket=self._bucket, Key=key) for key in keys])

    def _cicada(self, *arguments: str) -> dict[str, Any]:
        return dict(json.loads(run([sys.executable, "-m", "cli", *arguments, "--json"], self._environment)))


def _content(events: Iterable[Event]) -> tuple[Any, ...]:
    """What a user reads of an answer; ids, times and numbers of tokens differ from run to run."""
    answer = Answer()
    for event in events:
        answer = answer.then(event)
    sources = [(each.document_id, each.title, each.excerpt) for each in answer.sources]
    return answer.status, answer.text, sources, answer.listing and replace(answer.listing, request_id="", seq=0)


def _counted(memory: Memory) -> str:
    return ", ".join(f"{number} {kind}s" for kind, number in Counter(kind for kind, _ in memory).items())
