"""Where on a stage a marker is found: in tables, buckets, queues, log groups and files, packed or not."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import re
import secrets
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from local.stage.aws import aws_client
from tests.chaos.target import Target

# No word of a document's text contains such a row of consonants, and no stemmer shortens it.
_LETTERS = "bcfhjkmnpqrvwxz"
# FTS5 leaves out of a term's row what it has in common with the term before it in the index.
_COMMON_WITH_ANOTHER_TERM = 4
_LAYERS = 4
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_FROM_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_GZIP, _ZLIB = b"\x1f\x8b", (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")

AUDIT_TRAIL = "audit trail"
Found = Mapping[str, int]
"""By place, how many bytes of the marker; places without any are left out."""


def new_marker() -> str:
    """A word that nothing else on the stage has."""
    return "".join(secrets.choice(_LETTERS) for _ in range(20))


def bytes_of_marker(content: bytes, marker: str) -> int:
    """How many bytes the content has of the marker, in any case of letters, packed or not."""
    needle = marker[_COMMON_WITH_ANOTHER_TERM:].encode()
    return sum(layer.lower().count(needle) * len(needle) for layer in _layers(content, _LAYERS))


def _layers(content: bytes, depth: int) -> Iterator[bytes]:
    """The content, and what is packed in it by gzip, zlib or base64."""
    yield content
    if depth:
        for inner in _unpacked(content):
            yield from _layers(inner, depth - 1)


def _unpacked(content: bytes) -> Iterator[bytes]:
    with suppress(OSError, EOFError, zlib.error):
        if content.startswith(_GZIP):
            yield gzip.decompress(content)
        elif content.startswith(_ZLIB):
            yield zlib.decompress(content)
    for text in _BASE64.findall(content):
        with suppress(binascii.Error):
            yield base64.b64decode(text.translate(_FROM_URL_SAFE) + b"==")


class Scan:
    """What the whole stage has of several markers, each with a name, at one moment.

    Objects and files that were not written since `begun` (epoch seconds), when the markers were made, cannot have them.
    """

    def __init__(self, stage: Target, markers: Mapping[str, str], begun: float) -> None:
        self._stage = stage
        self._markers = markers
        self._begun = begun
        self._found: dict[str, Counter[str]] = {name: Counter() for name in markers}
        self.places: Counter[str] = Counter()
        """By place, how many rows, versions, messages, events or files were looked through."""
        for place, content in self._contents():
            self.places[place] += 1
            for name, marker in markers.items():
                if number := bytes_of_marker(content, marker):
                    self._found[name][place] += number

    def found(self, name: str) -> Found:
        return dict(self._found[name])

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        yield from _tables(self._stage)
        yield from _buckets(self._stage, self._begun)
        yield from _queues(self._stage)
        yield from _logs(self._stage)
        yield from _files(self._stage.config.folder, self._begun)


def _tables(stage: Target) -> Iterator[tuple[str, bytes]]:
    client = aws_client(stage.config, "dynamodb")
    for page in client.get_paginator("list_tables").paginate():
        for table in page["TableNames"]:
            for rows in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
                for row in rows["Items"]:
                    for value in _values(row):
                        yield f"table {table.removeprefix('cicada-local-')}", value


def _values(value: object) -> Iterator[bytes]:
    """All names and values of an item, each by itself: what is packed is packed in a value."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, str):
        yield value.encode()
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name).encode()
            yield from _values(inner)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from _values(inner)


def _buckets(stage: Target, begun: float) -> Iterator[tuple[str, bytes]]:
    """S3 has times in whole seconds."""
    client = aws_client(stage.config, "s3")
    for bucket in (each["Name"] for each in client.list_buckets()["Buckets"]):
        for page in client.get_paginator("list_object_versions").paginate(Bucket=bucket):
            for kind in ("DeleteMarkers", "Versions"):
                for each in page.get(kind, []):
                    if each["LastModified"].timestamp() < begun - 1:
                        continue
                    elif kind == "Versions":
                        yield from _version(client, bucket, each)
                    else:
                        yield f"bucket {_folder(each['Key'])}", each["Key"].encode()


def _version(client: Any, bucket: str, version: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    place = f"bucket {_folder(version['Key'])}"
    found = client.get_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])
    for part in (version["Key"].encode(), json.dumps(found["Metadata"]).encode(), found["Body"].read()):
        yield place, part


def _folder(key: str) -> str:
    """The folder in the stage's bucket of documents; other buckets have assets."""
    return f"{key.split('/', 1)[0]}/" if "/" in key else "of assets"


def _queues(stage: Target) -> Iterator[tuple[str, bytes]]:
    """Messages are received and stay; those that a function has at this moment are not seen."""
    client = aws_client(stage.config, "sqs")
    for url in client.list_queues().get("QueueUrls", []):
        while received := _messages(client, url):
            for message in received:
                yield f"queue {url.rsplit('/', 1)[1].removeprefix('cicada-local-')}", json.dumps(message).encode()
            if len(received) < 10:
                break


def _messages(client: Any, url: str) -> list[dict[str, Any]]:
    """Hidden for a second, so that the next call returns others."""
    found = client.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=1, AttributeNames=["All"], MessageAttributeNames=["All"]
    )
    return list(found.get("Messages", []))


def _logs(stage: Target) -> Iterator[tuple[str, bytes]]:
    client, audit = aws_client(stage.config, "logs"), stage.info["outputs"]["AuditLogGroup"]
    for page in client.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            name = group["logGroupName"]
            place = AUDIT_TRAIL if name == audit else f"log group {name.removeprefix('/aws/lambda/cicada-local-')}"
            for events in client.get_paginator("filter_log_events").paginate(logGroupName=name):
                for event in events["events"]:
                    yield place, f"{event.get('logStreamName', '')} {event['message']}".encode()


def _files(folder: Path, begun: float) -> Iterator[tuple[str, bytes]]:
    """Some file systems have times in whole seconds. Of the emulator's own files the topmost folder is the place."""
    for path in sorted(folder.rglob("*")):
        # Servers delete temporary files meanwhile.
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime >= begun - 1:
                parts = path.relative_to(folder).parts
                place = "/".join(parts) if len(parts) < 3 else f"{parts[0]}/"
                yield f"file {place}", "/".join(parts).encode()
                yield f"file {place}", path.read_bytes()
