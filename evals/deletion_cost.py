"""`python -m evals.deletion_cost`: what it costs that removed documents are withheld and overwritten.

The network is left out. Figures of this machine.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

import boto3

from cicada.adapters.dynamodb.reader_table import DynamoReaderTable
from cicada.conversation.withholding import Withholding
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.identity.principal import Principal
from cicada.knowledge_bases.file import load_knowledge_bases
from cicada.permissions.gate import PermissionGate
from cicada.retrieval.model import EmbeddedPassage
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.delivery_bench.cost import PRICES
from evals.delivery_bench.metered_table import item_size
from evals.processor_time import median_ms

BASE = KnowledgeBaseKey("default", "store")
ANN = Principal("default", "7e57d004-2b97-4e7a-b45f-5387367791cd", frozenset({"finance"}))
# A resume of an answer from one document and of one from fifteen, a page of history, and as many as one call reads.
DOCUMENTS = (1, 15, 50, 100)
_READ_UNIT_BYTES = 4096
_PASSAGES, _OTHERS, _DIMENSION, _WORDS = 20, 50, 384, 150
_OVERWRITING = ("PRAGMA secure_delete", "PRAGMA wal_checkpoint", "VACUUM")


class Readers(BaseHTTPRequestHandler):
    """A table in which every document has two readers. Counts calls and what DynamoDB would bill."""

    protocol_version = "HTTP/1.1"
    calls = 0
    units = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        [(table, wanted)] = body["RequestItems"].items()
        items = [{**key, "readers": {"L": [{"S": "group:finance"}, {"S": "group:hr"}]}} for key in wanted["Keys"]]
        Readers.calls += 1
        # Strongly consistent, and each item is rounded up by itself.
        Readers.units += sum(-(-item_size(item) // _READ_UNIT_BYTES) for item in items)
        reply = json.dumps({"Responses": {table: items}, "UnprocessedKeys": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def main() -> int:
    print(json.dumps({"looking up": _look_ups(), "replacing": _replacements()}, indent=2))
    return 0


def _look_ups() -> list[dict[str, float]]:
    """Of each number of documents of a command: calls, read units, milliseconds, dollars for 1,000 commands."""
    price = json.loads(PRICES.read_text("utf-8"))["dollars"]["dynamodb_read_unit"]
    with ThreadingHTTPServer(("127.0.0.1", 0), Readers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        client: Any = boto3.Session("A", "B", region_name="us-east-1").client("dynamodb", endpoint_url=url)
        withholding = Withholding(PermissionGate(DynamoReaderTable(client, "readers")), load_knowledge_bases)
        found = []
        for count in DOCUMENTS:
            documents = frozenset(DocumentKey(BASE, f"policies/policy-{number:03}.md") for number in range(count))
            Readers.calls = Readers.units = 0
            withholding.withheld(ANN, documents)
            calls, units = Readers.calls, Readers.units
            taken = median_ms(partial(withholding.withheld, ANN, documents))
            found.append(
                {
                    "documents": count,
                    "calls": calls,
                    "read units": units,
                    "ms": taken,
                    "$ / 1,000": 1000 * units * price,
                }
            )
        server.shutdown()
    return found


def _replacements() -> dict[str, dict[str, float]]:
    """Milliseconds to replace a document of 20 passages among 50 others, in turns with and without overwriting."""
    taken: dict[str, list[tuple[float, float]]] = {"overwritten": [], "left on the disk": []}
    with tempfile.TemporaryDirectory() as folder:
        indexes = {name: _filled(Path(folder) / f"{number}.sqlite", name) for number, name in enumerate(taken)}
        for turn in range(40):
            for name, replace in indexes.items():
                with _ignoring(name):
                    began, computing = time.perf_counter(), time.thread_time()
                    replace(turn)
                    taken[name].append((time.thread_time() - computing, time.perf_counter() - began))
    return {name: _medians(times[5:]) for name, times in taken.items()}


def _medians(times: Sequence[tuple[float, float]]) -> dict[str, float]:
    processor, whole = (round(1000 * median(each), 1) for each in zip(*times, strict=True))
    return {"processor": processor, "whole": whole}


def _filled(path: Path, name: str) -> Callable[[int], None]:
    """Replaces one document; the argument says with which text."""
    index = SqlitePassageIndex(path, "fixed", _DIMENSION)
    with _ignoring(name):
        for number in range(_OTHERS):
            document = DocumentKey(BASE, f"other-{number}.md")
            index.replace(document, _passages(document, number))
    document = DocumentKey(BASE, "replaced.md")
    return lambda turn: index.replace(document, _passages(document, turn))


def _passages(document: DocumentKey, seed: int) -> list[EmbeddedPassage]:
    chance = random.Random(f"{document.document_id}/{seed}")  # noqa: S311 - not for secrets
    vector = [chance.random() for _ in range(_DIMENSION)]
    return [
        EmbeddedPassage(
            Passage(f"{document.document_id}#{number}", document, str(seed), "Policy", _text(chance), "", _PLACE),
            vector,
        )
        for number in range(_PASSAGES)
    ]


_PLACE = SectionLocator(("Leave",))


def _text(chance: random.Random) -> str:
    return " ".join(f"word{chance.randrange(5_000)}" for _ in range(_WORDS))


class _Leaving(sqlite3.Connection):
    """Deletes as SQLite does by default."""

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return super().execute("SELECT 1" if sql.startswith(_OVERWRITING) else sql, *parameters)


@contextmanager
def _ignoring(name: str) -> Iterator[None]:
    """Connections that are opened meanwhile overwrite nothing, if the name says so."""
    connect = sqlite3.connect
    if name != "overwritten":
        setattr(sqlite3, "connect", partial(connect, factory=_Leaving))  # noqa: B010 - mypy knows no other way
    try:
        yield
    finally:
        setattr(sqlite3, "connect", connect)  # noqa: B010


if __name__ == "__main__":
    sys.exit(main())
