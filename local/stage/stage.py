"""The local stage: its processes, started in order and ended in reverse."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from local.stage.agents import write_agents
from local.stage.deploy import deploy, outputs
from local.stage.emulator import start_bedrock, start_emulator
from local.stage.page import start_page
from local.stage.processes import Running, require_free
from local.stage.samples import ingest_samples
from local.stage.search_server import start_opensearch
from local.stage.settings import REGION, ROOT, StageConfig
from local.stage.users import ensure_users

Say = Callable[[str], None]


class LocalStage:
    """A context manager: entering starts the stage and returns it, leaving ends all of its processes."""

    def __init__(self, config: StageConfig, say: Say) -> None:
        self._config = config
        self._say = say
        self._running: list[Running] = []
        self._ending = ExitStack()
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
        self._ending.callback(self._forget)
        if self._config.search == "opensearch" and not self._config.opensearch_url:
            self._say("Starting OpenSearch …")
            server = start_opensearch(self._config, self._say)
            self._add(server.running)
            self._config = replace(self._config, opensearch_url=server.url)
        self._say("Starting the AWS emulator and the Bedrock stand-in …")
        self._add(start_emulator(self._config))
        write_agents(self._config)
        self._add(start_bedrock(self._config))
        self._say("Deploying the CDK app …")
        if not deploy(self._config):
            self._say("  nothing has changed since the last deployment")
        deployed = outputs(self._config)
        users = ensure_users(self._config, deployed["UserPoolId"])
        self._say("Ingesting the sample documents …")
        for line in ingest_samples(self._config, deployed["DocumentsBucket"]):
            self._say(f"  {line}")
        self.info = self._describe(deployed, users)
        self._add(start_page(self._config, self.info))
        self.info["processes"] |= {each.name: each.guard.pid for each in self._running}
        self._config.info_file.write_text(json.dumps(self.info, indent=2), "utf-8")

    def _require_ports(self) -> None:
        """Check the ports before starting anything: a taken port should not be reported after a minute."""
        require_free(self._config.emulator_port, "EMULATOR_PORT")
        require_free(self._config.bedrock_port, "BEDROCK_PORT")
        require_free(self._config.page_port, "PAGE_PORT")

    def _add(self, running: Running) -> None:
        self._running.append(running)
        self._ending.callback(running.stop)

    def _forget(self) -> None:
        """Delete the information file and the functions' code; the state and the logs stay."""
        self._say("Removing temporary files …")
        self._config.info_file.unlink(missing_ok=True)
        shutil.rmtree(self._config.folder / "tmp", ignore_errors=True)

    def _describe(self, deployed: dict[str, str], users: list[dict[str, str]]) -> dict[str, Any]:
        return {
            "websocketUrl": deployed["WebSocketUrl"],
            "pageUrl": self._config.page_url,
            "users": users,
            "region": REGION,
            "endpointUrl": self._config.aws_url,
            "bedrockUrl": self._config.bedrock_url,
            "userPoolId": deployed["UserPoolId"],
            "clientId": deployed["UserPoolClientId"],
            "functions": {name: f"cicada-local-{name.replace('_', '-')}" for name in _function_names()},
            "search": self._config.search,
            "outputs": deployed,
            "processes": {"stage": os.getpid()} | {each.name: each.guard.pid for each in self._running},
            "logs": str(self._config.folder / "logs"),
            "python": sys.executable,
        }


def _function_names() -> list[str]:
    return sorted(handler.parent.name for handler in (ROOT / "functions").glob("*/handler.py"))
