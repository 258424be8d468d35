"""The local stage: its processes, started together and ended together."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from clients.documents.uploader import Uploader
from local.stage.aws import aws_client, deployed_name
from local.stage.deploy import Deployed, deploy, fingerprint_of
from local.stage.private_file import write_private
from local.stage.processes import Running, require_free, stop_all
from local.stage.recovery import is_torso, leave_note, set_aside, take_note
from local.stage.samples import PATIENCE_SECONDS, IndexedDocument, indexed_documents, ingest_samples
from local.stage.servers import EMULATOR, STATE_STORED, start_bedrock, start_emulator, start_opensearch, start_page
from local.stage.settings import REGION, ROOT, StageConfig
from local.stage.users import ensure_users
from local.stage.warm_up import WarmUp

Say = Callable[[str], None]


class LocalStage:
    """A context manager: entering starts the stage and returns it, leaving ends all of its processes."""

    def __init__(self, config: StageConfig, say: Say) -> None:
        self._config = config
        self._say = say
        self._running: list[Running] = []
        self._ending = ExitStack()
        # The fingerprint of the deployment that has ingested the samples completely.
        self._completed = ""
        self.info: dict[str, Any] = {}

    def __enter__(self) -> Self:
        with self._ending:
            self._start()
            self._ending = self._ending.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ending.close()

    @property
    def processes(self) -> list[Running]:
        return list(self._running)

    def _start(self) -> None:
        self._config.folder.mkdir(parents=True, exist_ok=True)
        self._require_ports()
        completed = take_note(self._config.folder)
        self._ending.callback(self._end)
        self._start_search()
        self._say("Starting the AWS emulator and the Bedrock stand-in …")
        self._add(start_emulator(self._config))
        self._add(start_bedrock(self._config))
        fingerprint = fingerprint_of(self._config)
        self._recover()
        self._say("Deploying the CDK app …")
        deployed = deploy(self._config, fingerprint, self._say)
        warm_up = WarmUp(self._config) if self._config.warm_up else None
        self.info = self._describe(deployed.outputs, ensure_users(self._config, deployed.outputs["UserPoolId"]))
        self._add(start_page(self._config, self.info))
        for process in self._running:
            process.wait_until_ready()
        self._ingest(deployed, trusted=completed == fingerprint)
        if warm_up:
            warm_up.wait()
            for name in warm_up.failed:
                self._say(f"  {name} could not be started beforehand; see the emulator's log")
        self.info["processes"] |= {each.name: each.guard.pid for each in self._running}
        write_private(self._config.info_file, json.dumps(self.info, indent=2))

    def _recover(self) -> None:
        """Wait for the emulator; if a crash left it with a part of a stage, start it again without that part."""
        [emulator] = [each for each in self._running if each.name == EMULATOR]
        emulator.wait_until_ready()
        if is_torso(self._config):
            emulator.stop()
            self._running.remove(emulator)
            kept = set_aside(self._config)
            self._say(f"  an earlier stage crashed before it had stored its state; its files are kept in {kept}")
            self._add(start_emulator(self._config)).wait_until_ready()

    def _start_search(self) -> None:
        if self._config.search == "opensearch" and not self._config.opensearch_url:
            self._say("Starting OpenSearch …")
            server = self._add(start_opensearch(self._config, self._say))
            self._config = replace(self._config, opensearch_url=server.url)

    def _ingest(self, deployed: Deployed, *, trusted: bool) -> None:
        """`trusted`: whether the catalogue tells what this deployment has ingested; else all samples are uploaded."""
        self._say("Looking for the sample documents …" if trusted else "Ingesting the sample documents …")
        indexed = partial(indexed_documents, self._config) if trusted else _nothing
        uploader = Uploader(aws_client(self._config, "s3"), deployed.outputs["DocumentsBucket"], PATIENCE_SECONDS)
        for line in ingest_samples(uploader, indexed, self._config.bases):
            self._say(f"  {line}")
        self._completed = deployed.fingerprint

    def _require_ports(self) -> None:
        """Check the ports before starting anything: a taken port should not be reported after a minute."""
        require_free(self._config.emulator_port, "EMULATOR_PORT")
        require_free(self._config.bedrock_port, "BEDROCK_PORT")
        require_free(self._config.page_port, "PAGE_PORT")

    def _add(self, running: Running) -> Running:
        self._running.append(running)
        return running

    def _end(self) -> None:
        """End all processes at once; the emulator stores its state as it ends. The state and the logs stay."""
        self._say("Stopping …")
        statuses = stop_all(self._running)
        self._config.info_file.unlink(missing_ok=True)
        # The functions' code.
        shutil.rmtree(self._config.folder / "tmp", ignore_errors=True)
        if self._completed and statuses.get(EMULATOR) in STATE_STORED:
            leave_note(self._config.folder, self._completed)

    def _describe(self, deployed: Mapping[str, str], users: list[dict[str, str]]) -> dict[str, Any]:
        return {
            "websocketUrl": deployed["WebSocketUrl"],
            "pageUrl": self._config.page_url,
            "users": users,
            "region": REGION,
            "endpointUrl": self._config.aws_url,
            "bedrockUrl": self._config.bedrock_url,
            "userPoolId": deployed["UserPoolId"],
            "clientId": deployed["UserPoolClientId"],
            "functions": {name: deployed_name(name) for name in _function_names()},
            "search": self._config.search,
            "outputs": dict(deployed),
            "processes": {"stage": os.getpid()} | {each.name: each.guard.pid for each in self._running},
            "logs": str(self._config.folder / "logs"),
            "python": sys.executable,
        }


def _function_names() -> list[str]:
    return sorted(handler.parent.name for handler in (ROOT / "functions").glob("*/handler.py"))


def _nothing(knowledge_base: str) -> dict[str, IndexedDocument]:  # noqa: ARG001 - of no knowledge base
    return {}
