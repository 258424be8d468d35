"""A document and a person with markers of their own, used on a stage in every way that stores something of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cicada_client.client import Client
from cicada_client.timing import Timing
from local.stage.aws import aws_client
from local.stage.settings import ROOT, inherited
from tests.chaos.target import Target, principal
from tests.e2e.faults import cancel_faults, order_fault
from tests.residue.scan import Scan, new_marker

BASE = "residue"
TENANT = "default"
_PATIENCE_SECONDS = 120
_PASSWORD = "Own-password-of-nobody-1"


class ResidueError(Exception):
    """A step did not do what the scan after it presupposes."""


@dataclass(frozen=True, slots=True)
class Markers:
    """`text`: in the document, its title, sidecar and metadata. `file`: its name. `words`: in the person's messages.

    `login`: the person's name.
    """

    text: str = field(default_factory=new_marker)
    file: str = field(default_factory=new_marker)
    words: str = field(default_factory=new_marker)
    login: str = field(default_factory=new_marker)


class Walk:
    """What an operator and a user do, step by step, and scans of the stage between the steps."""

    def __init__(self, stage: Target, folder: Path) -> None:
        self._stage = stage
        self._folder = folder
        self._begun = time.time()
        self.markers = Markers()
        self.name = f"{self.markers.file}.md"
        self.rejected = f"{self.markers.file}.pdf"

    def scan(self) -> Scan:
        m = self.markers
        named = {"text": m.text, "file": m.file, "words": m.words, "login": m.login}
        return Scan(self._stage, named, self._begun)

    def upload(self) -> None:
        """Two versions of the document, and a file that is rejected, in a bucket that keeps versions as on prod."""
        s3, bucket = aws_client(self._stage.config, "s3"), self._stage.info["outputs"]["DocumentsBucket"]
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        self._write("first")
        self._cicada("ingest", str(self._folder))
        self._write("second")
        (self._folder / self.rejected).write_bytes(b"%PDF-1.7 " + self.markers.text.encode())
        self._cicada("ingest", str(self._folder), code=1)

    def converse(self) -> None:
        """Questions, a profile that stays, a theory that is deleted, and an answer that fails."""
        words, text = self.markers.words, self.markers.text
        with self._person() as client:
            for message, base in (
                (f"What does the {text} of {words} weigh?", BASE),
                (f"And which colour has it, asks {words}?", BASE),
                (f"List the documents, says {words}", BASE),
                (f"Create a character profile for {words}: keeper of the {words}", "scripts"),
                (f"Save my theory: The {words} is drunk", "scripts"),
                (f"Delete my theory about {words}", "scripts"),
            ):
                self._ask(client, message, base)
            for _ in client.follow(self._invoke_commands()):
                """Until the answer has ended."""
            # More often than the model is tried again. The document has the answer, and the question counts nothing, so
            # the model is surely asked.
            order_fault(self._stage, operation="converse-stream", kind="throttle", times=3)
            of_its_text = f"What is said about the weight of the {text} in its second state, {words}?"
            if self._ask(client, of_its_text, BASE) != "error":
                raise ResidueError("The answer that was to fail has not failed.")
            client.history()

    def remove(self) -> None:
        """`cicada remove --purge`, of the rejected file too."""
        self._cicada("remove", self.name, self.rejected, "--purge")
        settle(self._stage)

    def erase(self) -> None:
        """`cicada erase --account`."""
        self._cicada("erase", self.markers.login, "--tenant", TENANT, "--account", "--yes", base=False)

    def close(self) -> None:
        """The bucket keeps no further versions, and no call of the model fails any more."""
        cancel_faults(self._stage)
        s3, bucket = aws_client(self._stage.config, "s3"), self._stage.info["outputs"]["DocumentsBucket"]
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})

    def _write(self, version: str) -> None:
        text = self.markers.text
        body = f"The {text} weighs four stone in its {version} state.\n\nIts colour is that of {text}.\n"
        path = self._folder / self.name
        path.write_text(f"---\nauthor: {text}\n---\n# {text} and its weight\n\n{body}", "utf-8")
        embedded = {"value": {"type": "STRING", "stringValue": text}, "includeForEmbedding": True}
        attributes = {"keeper": text, "note": embedded}
        path.with_name(f"{path.name}.metadata.json").write_text(json.dumps({"metadataAttributes": attributes}), "utf-8")

    @contextmanager
    def _person(self) -> Iterator[Client]:
        login = self.markers.login
        self._cicada("user", "add", login, "--password-stdin", base=False)
        self._stage.info["users"].append({"name": login, "password": _PASSWORD})
        try:
            patient = Timing(patience_seconds=_PATIENCE_SECONDS)
            with Client(self._stage.url, lambda: self._stage.token(login), timing=patient) as client:
                yield client
        finally:
            self._stage.info["users"].pop()

    def _ask(self, client: Client, message: str, base: str) -> str:
        """The type of the last event."""
        return [event.type for event in client.ask(message, knowledge_base=base)][-1]

    def _invoke_commands(self) -> str:
        """The WebSocket's functions as Lambda invokes them; the id of the request that they accept.

        The emulator keeps no log of what its WebSocket invokes.
        """
        request_id, words = str(uuid.uuid4()), self.markers.words
        message = {"action": "sendMessage", "requestId": request_id, "message": f"Who is {words}?"}
        self._invoke("ws_connect")
        self._invoke("ws_message", json.dumps(message))
        self._invoke("ws_message", f'{{"action": "sendMessage", "message": "{words}')
        self._invoke("ws_resume", json.dumps({"action": "resume", "requestId": words, "afterSeq": 0}))
        self._invoke("ws_control", json.dumps({"action": "history", "sessionId": words}))
        return request_id

    def _invoke(self, function: str, frame: str = "") -> None:
        """On a connection of the person's."""
        who = principal(self._stage.token(self.markers.login))
        event = json.loads((ROOT / "events" / f"{function}.json").read_text("utf-8"))
        event["requestContext"]["connectionId"] = f"residue-{who.user}"
        if function == "ws_connect":
            times = {"tokenIssuedAt": str(int(time.time())), "tokenExpiresAt": str(int(time.time()) + 600)}
            named = {"tenant": who.tenant, "user": who.user, "login": self.markers.login}
            event["requestContext"]["authorizer"] |= named | times
        else:
            event["body"] = frame
        name = self._stage.info["functions"][function]
        reply = aws_client(self._stage.config, "lambda").invoke(FunctionName=name, Payload=json.dumps(event))
        if json.loads(reply["Payload"].read()).get("statusCode") != 200:
            raise ResidueError(f"{name} refused its event.")

    def _cicada(self, *arguments: str, base: bool = True, code: int = 0) -> None:
        """Run the command. Raises `ResidueError` if it ends with another code."""
        options = ("--knowledge-base", BASE, "--tenant", TENANT) if base else ()
        stage = {"CICADA_STAGE_FILE": str(self._stage.config.info_file), "XDG_STATE_HOME": str(self._folder.parent)}
        ended = subprocess.run(
            [sys.executable, "-m", "cli", *arguments, *options, "--json"],
            cwd=ROOT,
            env=inherited() | stage,
            input=f"{_PASSWORD}\n",
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != code:
            raise ResidueError(f"`cicada {arguments[0]}` ended with {ended.returncode}: {ended.stdout}{ended.stderr}")


def settle(stage: Target) -> None:
    """Wait until ingest has taken what S3 announced of the deleted versions."""
    sqs = aws_client(stage.config, "sqs")
    counted = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    urls = [url for url in sqs.list_queues()["QueueUrls"] if "DocumentsChanges" in url]
    for url in urls:
        while any(
            int(number)
            for number in sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(counted))["Attributes"].values()
        ):
            time.sleep(0.2)
